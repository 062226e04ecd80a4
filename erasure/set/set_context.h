#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "erasure/codec/geometry.h"
#include "erasure/codec/rs_codec.h"
#include "erasure/drive/drive.h"
#include "erasure/io/crash_point.h"
#include "erasure/meta/generations.h"
#include "erasure/set/bucket_table.h"
#include "erasure/set/commit_pipeline.h"
#include "erasure/set/gate.h"
#include "erasure/set/key_locks.h"
#include "erasure/set/members.h"
#include "erasure/set/pin_table.h"
#include "erasure/set/repair_sink.h"

namespace mote::erasure {

/// What the operations of a set are told by the store's options. Sizes in bytes.
struct OperationOptions {
  StorageBorders borders;
  std::uint64_t inline_bytes_max = 128 * kKiB;
  std::uint64_t inline_versioned_max = 16 * kKiB;
  std::uint64_t object_bytes_max = 5 * 1024 * kGiB;
  std::chrono::milliseconds drive_timeout{2000};
  std::chrono::milliseconds hedge_after{50};
  std::chrono::milliseconds garbage_grace{60'000};
  std::chrono::milliseconds garbage_period{10'000};
  std::size_t generation_stripes = 65536;
  std::uint16_t set_id = 0;
};

/// What the set's operations count.
struct SetCounters {
  std::atomic<std::uint64_t> corruption_found{0};
  std::atomic<std::uint64_t> corruption_healed{0};
  std::atomic<std::uint64_t> garbage_removed{0};  ///< shard files unlinked
  std::atomic<std::uint64_t> orphans_found{0};    ///< shard files put into quarantine
};

/// Something that has to let go when the store is taken apart without having ended.
class Abandonable {
 public:
  virtual ~Abandonable() = default;
  virtual void abandon() = 0;
};

/// Who has to be told. Thread-safe.
class AbandonList {
 public:
  void add(std::weak_ptr<Abandonable> each) {
    const std::lock_guard lock(mutex_);
    std::erase_if(all_, [](const std::weak_ptr<Abandonable>& old) { return old.expired(); });
    all_.push_back(std::move(each));
  }
  void abandon_all() {
    std::vector<std::weak_ptr<Abandonable>> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(all_);
    }
    for (const std::weak_ptr<Abandonable>& each : all) {
      if (const std::shared_ptr<Abandonable> alive = each.lock()) {
        alive->abandon();
      }
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Abandonable>> all_;
};

/// What a set's operations share: the drives behind `pipeline`, locks, generations, buckets. Made
/// by the store before the set is opened; `pipeline` is set once, before the first operation.
/// Outlives every operation: each holds a ticket of `gate`.
struct SetContext {
  struct Outside {
    Scheduler& scheduler;
    Clock& clock;
    Rng& rng;
    CrashPoints* crash_points = nullptr;
  };

  SetContext(const Outside& outside_, const Geometry& geometry_, const OperationOptions& options_)
      : outside(outside_),
        geometry(geometry_),
        options(options_),
        codec(geometry_),
        generations(options_.generation_stripes) {}

  [[nodiscard]] std::shared_ptr<const Members> members() const { return pipeline->members(); }
  [[nodiscard]] unsigned drives() const noexcept { return geometry.shards(); }
  [[nodiscard]] std::size_t stripe(std::uint64_t key_hash) const noexcept {
    return generations.stripe(key_hash);
  }
  void reach(CrashPoint point) const {
    if (outside.crash_points != nullptr) {
      outside.crash_points->reach(point);
    }
  }
  /// A copy on some drive is damaged: it is repaired behind the scenes.
  void report_damage(DamagedRow row) {
    counters.corruption_found.fetch_add(1, std::memory_order_relaxed);
    if (repairs != nullptr) {
      repairs->enqueue(std::move(row));
    }
  }

  const Outside outside;
  const Geometry geometry;
  const OperationOptions options;
  const RsCodec codec;
  GenerationTable generations;
  KeyLocks locks;
  BucketTable buckets;
  PinTable pins;
  Gate gate;
  AbandonList streams;
  SetCounters counters;
  CommitPipeline* pipeline = nullptr;
  RepairSink* repairs = nullptr;
};

[[nodiscard]] constexpr SlotMask bit(unsigned slot) noexcept {
  return static_cast<SlotMask>(1U << slot);
}
[[nodiscard]] constexpr bool has(SlotMask mask, unsigned slot) noexcept {
  return ((unsigned{mask} >> slot) & 1U) != 0;
}

}  // namespace mote::erasure
