#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "erasure/base/clock.h"
#include "erasure/base/result.h"
#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "erasure/drive/index.h"
#include "erasure/drive/index_rocksdb.h"
#include "erasure/drive/shard_files.h"
#include "erasure/io/crash_point.h"
#include "erasure/io/vfs.h"
#include "erasure/meta/drive_label.h"

namespace mote::erasure {

/// What is found at a path that is to be a drive, before anything is changed there.
enum class DriveContent : std::uint8_t {
  blank,       ///< an empty directory
  formatting,  ///< a first format was interrupted: no data, format() may run again
  formatted,   ///< has a readable label
};

struct DriveProbe {
  DriveContent content = DriveContent::blank;
  DriveLabel label;  ///< with `formatted`
  bool from_backup =
      false;  ///< the label came from .sys/format.bak; .sys/format is damaged or gone
  bool mount_missing =
      false;  ///< was a mount point when formatted and is none now: treat as absent
  bool is_mount_point = false;
};

/// What a drive needs of its surroundings; all of it outlives the drive.
struct DriveContext {
  Vfs& vfs;
  Scheduler& scheduler;
  Rng& rng;
  const IndexResources& resources;
  CrashPoints* crash = nullptr;
  bool deterministic_format =
      false;  ///< IndexOptions::deterministic for the index that format() makes
};

struct DriveOptions {
  IndexOptions index;  ///< `create` is ignored: only format() creates
  std::size_t read_threads = 2;
  std::size_t write_threads = 2;
};

/// One drive in use: its lock, label, index, shard files and threads. Knows nothing of other
/// drives, sets, quorums or the commit log (whose files live in log_directory()). Construction and
/// destruction block. Its threads serve this drive only, so that a hung drive holds up nothing else
/// (storage.md 5).
class Drive {
 public:
  /// Looks without changing anything. Errors: no_such_file (no such directory), wrong_drive (the
  /// directory is not empty and no drive of ours), corrupt (label and backup damaged), unsupported,
  /// io_error.
  static Result<DriveProbe> probe(Vfs& vfs, const std::string& path);
  /// Makes a blank (or half-formatted) directory a drive: skeleton, empty index, label last, each
  /// step durable before the next. Errors: as probe(); wrong_drive if it is formatted;
  /// drive_locked.
  static Status format(const DriveContext& context, const std::string& path,
                       const DriveLabel& label);
  /// Locks and opens a formatted drive. Errors: as probe(); drive_locked; wrong_drive if it is not
  /// formatted; drive_failed if its mount is missing.
  static Result<std::unique_ptr<Drive>> open(const DriveContext& context, const std::string& path,
                                             DriveOptions options);

  ~Drive();
  Drive(const Drive&) = delete;
  Drive& operator=(const Drive&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const DriveLabel& label() const noexcept { return label_; }
  [[nodiscard]] std::string log_directory() const { return path_ + "/log"; }
  [[nodiscard]] std::string quarantine_directory() const { return path_ + "/quarantine"; }
  [[nodiscard]] Vfs& vfs() const noexcept { return context_.vfs; }
  [[nodiscard]] CrashPoints* crash_points() const noexcept { return context_.crash; }
  [[nodiscard]] Index& index() noexcept { return *index_; }
  [[nodiscard]] const Index& index() const noexcept { return *index_; }
  [[nodiscard]] ShardFiles& shard_files() noexcept { return *shard_files_; }

  /// Serial: groups of the commit log. Serial: rows into the index. Pools: blocking reads; shard
  /// writes.
  [[nodiscard]] Executor& log_executor() noexcept { return *log_; }
  [[nodiscard]] Executor& apply_executor() noexcept { return *apply_; }
  [[nodiscard]] Executor& reads() noexcept { return *reads_; }
  [[nodiscard]] Executor& writes() noexcept { return *writes_; }

  /// Compares the path with the directory that was opened. drive_failed if it was renamed, removed,
  /// unmounted or replaced, although old handles still work (storage.md 3.1). Blocks; to be called
  /// about once a second.
  [[nodiscard]] Status check_root() const;
  [[nodiscard]] Result<SpaceInfo> space() const;

  /// Ends the threads (waits for their tasks; do not call on a hung drive) and closes everything.
  /// No flush. Called by the destructor if it was not called before.
  void close();

 private:
  Drive(const DriveContext& context, std::string path, const DriveLabel& label);
  Status open_files(bool restore_label, IndexOptions index_options);

  DriveContext context_;
  std::string path_;
  DriveLabel label_;
  FileInfo root_info_;
  std::unique_ptr<FileLock> lock_;
  std::unique_ptr<Directory> root_;
  std::unique_ptr<Index> index_;
  std::unique_ptr<ShardFiles> shard_files_;
  std::unique_ptr<Executor> log_;
  std::unique_ptr<Executor> apply_;
  std::unique_ptr<Executor> reads_;
  std::unique_ptr<Executor> writes_;
};

}  // namespace mote::erasure
