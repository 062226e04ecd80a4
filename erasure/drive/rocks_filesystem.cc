#include "erasure/drive/rocks_filesystem.h"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <utility>

namespace mote::erasure {
namespace {

using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using RocksSlice = rocksdb::Slice;

IOStatus io_status(const Error& error, const std::string& path) {
  const std::string text = describe(error);
  switch (error.code) {
    case Errc::no_such_file:
      return IOStatus::PathNotFound(text, path);
    case Errc::no_space: {
      IOStatus status = IOStatus::NoSpace(text, path);
      status.SetRetryable(true);
      return status;
    }
    default:
      return IOStatus::IOError(text, path);
  }
}

IOStatus io_status(const Status& status, const std::string& path) {
  return status ? IOStatus::OK() : io_status(status.error(), path);
}

/// For calls that ask whether a name is there.
IOStatus presence_status(const Error& error, const std::string& path) {
  return error.code == Errc::no_such_file ? IOStatus::NotFound(describe(error), path)
                                          : io_status(error, path);
}

ByteView bytes_of(const RocksSlice& slice) {
  return std::as_bytes(std::span(slice.data(), slice.size()));
}

/// Reads into `scratch` and points `result` at what came.
IOStatus read_at(File& file, const std::string& path, std::uint64_t offset, ByteSpan scratch,
                 RocksSlice* result) {
  const Result<std::size_t> got = file.pread(offset, scratch);
  if (!got) {
    *result = RocksSlice();
    return io_status(got.error(), path);
  }
  *result = RocksSlice(reinterpret_cast<const char*>(scratch.data()), *got);
  return IOStatus::OK();
}

ByteSpan scratch_span(char* scratch, std::size_t size) {
  return std::as_writable_bytes(std::span(scratch, size));
}

/// Used by one thread at a time.
class SequentialFile final : public rocksdb::FSSequentialFile {
 public:
  SequentialFile(std::unique_ptr<File> file, std::string path, bool direct)
      : file_(std::move(file)), path_(std::move(path)), direct_(direct) {}

  IOStatus Read(std::size_t n, const IOOptions&, RocksSlice* result, char* scratch,
                IODebugContext*) override {
    IOStatus status = read_at(*file_, path_, offset_, scratch_span(scratch, n), result);
    offset_ += result->size();
    return status;
  }
  IOStatus PositionedRead(std::uint64_t offset, std::size_t n, const IOOptions&, RocksSlice* result,
                          char* scratch, IODebugContext*) override {
    return read_at(*file_, path_, offset, scratch_span(scratch, n), result);
  }
  IOStatus Skip(std::uint64_t n) override {
    const Result<std::uint64_t> size = file_->size();
    if (!size) {
      return io_status(size.error(), path_);
    }
    offset_ = n > *size - std::min(offset_, *size) ? *size : offset_ + n;
    return IOStatus::OK();
  }
  IOStatus InvalidateCache(std::size_t, std::size_t) override { return IOStatus::OK(); }
  [[nodiscard]] bool use_direct_io() const override { return direct_; }

 private:
  std::unique_ptr<File> file_;
  std::string path_;
  std::uint64_t offset_ = 0;
  bool direct_;
};

class RandomAccessFile final : public rocksdb::FSRandomAccessFile {
 public:
  RandomAccessFile(std::unique_ptr<File> file, std::string path, bool direct)
      : file_(std::move(file)), path_(std::move(path)), direct_(direct) {}

  IOStatus Read(std::uint64_t offset, std::size_t n, const IOOptions&, RocksSlice* result,
                char* scratch, IODebugContext*) const override {
    return read_at(*file_, path_, offset, scratch_span(scratch, n), result);
  }
  IOStatus InvalidateCache(std::size_t, std::size_t) override { return IOStatus::OK(); }
  [[nodiscard]] bool use_direct_io() const override { return direct_; }

 private:
  std::unique_ptr<File> file_;
  std::string path_;
  bool direct_;
};

/// Appends; RocksDB buffers above it. Used by one thread at a time.
class WritableFile final : public rocksdb::FSWritableFile {
 public:
  using FSWritableFile::Append;
  using FSWritableFile::PositionedAppend;

  WritableFile(std::unique_ptr<File> file, std::string path, std::uint64_t size,
               const FileOptions& options)
      : FSWritableFile(options),
        file_(std::move(file)),
        path_(std::move(path)),
        size_(size),
        direct_(options.use_direct_writes) {}

  IOStatus Append(const RocksSlice& data, const IOOptions& options, IODebugContext* dbg) override {
    return PositionedAppend(data, size_, options, dbg);
  }
  IOStatus PositionedAppend(const RocksSlice& data, std::uint64_t offset, const IOOptions&,
                            IODebugContext*) override {
    const Status written = file_->pwrite(offset, bytes_of(data));
    if (written) {
      size_ = offset + data.size();
    }
    return io_status(written, path_);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions&, IODebugContext*) override {
    if (size == size_) {
      return IOStatus::OK();
    }
    const Status done = file_->truncate(size);
    if (done) {
      size_ = size;
    }
    return io_status(done, path_);
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return io_status(file_->sync_data(), path_);
  }
  [[nodiscard]] bool IsSyncThreadSafe() const override { return true; }
  [[nodiscard]] bool use_direct_io() const override { return direct_; }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }
  IOStatus InvalidateCache(std::size_t, std::size_t) override { return IOStatus::OK(); }

 private:
  std::unique_ptr<File> file_;
  std::string path_;
  std::uint64_t size_;
  bool direct_;
};

class RocksDirectory final : public rocksdb::FSDirectory {
 public:
  RocksDirectory(std::unique_ptr<Directory> directory, std::string path)
      : directory_(std::move(directory)), path_(std::move(path)) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return io_status(directory_->sync(), path_);
  }
  IOStatus Close(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }

 private:
  std::unique_ptr<Directory> directory_;
  std::string path_;
};

/// RocksDB's information log. RocksDB's own (EnvLogger) must not be used: Debian builds the library
/// with assertions, and one in WritableFileWriter stops the process at the first line after a
/// failed write. Here a line that cannot be written is lost.
class InfoLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;

  explicit InfoLogger(std::unique_ptr<File> file) : file_(std::move(file)) {}

  void Logv(const char* format, va_list arguments) override {
    std::array<char, kLineBytes> line{};
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const auto millis = static_cast<long long>(now.count());
    std::size_t length =
        static_cast<std::size_t>(std::snprintf(line.data(), line.size(), "%lld ", millis));
    const int text = std::vsnprintf(line.data() + length, line.size() - length, format, arguments);
    if (text < 0) {
      return;
    }
    length = std::min(length + static_cast<std::size_t>(text), line.size() - 1);
    line[length++] = '\n';
    const std::lock_guard lock(mutex_);
    if (file_->pwrite(size_, std::as_bytes(std::span(line).first(length)))) {
      size_ += length;
    }
  }
  [[nodiscard]] std::size_t GetLogFileSize() const override {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(size_);
  }

 private:
  static constexpr std::size_t kLineBytes = 4096;  // longer lines are cut

  mutable std::mutex mutex_;
  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
};

class RocksLock final : public rocksdb::FileLock {
 public:
  explicit RocksLock(std::unique_ptr<erasure::FileLock> lock) : lock_(std::move(lock)) {}

 private:
  std::unique_ptr<erasure::FileLock> lock_;
};

class RocksFileSystem final : public rocksdb::FileSystem {
 public:
  explicit RocksFileSystem(Vfs& vfs) : vfs_(vfs) {}

  [[nodiscard]] const char* Name() const override { return "MoteVfs"; }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             IODebugContext*) override {
    return open_for_reading<SequentialFile>(path, options, result);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               IODebugContext*) override {
    return open_for_reading<RandomAccessFile>(path, options, result);
  }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext*) override {
    return open_for_writing(path, options, true, result);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              IODebugContext*) override {
    return open_for_writing(path, options, false, result);
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* result,
                             IODebugContext*) override {
    result->reset();
    if (const Status renamed = vfs_.rename(old_path, path); !renamed) {
      return io_status(renamed.error(), old_path);
    }
    return open_for_writing(path, options, true, result);
  }
  IOStatus NewLogger(const std::string& path, const IOOptions&,
                     std::shared_ptr<rocksdb::Logger>* result, IODebugContext*) override {
    result->reset();
    OpenOptions how;
    how.write = true;
    how.create = true;
    how.truncate = true;
    auto file = vfs_.open(path, how);
    if (!file) {
      return io_status(file.error(), path);
    }
    *result = std::make_shared<InfoLogger>(std::move(*file));
    return IOStatus::OK();
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&,
                        std::unique_ptr<rocksdb::FSDirectory>* result, IODebugContext*) override {
    result->reset();
    auto directory = vfs_.open_directory(path);
    if (!directory) {
      return io_status(directory.error(), path);
    }
    *result = std::make_unique<RocksDirectory>(std::move(*directory), path);
    return IOStatus::OK();
  }

  IOStatus FileExists(const std::string& path, const IOOptions&, IODebugContext*) override {
    const auto info = vfs_.stat(path);
    return info ? IOStatus::OK() : presence_status(info.error(), path);
  }
  IOStatus GetChildren(const std::string& path, const IOOptions&, std::vector<std::string>* result,
                       IODebugContext*) override {
    result->clear();
    auto names = vfs_.list(path);
    if (!names) {
      return presence_status(names.error(), path);
    }
    *result = std::move(*names);
    return IOStatus::OK();
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) override {
    return io_status(vfs_.unlink(path), path);
  }
  IOStatus Truncate(const std::string& path, std::size_t size, const IOOptions&,
                    IODebugContext*) override {
    OpenOptions options;
    options.write = true;
    auto file = vfs_.open(path, options);
    return file ? io_status((*file)->truncate(size), path) : io_status(file.error(), path);
  }
  IOStatus CreateDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return io_status(vfs_.make_directory(path), path);
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions&, IODebugContext*) override {
    const Status made = vfs_.make_directory(path);
    if (made || made.error().code != Errc::already_exists) {
      return io_status(made, path);
    }
    const auto info = vfs_.stat(path);
    if (!info) {
      return io_status(info.error(), path);
    }
    return info->kind == FileKind::directory ? IOStatus::OK()
                                             : IOStatus::IOError("not a directory", path);
  }
  IOStatus DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return io_status(vfs_.remove_directory(path), path);
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions&, std::uint64_t* size,
                       IODebugContext*) override {
    const auto info = vfs_.stat(path);
    *size = info ? info->bytes : 0;
    return info ? IOStatus::OK() : io_status(info.error(), path);
  }
  IOStatus GetFileModificationTime(const std::string& path, const IOOptions&,
                                   std::uint64_t* seconds, IODebugContext*) override {
    const auto info = vfs_.stat(path);
    *seconds = info ? static_cast<std::uint64_t>(info->modified_ms / 1000) : 0;
    return info ? IOStatus::OK() : io_status(info.error(), path);
  }
  IOStatus IsDirectory(const std::string& path, const IOOptions&, bool* is_directory,
                       IODebugContext*) override {
    const auto info = vfs_.stat(path);
    *is_directory = info && info->kind == FileKind::directory;
    return info ? IOStatus::OK() : io_status(info.error(), path);
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions&,
                      IODebugContext*) override {
    // RocksDB syncs the directory after it has let CURRENT name a new MANIFEST. A power cut in
    // between may keep the rename and lose the name of the MANIFEST, and the database is gone: so
    // names made before go first.
    if (to.ends_with("/CURRENT")) {
      if (const Status synced = vfs_.sync_directory(to.substr(0, to.rfind('/'))); !synced) {
        return io_status(synced, to);
      }
    }
    return io_status(vfs_.rename(from, to), from);
  }
  IOStatus LinkFile(const std::string& from, const std::string& to, const IOOptions&,
                    IODebugContext*) override {
    return io_status(vfs_.link(from, to), from);
  }
  IOStatus LockFile(const std::string& path, const IOOptions&, rocksdb::FileLock** lock,
                    IODebugContext*) override {
    *lock = nullptr;
    auto taken = vfs_.lock(path);
    if (!taken) {
      return io_status(taken.error(), path);
    }
    *lock = new RocksLock(std::move(*taken));  // owned by RocksDB until UnlockFile
    return IOStatus::OK();
  }
  IOStatus UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) override {
    delete lock;
    return IOStatus::OK();
  }
  IOStatus GetFreeSpace(const std::string& path, const IOOptions&, std::uint64_t* free_bytes,
                        IODebugContext*) override {
    const auto info = vfs_.space(path);
    *free_bytes = info ? info->free_bytes : 0;
    return info ? IOStatus::OK() : io_status(info.error(), path);
  }
  /// The engine names databases by absolute paths; a relative one is returned as it is.
  IOStatus GetAbsolutePath(const std::string& path, const IOOptions&, std::string* result,
                           IODebugContext*) override {
    *result = path;
    return IOStatus::OK();
  }
  IOStatus GetTestDirectory(const IOOptions&, std::string*, IODebugContext*) override {
    return IOStatus::NotSupported("GetTestDirectory");
  }

 private:
  template <class FileType, class Base>
  IOStatus open_for_reading(const std::string& path, const FileOptions& options,
                            std::unique_ptr<Base>* result) {
    result->reset();
    OpenOptions how;
    how.direct = options.use_direct_reads;
    auto file = vfs_.open(path, how);
    if (!file) {
      return io_status(file.error(), path);
    }
    *result = std::make_unique<FileType>(std::move(*file), path, options.use_direct_reads);
    return IOStatus::OK();
  }

  IOStatus open_for_writing(const std::string& path, const FileOptions& options, bool truncate,
                            std::unique_ptr<rocksdb::FSWritableFile>* result) {
    result->reset();
    OpenOptions how;
    how.write = true;
    how.create = true;
    how.truncate = truncate;
    how.direct = options.use_direct_writes;
    auto file = vfs_.open(path, how);
    if (!file) {
      return io_status(file.error(), path);
    }
    const Result<std::uint64_t> size = (*file)->size();
    if (!size) {
      return io_status(size.error(), path);
    }
    *result = std::make_unique<WritableFile>(std::move(*file), path, *size, options);
    return IOStatus::OK();
  }

  Vfs& vfs_;
};

class ShortSleepClock final : public rocksdb::SystemClockWrapper {
 public:
  explicit ShortSleepClock(std::chrono::microseconds sleep_max)
      : SystemClockWrapper(rocksdb::SystemClock::Default()), sleep_max_(sleep_max) {}
  [[nodiscard]] const char* Name() const override { return "MoteClock"; }
  void SleepForMicroseconds(int micros) override {
    const auto wanted = std::chrono::microseconds(micros);
    SystemClockWrapper::SleepForMicroseconds(
        static_cast<int>(std::min(wanted, sleep_max_).count()));
  }

 private:
  const std::chrono::microseconds sleep_max_;
};

class RocksEnv final : public rocksdb::EnvWrapper {
 public:
  RocksEnv(Vfs& vfs, std::chrono::microseconds sleep_max)
      : EnvWrapper(rocksdb::NewCompositeEnv(make_rocks_filesystem(vfs))) {
    system_clock_ = std::make_shared<ShortSleepClock>(sleep_max);
  }
  [[nodiscard]] const char* Name() const override { return "MoteEnv"; }
  void SleepForMicroseconds(int micros) override { system_clock_->SleepForMicroseconds(micros); }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_rocks_filesystem(Vfs& vfs) {
  return std::make_shared<RocksFileSystem>(vfs);
}

std::unique_ptr<rocksdb::Env> make_rocks_env(Vfs& vfs, std::chrono::microseconds sleep_max) {
  return std::make_unique<RocksEnv>(vfs, sleep_max);
}

}  // namespace mote::erasure
