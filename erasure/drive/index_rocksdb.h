#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "erasure/base/result.h"
#include "erasure/base/unique_function.h"
#include "erasure/drive/index.h"
#include "erasure/io/vfs.h"

namespace mote::erasure {

/// What the indexes of all drives of a process share: block cache, memtable budget (the two are
/// apart and add up), background threads. Outlives every Index made with it.
class IndexResources {
 public:
  struct Limits {
    std::uint64_t block_cache_bytes = 64 * kMiB;
    std::uint64_t write_buffer_bytes = 256 * kMiB;
    unsigned drives = 1;
  };
  explicit IndexResources(const Limits& limits);
  ~IndexResources();
  IndexResources(const IndexResources&) = delete;
  IndexResources& operator=(const IndexResources&) = delete;

  struct Impl;
  [[nodiscard]] const Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

struct IndexOptions {
  /// For tests on a simulated file system: no automatic compaction, flushes only when asked for.
  bool deterministic = false;
  std::uint64_t memtable_bytes = 64 * kMiB;
  /// Compaction and flush writes, bytes per second; 0: not limited.
  std::uint64_t background_write_rate = 0;
  /// Only formatting creates: a database that vanished is an error, never an empty one.
  bool create = false;
  /// Called once from a background thread when the index turns read-only. Must not call the index.
  UniqueFunction<void(Error)> on_background_error;
  /// Called from background threads after persisted() moved. Must not call back but persisted().
  UniqueFunction<void(CommitSeq)> on_persisted;
};

/// The Index of the drive whose database is in directory `path`, RocksDB with the options of
/// storage.md 2.3 over `vfs`. Blocks. `vfs` and `resources` outlive it. Errors: no_such_file (no
/// database and !create), corrupt, io_error.
Result<std::unique_ptr<Index>> open_index(Vfs& vfs, const std::string& path,
                                          const IndexResources& resources, IndexOptions options);

}  // namespace mote::erasure
