#include "erasure/log/log_writer.h"

#include <algorithm>
#include <array>

#include "erasure/base/check.h"
#include "erasure/log/segment_scan.h"

namespace mote::erasure {
namespace {

bool is_sound(const LogOptions& options) {
  return options.segment_bytes >= kSegmentBytesMin && options.segment_bytes % kLogPageBytes == 0;
}

std::uint64_t next_name(const std::vector<SegmentFile>& files) {
  return files.empty() ? 1 : files.back().name + 1;
}

/// Highest ordinal ever used in the directory, as far as the files tell.
Result<std::uint64_t> highest_ordinal(const std::vector<SegmentFile>& files) {
  std::uint64_t highest = 0;
  for (const SegmentFile& file : files) {
    if (file.header) {
      highest = std::max(highest, file.header->ordinal);
      continue;
    }
    const Result<std::uint64_t> in_groups = highest_group_ordinal(file);
    if (!in_groups) {
      return in_groups.error();
    }
    highest = std::max(highest, *in_groups);
  }
  return highest;
}

Status make_log_directory(Vfs& vfs, const std::string& directory) {
  const Status made = vfs.make_directory(directory);
  if (!made && made.error().code != Errc::already_exists) {
    return made;
  }
  const std::size_t slash = directory.rfind('/');
  return vfs.sync_directory(slash == std::string::npos ? "." : directory.substr(0, slash));
}

/// Writes a page over itself, so that it is dirty whatever the kernel thinks of it, or syncs it.
Status write_again(File& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string same(bytes, '\0');
  const Result<std::size_t> got =
      file.pread(offset, std::as_writable_bytes(std::span(same.data(), same.size())));
  if (!got) {
    return got.error();
  }
  if (*got != bytes) {
    return Error{Errc::corrupt, 0, "log.resume"};
  }
  return file.pwrite(offset, as_bytes(same));
}

}  // namespace

LogWriter::LogWriter(Vfs& vfs, Rng& rng, std::string directory, const LogOptions& options)
    : vfs_(vfs), rng_(rng), directory_(std::move(directory)), options_(options) {
  MOTE_CHECK(is_sound(options));
}

LogWriter::~LogWriter() = default;

Error LogWriter::fail(const Error& error) {
  broken_ = true;
  return error;
}

// NOLINTNEXTLINE(readability-function-size)
Result<std::unique_ptr<LogWriter>> LogWriter::begin(Vfs& vfs, Rng& rng,
                                                    const std::string& directory,
                                                    const LogOptions& options,
                                                    std::span<const Entry> first,
                                                    CommitSeq decided) {
  std::unique_ptr<LogWriter> writer(new LogWriter(vfs, rng, directory, options));
  if (Status made = make_log_directory(vfs, directory); !made) {
    return made.error();
  }
  const Result<std::vector<SegmentFile>> files = list_segment_files(vfs, directory, options);
  if (!files) {
    return files.error();
  }
  const Result<std::uint64_t> highest = highest_ordinal(*files);
  if (!highest) {
    return highest.error();
  }
  writer->pool_ = std::make_unique<SegmentPool>(vfs, directory, options, next_name(*files));
  for (const SegmentFile& file : *files) {
    if (!file.in_use() && file.complete(options)) {
      writer->pool_->add_free(file.path);
    }
  }
  Status status = writer->start_segment(kSegmentBeginsLog, *highest + 1, 0);
  if (status) {
    status = writer->append_group(first, decided);
  }
  if (status) {
    status = writer->sync();
  }
  // From here on the new log counts. What is left of others must not come back if its first group
  // is damaged one day.
  for (const SegmentFile& file : *files) {
    if (status && (file.in_use() || !file.complete(options))) {
      status = writer->retire(file.path, file.complete(options));
    }
  }
  if (status) {
    status = vfs.sync_directory(directory);
  }
  if (!status) {
    return status.error();
  }
  return writer;
}

/// Turns a file of an earlier log into a spare, or removes it if it is not whole.
Status LogWriter::retire(const std::string& path, bool complete) {
  if (!complete) {
    return vfs_.unlink(path);
  }
  const Result<std::unique_ptr<File>> file = vfs_.open(path, {.read = true, .write = true});
  if (!file) {
    return file.error();
  }
  SegmentHeader spare;
  spare.segment_bytes = options_.segment_bytes;
  spare.drive_uuid = options_.drive_uuid;
  Status status = (*file)->pwrite(0, as_bytes(encode_segment_page(spare)));
  if (status) {
    status = (*file)->sync_data();
  }
  if (status) {
    pool_->add_free(path);
  }
  return status;
}

Result<std::unique_ptr<LogWriter>> LogWriter::resume(Vfs& vfs, Rng& rng,
                                                     const std::string& directory,
                                                     const LogOptions& options,
                                                     const LogContents& contents) {
  MOTE_CHECK(contents.verdict != LogVerdict::damaged && contents.groups > 0);
  std::unique_ptr<LogWriter> writer(new LogWriter(vfs, rng, directory, options));
  const Result<std::vector<SegmentFile>> files = list_segment_files(vfs, directory, options);
  if (!files) {
    return files.error();
  }
  writer->pool_ = std::make_unique<SegmentPool>(vfs, directory, options, next_name(*files));
  if (Status status = writer->make_durable(contents); !status) {
    return status.error();
  }
  if (Status status = writer->adopt_files(*files, contents); !status) {
    return status.error();
  }
  for (const SegmentInfo& segment : contents.segments) {
    writer->segments_.push_back({segment.path, segment.ordinal, segment.last});
  }
  writer->previous_ = contents.last_group_checksum;
  writer->promise_ = contents.promise;
  if (!contents.configurations.empty()) {
    writer->cfg_seq_ = contents.configurations.back().seq;
    writer->cfg_payload_ = encode(contents.configurations.back());
  }
  if (Status status =
          writer->start_segment(0, contents.segments.back().ordinal + 1, contents.end_offset);
      !status) {
    return status.error();
  }
  return writer;
}

/// At most the last group and the last header were never synced. After a sync that failed in an
/// earlier process the page cache may call them clean: so they are written again.
Status LogWriter::make_durable(const LogContents& contents) {
  const Result<std::unique_ptr<File>> file =
      vfs_.open(contents.segments.back().path, {.read = true, .write = true});
  if (!file) {
    return file.error();
  }
  Status status = write_again(**file, 0, kLogPageBytes);
  if (status && contents.last_group_offset != 0) {
    status = write_again(**file, contents.last_group_offset,
                         contents.end_offset - contents.last_group_offset);
  }
  return status ? (*file)->sync_data() : status;
}

/// Files that are not part of the log: whole ones are free, the rest came from a start that was
/// interrupted.
Status LogWriter::adopt_files(const std::vector<SegmentFile>& files, const LogContents& contents) {
  bool removed = false;
  for (const SegmentFile& file : files) {
    const bool counts = std::any_of(contents.segments.begin(), contents.segments.end(),
                                    [&file](const SegmentInfo& s) { return s.path == file.path; });
    if (counts) {
      continue;
    }
    if (!file.in_use() && file.complete(options_)) {
      pool_->add_free(file.path);
      continue;
    }
    // A header of a log that was about to begin must go before a group follows it.
    Status status = retire(file.path, file.complete(options_));
    if (!status) {
      return status;
    }
    removed = removed || !file.complete(options_);
  }
  return removed ? vfs_.sync_directory(directory_) : ok();
}

Status LogWriter::start_segment(std::uint32_t flags, std::uint64_t ordinal,
                                std::uint64_t predecessor_end) {
  Result<SpareSegment> spare = pool_->take();
  if (!spare) {
    return fail(spare.error());
  }
  SegmentHeader header;
  header.flags = flags;
  header.ordinal = ordinal;
  header.generation = std::max<std::uint64_t>(rng_.next(), 1);
  header.segment_bytes = options_.segment_bytes;
  header.predecessor_end = predecessor_end;
  header.predecessor_checksum = previous_;
  header.drive_uuid = options_.drive_uuid;
  Status status = spare->file->pwrite(0, pages_.copy(as_bytes(encode_segment_page(header))));
  if (status) {
    status = spare->file->sync_data();
  }
  if (!status) {
    return fail(status.error());
  }
  file_ = std::move(spare->file);
  generation_ = header.generation;
  end_ = kLogPageBytes;
  segments_.push_back({std::move(spare->path), ordinal, {}});
  return ok();
}

Status LogWriter::append_group(std::span<const Entry> entries, CommitSeq decided) {
  MOTE_CHECK(!unsynced_);
  if (broken_) {
    return Error{Errc::drive_failed, 0, "log.append"};
  }
  const std::uint64_t bytes = group_bytes(entries);
  if (bytes > group_bytes_max(options_)) {
    return Error{Errc::too_large, 0, "log.append"};
  }
  if (end_ != kLogPageBytes && end_ + bytes > options_.segment_bytes) {
    if (Status status = start_segment(0, segments_.back().ordinal + 1, end_); !status) {
      return status;
    }
  }
  return write_group(entries, decided);
}

Status LogWriter::write_group(std::span<const Entry> entries, CommitSeq decided) {
  std::array<Entry, 2> restated;
  std::size_t restated_count = 0;
  if (end_ == kLogPageBytes) {
    if (!cfg_seq_.is_zero()) {
      restated[restated_count++] = {EntryKind::cfg, cfg_seq_, as_bytes(cfg_payload_)};
    }
    if (promise_ != 0) {
      restated[restated_count++] = {EntryKind::promise, {promise_, 0}, {}};
    }
  }
  GroupPlace place;
  place.generation = generation_;
  place.offset = end_;
  place.ordinal = segments_.back().ordinal;
  place.first_ordinal = segments_.front().ordinal;
  place.previous = previous_;
  place.decided = decided;
  buffer_.clear();
  const std::uint64_t checksum =
      encode_group(place, std::span(restated).first(restated_count), entries, buffer_);
  MOTE_CHECK(end_ + buffer_.size() <= options_.segment_bytes);
  if (Status status = file_->pwrite(end_, pages_.copy(as_bytes(buffer_))); !status) {
    return fail(status.error());
  }
  previous_ = checksum;
  end_ += buffer_.size();
  unsynced_ = true;
  announced_.insert(announced_.end(), retired_.begin(), retired_.end());
  retired_.clear();
  remember(entries);
  return ok();
}

void LogWriter::remember(std::span<const Entry> entries) {
  for (const Entry& entry : entries) {
    if (entry.kind == EntryKind::promise) {
      promise_ = std::max(promise_, entry.seq.epoch);
      continue;
    }
    segments_.back().last = std::max(segments_.back().last, entry.seq);
    if (entry.kind == EntryKind::cfg) {
      cfg_seq_ = entry.seq;
      cfg_payload_ = std::string(as_text(entry.payload));
    }
  }
}

Status LogWriter::sync() {
  if (broken_) {
    return Error{Errc::drive_failed, 0, "log.sync"};
  }
  if (!unsynced_) {
    return ok();
  }
  if (Status status = file_->sync_data(); !status) {
    return fail(status.error());
  }
  unsynced_ = false;
  for (std::string& path : announced_) {
    pool_->add_free(std::move(path));
  }
  announced_.clear();
  return ok();
}

bool LogWriter::wants_next() const {
  return !pool_->is_ready();
}

Status LogWriter::prepare_next() {
  return pool_->prepare();
}

std::size_t LogWriter::recycle(CommitSeq up_to) {
  std::size_t freed = 0;
  while (segments_.size() > 1 && segments_.front().last <= up_to) {
    retired_.push_back(std::move(segments_.front().path));
    segments_.erase(segments_.begin());
    ++freed;
  }
  return freed;
}

std::uint64_t LogWriter::live_bytes() const {
  return segments_.size() * options_.segment_bytes;
}

}  // namespace mote::erasure
