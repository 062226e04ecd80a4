#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"

namespace mote::erasure {

/// What kind of name a path is.
enum class FileKind : std::uint8_t { file, directory, other };

struct FileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t bytes = 0;
  std::uint64_t device = 0;  ///< with `inode`, the identity of what the path names now
  std::uint64_t inode = 0;
  std::int64_t modified_ms =
      0;  ///< wall clock of the last write, for display and RocksDB's log rolling
};

struct SpaceInfo {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct OpenOptions {
  bool read = true;
  bool write = false;
  bool create = false;     ///< create if it is not there
  bool exclusive = false;  ///< with create: already_exists if it is there
  bool truncate = false;
  bool direct =
      false;  ///< O_DIRECT where the file system and the bytes' alignment allow it; a hint
};

/// An open file. Positional reads and writes may run on several threads at once. Every call blocks
/// and belongs on a drive's own thread. Closing happens in the destructor and reports nothing:
/// whoever needs to know synced before.
class File {
 public:
  virtual ~File() = default;
  /// Reads up to out.size() bytes at `offset`; short only at the end of the file. Returns bytes
  /// read.
  virtual Result<std::size_t> pread(std::uint64_t offset, ByteSpan out) = 0;
  /// Writes all of `data` at `offset`, extending the file as needed. Durable only after
  /// sync_data().
  virtual Status pwrite(std::uint64_t offset, ByteView data) = 0;
  /// fdatasync: when ok, every byte written before the call, and the size needed to read them, is
  /// on stable storage. Not the file's name. Never retried after a failure (INV-5).
  virtual Status sync_data() = 0;
  virtual Status truncate(std::uint64_t bytes) = 0;
  /// Reserves space for [0, bytes) and sets the size; the new bytes read as zero.
  virtual Status allocate(std::uint64_t bytes) = 0;
  virtual Result<std::uint64_t> size() = 0;
};

/// An exclusive claim on a path, held until destroyed (flock, so that it dies with the process).
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// An open directory: the identity of a drive's root while it is in use.
class Directory {
 public:
  virtual ~Directory() = default;
  /// fsync of the directory: names created, renamed and removed in it before the call are durable.
  virtual Status sync() = 0;
  /// Identity of the open directory itself, to compare with what its path names now.
  virtual Result<FileInfo> info() = 0;
};

/// Every file-system call of the engine and, through RocksFileSystem, of RocksDB: one place to
/// audit, to fail and to cut power. Paths are absolute or relative to the process, '/'-separated,
/// and made by the engine alone (INV-9: never from a client's key). Thread-safe. Errors:
/// no_such_file, already_exists, no_space, io_error (with errno). Nothing here retries a sync.
class Vfs {
 public:
  virtual ~Vfs() = default;
  virtual Result<std::unique_ptr<File>> open(const std::string& path,
                                             const OpenOptions& options) = 0;
  virtual Result<std::unique_ptr<Directory>> open_directory(const std::string& path) = 0;
  virtual Result<FileInfo> stat(const std::string& path) = 0;
  /// Names in a directory, without "." and "..", in no order.
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
  /// Creates one directory; already_exists if the name is taken.
  virtual Status make_directory(const std::string& path) = 0;
  /// Atomic replace within one file system. Durable after sync() of the directories.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status link(const std::string& from, const std::string& to) = 0;
  virtual Status unlink(const std::string& path) = 0;
  virtual Status remove_directory(const std::string& path) = 0;
  virtual Result<SpaceInfo> space(const std::string& path) = 0;
  /// Takes an exclusive lock on `path`, creating the file; drive_locked if another holder has it.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;
  /// True if `path` is the root of a mounted file system.
  virtual Result<bool> is_mount_point(const std::string& path) = 0;

  /// Convenience on the above: fsync of the directory `path`.
  Status sync_directory(const std::string& path);
};

/// Writes `data` to `path` so that after ok the whole new content is durable and after a crash
/// either the old or the new content is there: temporary file, sync, rename, directory sync.
Status write_file_atomically(Vfs& vfs, const std::string& path, ByteView data);
/// The whole content of a small file; too_large beyond `bytes_max`.
Result<std::string> read_file(Vfs& vfs, const std::string& path, std::uint64_t bytes_max);

}  // namespace mote::erasure
