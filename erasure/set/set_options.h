#pragma once

#include <chrono>
#include <cstdint>

#include "erasure/base/bytes.h"

namespace mote::erasure {

/// Faults that a test switches on to prove that the test bench catches them (reliability.md T-32).
/// The product never sets one.
enum class SetBug : std::uint8_t {
  none,
  ack_before_sync,       ///< completes a commit when it is queued
  apply_before_decided,  ///< applies what one drive has synced
  expel_without_cfg,     ///< drops a drive without the record that says so
  forward_voided,        ///< start-up rolls forward what it has to void
};

/// How one set of drives is run. Sizes in bytes. Fixed while the set is open.
struct SetOptions {
  std::uint8_t k = 1;     ///< data shards
  std::uint8_t m = 0;     ///< parity shards, m <= k
  std::uint16_t set = 0;  ///< number of the set within the deployment

  /// A log write, apply or shard write that takes longer costs the drive its membership
  /// (storage.md 3.4).
  std::chrono::milliseconds expel_after{2000};
  /// Idle time after which a group that holds nothing but the decided mark is written.
  std::chrono::milliseconds idle_mark_after{200};
  /// Period of the root, space and index-health check of every drive.
  std::chrono::milliseconds watch_every{1000};
  /// Period of the attempts to take a drive back that is away.
  std::chrono::milliseconds readmit_every{10000};

  /// Per drive: rendered bytes that wait for a log write. Beyond: Errc::overloaded (INV-12).
  std::uint64_t queue_bytes_max = 64 * kMiB;
  /// One group stops taking commits beyond this many bytes.
  std::uint64_t group_bytes_max = 8 * kMiB;
  std::uint64_t segment_bytes = 16 * kMiB;
  /// Log bytes after which the index is flushed, so that segments can be recycled.
  std::uint64_t flush_log_bytes = 128 * kMiB;
  /// Free space below which a drive counts as full, in thousandths of its size.
  std::uint32_t reserve_permille = 20;

  /// Start although a drive's log is damaged in the middle and there is no other drive to rebuild
  /// it from.
  bool accept_log_loss = false;
  /// Nothing runs outside the scheduler's executors: same seed, same run. Slower; for tests.
  bool deterministic = false;
  SetBug bug = SetBug::none;

  [[nodiscard]] std::uint8_t drives() const noexcept { return static_cast<std::uint8_t>(k + m); }
  /// W = max(k, m + 1): drives that must hold a write (storage.md 3.3).
  [[nodiscard]] std::uint8_t write_quorum() const noexcept {
    return k > m ? k : static_cast<std::uint8_t>(m + 1);
  }
};

}  // namespace mote::erasure
