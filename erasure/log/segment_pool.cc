#include "erasure/log/segment_pool.h"

#include <algorithm>
#include <utility>

#include "erasure/log/page_buffer.h"
#include "erasure/log/segment_scan.h"

namespace mote::erasure {

SegmentPool::SegmentPool(Vfs& vfs, std::string directory, const LogOptions& options,
                         std::uint64_t next_name)
    : vfs_(vfs), directory_(std::move(directory)), options_(options), next_name_(next_name) {}

void SegmentPool::add_free(std::string path) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(path));
}

bool SegmentPool::is_ready() const {
  const std::lock_guard lock(mutex_);
  return ready_.has_value();
}

Status SegmentPool::prepare() {
  if (is_ready()) {
    return ok();
  }
  Result<SpareSegment> made = make();
  if (!made) {
    return made.error();
  }
  const std::lock_guard lock(mutex_);
  if (ready_) {
    free_.push_back(std::move(made->path));
  } else {
    ready_ = std::move(*made);
  }
  return ok();
}

Result<SpareSegment> SegmentPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (ready_) {
      SpareSegment taken = std::move(*ready_);
      ready_.reset();
      return taken;
    }
  }
  return make();
}

Result<SpareSegment> SegmentPool::make() {
  std::string path;
  bool exists = false;
  {
    const std::lock_guard lock(mutex_);
    exists = !free_.empty();
    if (exists) {
      path = std::move(free_.back());
      free_.pop_back();
    } else {
      path = directory_ + "/" + std::to_string(next_name_++);
    }
  }
  if (!exists) {
    return create(path);
  }
  Result<std::unique_ptr<File>> file =
      vfs_.open(path, {.read = true, .write = true, .direct = true});
  if (!file) {
    return file.error();
  }
  return SpareSegment{std::move(path), std::move(*file)};
}

Result<SpareSegment> SegmentPool::create(const std::string& path) {
  Result<std::unique_ptr<File>> opened = vfs_.open(
      path, {.read = true, .write = true, .create = true, .exclusive = true, .direct = true});
  if (!opened) {
    return opened.error();
  }
  File& file = **opened;
  Status status = file.allocate(options_.segment_bytes);
  // Reserved extents are "unwritten" to ext4 and XFS: the first overwrite would commit a journal
  // transaction after all. Zeros that were written once do not. They go past the page cache: there
  // they would cost three times the CPU, displace what is read, and lie in folios so large that
  // every later page is accounted, and its neighbours looked at, as a whole folio.
  PageBuffer memory;
  const ByteView zeros = memory.zeros(std::min<std::uint64_t>(options_.segment_bytes, kMiB));
  for (std::uint64_t offset = 0; status && offset < options_.segment_bytes;) {
    const std::uint64_t count =
        std::min<std::uint64_t>(zeros.size(), options_.segment_bytes - offset);
    status = file.pwrite(offset, zeros.first(count));
    offset += count;
  }
  if (status) {
    status = file.sync_data();
  }
  // The header last: a file that has one is complete.
  if (status) {
    SegmentHeader spare;
    spare.segment_bytes = options_.segment_bytes;
    spare.drive_uuid = options_.drive_uuid;
    status = file.pwrite(0, memory.copy(as_bytes(encode_segment_page(spare))));
  }
  if (status) {
    status = file.sync_data();
  }
  if (status) {
    status = vfs_.sync_directory(directory_);
  }
  if (!status) {
    return status.error();
  }
  return SpareSegment{path, std::move(*opened)};
}

Status prepare_spare_segment(Vfs& vfs, const std::string& directory, const LogOptions& options) {
  const Result<std::vector<SegmentFile>> files = list_segment_files(vfs, directory, options);
  if (!files) {
    return files.error();
  }
  for (const SegmentFile& file : *files) {
    if (!file.in_use() && file.complete(options)) {
      return ok();
    }
  }
  SegmentPool pool(vfs, directory, options, files->empty() ? 1 : files->back().name + 1);
  return pool.prepare();
}

}  // namespace mote::erasure
