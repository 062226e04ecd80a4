#include "erasure/drive/shard_files.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/drive/shard_file_header.h"

namespace mote::erasure {
namespace {

constexpr std::uint64_t kFirstDirectory = 1;

std::optional<std::uint64_t> parse_dirno(const std::string& name) {
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc{} || stop != end || std::to_string(number) != name) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

// --- directories and arrivals ---

ShardFiles::ShardFiles(Vfs& vfs, std::string root, std::string quarantine, Rng& rng,
                       CrashPoints* crash)
    : vfs_(vfs),
      root_(std::move(root)),
      quarantine_(std::move(quarantine)),
      rng_(rng),
      crash_(crash) {}

Result<std::unique_ptr<ShardFiles>> ShardFiles::open(Vfs& vfs, std::string root,
                                                     std::string quarantine, Rng& rng,
                                                     CrashPoints* crash) {
  std::unique_ptr<ShardFiles> files(
      new ShardFiles(vfs, std::move(root), std::move(quarantine), rng, crash));
  const Result<std::vector<std::uint64_t>> found = files->directories(0);
  if (!found) {
    return found.error();
  }
  std::uint64_t next = kFirstDirectory;
  if (!found->empty()) {
    const Result<std::vector<std::string>> last = vfs.list(files->path_of(found->back()));
    if (!last) {
      return last.error();
    }
    next = last->empty() ? found->back() : found->back() + 1;
  }
  Result<std::shared_ptr<Arrivals>> made = files->prepare(next);
  if (!made) {
    return made.error();
  }
  files->arrivals_.emplace(next, std::move(*made));
  files->current_ = next;
  return files;
}

std::string ShardFiles::path_of(std::uint64_t dirno) const {
  return root_ + "/" + std::to_string(dirno);
}

std::string ShardFiles::path_of(const ShardFileId& id) const {
  return path_of(id.dirno) + "/" + shard_file_name(id.file);
}

Result<std::shared_ptr<ShardFiles::Arrivals>> ShardFiles::prepare(std::uint64_t dirno) {
  const std::string path = path_of(dirno);
  const Status made = vfs_.make_directory(path);
  if (!made && made.error().code != Errc::already_exists) {
    return made.error();
  }
  auto directory = vfs_.open_directory(path);
  if (!directory) {
    return directory.error();
  }
  Status synced = (*directory)->sync();
  if (synced) {
    synced = vfs_.sync_directory(root_);
  }
  if (!synced) {
    return fail_writes(synced.error());
  }
  auto arrivals = std::make_shared<Arrivals>();
  arrivals->directory = std::move(*directory);
  return arrivals;
}

Status ShardFiles::prepare_next(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t next = current_ + 1;
  preparing_ = true;
  lock.unlock();
  Result<std::shared_ptr<Arrivals>> made = prepare(next);
  lock.lock();
  preparing_ = false;
  changed_.notify_all();
  if (!made) {
    return made.error();
  }
  arrivals_.emplace(next, std::move(*made));
  return ok();
}

Result<std::uint64_t> ShardFiles::take_place() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (failed_) {
      return *failed_;
    }
    const bool next_ready = arrivals_.count(current_ + 1) != 0;
    // Ahead of its use: half a directory is time enough.
    const bool next_due = placed_ >= kFilesPerDirectory / 2 && !next_ready;
    if (next_due && !preparing_) {
      const Status made = prepare_next(lock);
      if (!made) {
        return made.error();
      }
    } else if (placed_ < kFilesPerDirectory) {
      ++placed_;
      ++arrivals_.at(current_)->writers;
      return current_;
    } else if (next_ready) {
      begin_next();
    } else {
      changed_.wait(lock);
    }
  }
}

void ShardFiles::begin_next() {
  const auto full = arrivals_.find(current_);
  if (full->second->writers == 0) {
    arrivals_.erase(full);
  }
  ++current_;
  placed_ = 0;
}

void ShardFiles::leave(std::uint64_t dirno) {
  const std::lock_guard lock(mutex_);
  const auto found = arrivals_.find(dirno);
  MOTE_CHECK(found != arrivals_.end());
  if (--found->second->writers == 0 && dirno < current_) {
    arrivals_.erase(found);
  }
}

Status ShardFiles::sync_arrivals(std::uint64_t dirno) {
  std::unique_lock lock(mutex_);
  Arrivals& arrivals = *arrivals_.at(dirno);  // the caller is a writer in it, so it stays
  const std::uint64_t ticket = ++arrivals.joined;
  while (true) {
    if (arrivals.synced >= ticket) {
      return ok();
    }
    if (failed_) {
      return *failed_;
    }
    if (arrivals.syncing) {
      changed_.wait(lock);
      continue;
    }
    arrivals.syncing = true;
    const std::uint64_t covered = arrivals.joined;
    lock.unlock();
    const Status synced = arrivals.directory->sync();
    lock.lock();
    arrivals.syncing = false;
    if (synced) {
      arrivals.synced = covered;
    } else if (!failed_) {
      failed_ = synced.error();
    }
    changed_.notify_all();
  }
}

Error ShardFiles::fail_writes(Error error) {
  const std::lock_guard lock(mutex_);
  if (!failed_) {
    failed_ = error;
  }
  changed_.notify_all();
  return error;
}

std::optional<Error> ShardFiles::write_failure() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void ShardFiles::reach(CrashPoint point) {
  if (crash_ != nullptr) {
    crash_->reach(point);
  }
}

std::uint64_t ShardFiles::arrival_directory() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [dirno, arrivals] : arrivals_) {
    if (arrivals->writers > 0) {
      return dirno;
    }
  }
  return current_;
}

Result<std::vector<std::uint64_t>> ShardFiles::directories(std::uint64_t from) const {
  const Result<std::vector<std::string>> names = vfs_.list(root_);
  if (!names) {
    return names.error();
  }
  std::vector<std::uint64_t> found;
  for (const std::string& name : *names) {
    const auto dirno = parse_dirno(name);
    if (dirno && *dirno >= from) {
      found.push_back(*dirno);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::vector<ShardFileId>> ShardFiles::files(std::uint64_t dirno) const {
  const Result<std::vector<std::string>> names = vfs_.list(path_of(dirno));
  if (!names) {
    return names.error();
  }
  std::vector<ShardFileId> found;
  for (const std::string& name : *names) {
    if (const auto file = parse_shard_file_name(name)) {
      found.push_back({*file, dirno});
    }
  }
  return found;
}

// --- files ---

Result<std::unique_ptr<ShardFileWriter>> ShardFiles::create(const ShardFileHeader& header) {
  MOTE_CHECK(header.object_bytes > 0);
  MOTE_CHECK(header.geometry.valid() && header.shard_index < header.geometry.shards());
  const Result<std::uint64_t> dirno = take_place();
  if (!dirno) {
    return dirno.error();
  }
  const ShardFileId id{rng_.uuid(), *dirno};
  OpenOptions options;
  options.read = false;
  options.write = true;
  options.create = true;
  options.exclusive = true;
  auto file = vfs_.open(path_of(id), options);
  if (!file) {
    leave(*dirno);
    return file.error();
  }
  std::unique_ptr<ShardFileWriter> writer(new ShardFileWriter(*this, id, header, std::move(*file)));
  const std::string bytes = encode_shard_header(id.file, header);
  const Status written = writer->file_->pwrite(0, as_bytes(bytes));
  if (!written) {
    return written.error();
  }
  return writer;
}

Result<std::shared_ptr<ShardFileReader>> ShardFiles::open_reader(const ShardFileId& id) const {
  auto file = vfs_.open(path_of(id), OpenOptions{});
  if (!file) {
    return file.error();
  }
  std::string bytes(kShardFileAlign, '\0');
  const Result<std::size_t> got =
      (*file)->pread(0, std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
  if (!got) {
    return got.error();
  }
  const Result<ShardFileHeader> header =
      decode_shard_header(as_bytes(std::string_view(bytes).substr(0, *got)), id.file);
  if (!header) {
    return header.error();
  }
  const Result<std::uint64_t> size = (*file)->size();
  if (!size) {
    return size.error();
  }
  if (*size != header->geometry.shard_file_bytes(header->object_bytes)) {
    return Error{Errc::corrupt, 0, "shard_file.length"};
  }
  return std::shared_ptr<ShardFileReader>(new ShardFileReader(*header, std::move(*file)));
}

Status ShardFiles::unlink(const ShardFileId& id) {
  const Status removed = vfs_.unlink(path_of(id));
  return !removed && removed.error().code == Errc::no_such_file ? ok() : removed;
}

Status ShardFiles::quarantine(const ShardFileId& id) {
  const Status moved = vfs_.rename(path_of(id), quarantine_ + "/" + shard_file_name(id.file));
  if (!moved) {
    return moved;
  }
  // The new name first: at no time is the file under neither.
  Status synced = vfs_.sync_directory(quarantine_);
  if (synced) {
    synced = vfs_.sync_directory(path_of(id.dirno));
  }
  return synced ? ok() : Status(fail_writes(synced.error()));
}

// --- writer ---

ShardFileWriter::ShardFileWriter(ShardFiles& files, ShardFileId id, const ShardFileHeader& header,
                                 std::unique_ptr<File> file)
    : files_(files), id_(id), header_(header), file_(std::move(file)) {}

ShardFileWriter::~ShardFileWriter() {
  if (!kept_) {
    file_.reset();
    (void)files_.unlink(id_);  // what stays is an orphan, found by the scan at start
  }
  files_.leave(id_.dirno);
}

Status ShardFileWriter::append(ByteView shard) {
  const Geometry& geometry = header_.geometry;
  const std::uint64_t stripe = sums_.size();
  if (kept_ || stripe >= geometry.stripe_count(header_.object_bytes) ||
      shard.size() != geometry.shard_bytes(geometry.stripe_length(header_.object_bytes, stripe))) {
    return Error{Errc::invalid_argument, 0, "shard_file.append"};
  }
  const Status written = file_->pwrite(geometry.shard_offset(stripe), shard);
  if (written) {
    sums_.push_back(payload_sum(shard));
  }
  return written;
}

Status ShardFileWriter::sync_early() {
  if (const std::optional<Error> failed = files_.write_failure()) {
    return *failed;
  }
  const Status synced = file_->sync_data();
  return synced ? ok() : Status(files_.fail_writes(synced.error()));
}

Status ShardFileWriter::finish() {
  const Geometry& geometry = header_.geometry;
  if (kept_ || sums_.size() != geometry.stripe_count(header_.object_bytes)) {
    return Error{Errc::invalid_argument, 0, "shard_file.finish"};
  }
  if (geometry.has_trailer(header_.object_bytes)) {
    const std::string trailer = encode_shard_trailer(sums_);
    const Status written =
        file_->pwrite(geometry.trailer_offset(header_.object_bytes), as_bytes(trailer));
    if (!written) {
      return written;
    }
  }
  files_.reach(CrashPoint::shard_written);
  const Status synced = sync_early();
  if (!synced) {
    return synced;
  }
  files_.reach(CrashPoint::shard_synced);
  const Status named = files_.sync_arrivals(id_.dirno);
  if (!named) {
    return named;
  }
  files_.reach(CrashPoint::shard_name_synced);
  kept_ = true;
  return ok();
}

void ShardFileWriter::discard() {
  kept_ = false;
}

// --- reader ---

Status ShardFileReader::read_stripe(std::uint64_t stripe, ByteSpan out) const {
  const Geometry& geometry = header_.geometry;
  if (stripe >= geometry.stripe_count(header_.object_bytes) ||
      out.size() != geometry.shard_bytes(geometry.stripe_length(header_.object_bytes, stripe))) {
    return Error{Errc::invalid_argument, 0, "shard_file.read"};
  }
  const Result<std::size_t> got = file_->pread(geometry.shard_offset(stripe), out);
  if (!got) {
    return got.error();
  }
  return *got == out.size() ? ok() : Status(Error{Errc::corrupt, 0, "shard_file.short"});
}

Result<std::vector<Sum128>> ShardFileReader::read_sums() const {
  const Geometry& geometry = header_.geometry;
  if (!geometry.has_trailer(header_.object_bytes)) {
    return Error{Errc::corrupt, 0, "shard_file.no_trailer"};
  }
  const std::uint64_t count = geometry.stripe_count(header_.object_bytes);
  const std::uint64_t offset = geometry.trailer_offset(header_.object_bytes);
  std::string bytes(geometry.shard_file_bytes(header_.object_bytes) - offset, '\0');
  const Result<std::size_t> got =
      file_->pread(offset, std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
  if (!got) {
    return got.error();
  }
  return decode_shard_trailer(as_bytes(std::string_view(bytes).substr(0, *got)), count);
}

}  // namespace mote::erasure
