#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/base/clock.h"
#include "erasure/base/result.h"
#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "erasure/io/crash_point.h"
#include "erasure/io/vfs.h"
#include "erasure/set/set_options.h"
#include "erasure/store.h"

namespace mote {

/// How an erasure-coded store over local drives is opened. Sizes in bytes.
struct ErasureOptions {
  /// One directory per drive, 1..16; the order does not matter once they are formatted.
  std::vector<std::string> drives;
  /// Parity drives; nullopt: what was formatted, else by drive count (1→0, 2-3→1, 4-5→2, 6-7→3,
  /// 8+→4).
  std::optional<unsigned> parity;
  /// Where a shard lives, by its size: in the head record up to the first border, in the payload
  /// family up to the second, above that in a file (storage.md 3.2; the borders are measured).
  std::uint64_t record_shard_max = 4 * kKiB;
  std::uint64_t payload_shard_max = 64 * kKiB;
  /// Objects up to here are written and read as one buffer; in versioned buckets up to the second.
  std::uint64_t inline_bytes_max = 128 * kKiB;
  std::uint64_t inline_versioned_max = 16 * kKiB;
  /// One block cache for the indexes of all drives.
  std::uint64_t block_cache_bytes = 64 * kMiB;
  /// Everything on one thread and RocksDB without background threads, for replayable tests.
  bool deterministic = false;
  /// A drive that takes longer for a shard write, a sync or an apply is expelled (storage.md 3.4).
  std::chrono::milliseconds drive_timeout{2000};
  /// A read that has not answered by then is asked of another drive as well.
  std::chrono::milliseconds hedge_after{50};
  /// Replaced shard files are kept at least this long for readers that have them open.
  std::chrono::milliseconds garbage_grace{60'000};
  std::chrono::milliseconds garbage_period{10'000};
  /// Shard files from before the opening that nothing refers to go to quarantine after this.
  std::chrono::milliseconds orphan_age{std::chrono::hours(24)};
  /// Period of the attempts to take a drive back that is away.
  std::chrono::milliseconds readmit_every{10'000};
  /// Memory of the indexes' unflushed rows, all drives together.
  std::uint64_t write_buffer_bytes = 256 * kMiB;
  std::uint64_t log_segment_bytes = 16 * kMiB;
  /// A defect switched on to prove the tests (reliability.md T-32); the product never does.
  erasure::SetBug bug = erasure::SetBug::none;
};

/// What the store is built on; all outlive it.
struct ErasureDependencies {
  erasure::Vfs& vfs;
  Scheduler& scheduler;
  Clock& clock;
  Rng& rng;
  erasure::CrashPoints* crash_points = nullptr;
};

/// Opens the drives, formatting them if all are blank, and recovers (storage.md 3.5). Blocks. The
/// store serves when this returns; healing goes on behind it. Errors: drive_locked, wrong_drive,
/// unsupported, read_quorum (fewer than k drives can answer), corrupt, invalid_argument, io_error.
/// `problem`, if not null, gets a sentence for the operator that names the drives.
Result<std::unique_ptr<ObjectStore>> open_erasure_store(const ErasureOptions& options,
                                                        const ErasureDependencies& dependencies,
                                                        std::string* problem = nullptr);

}  // namespace mote
