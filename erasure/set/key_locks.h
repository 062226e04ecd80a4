#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "erasure/base/unique_function.h"

namespace mote::erasure {

enum class LockMode : std::uint8_t { shared, exclusive };

/// What a lock is on: a bucket (by name) or a stripe of keys (the stripes of GenerationTable).
/// Buckets sort before stripes, which is the order in which they are taken.
class LockId {
 public:
  static LockId bucket(std::string_view name) noexcept;
  static LockId stripe(std::size_t stripe) noexcept;
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }
  friend auto operator<=>(const LockId&, const LockId&) = default;

 private:
  explicit LockId(std::uint64_t value) : value_(value) {}
  std::uint64_t value_;
};

/// Asynchronous first-come-first-served locks (storage.md 3.4, step 2). No thread ever waits:
/// whoever has to wait leaves a function, which the releasing thread runs. A wait cannot be
/// cancelled, so there is no half-taken state; a waiter that lost interest releases at once when
/// its turn comes. Thread-safe. Must outlive every Held.
class KeyLocks {
  struct Grant;

 public:
  struct Want {
    LockId id;
    LockMode mode = LockMode::exclusive;
  };

  /// Owns taken locks; its destruction releases them and runs whoever is next.
  class Held {
   public:
    Held() = default;
    ~Held() { release(); }
    Held(Held&& other) noexcept;
    Held& operator=(Held&& other) noexcept;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    void release();
    [[nodiscard]] bool holds() const noexcept { return locks_ != nullptr; }

   private:
    friend class KeyLocks;
    KeyLocks* locks_ = nullptr;
    std::vector<Want> taken_;
  };

  using Granted = UniqueFunction<void(Held)>;

  KeyLocks() = default;
  ~KeyLocks();
  KeyLocks(const KeyLocks&) = delete;
  KeyLocks& operator=(const KeyLocks&) = delete;

  /// Nobody waits any more: waiters, now and later, are destroyed instead of run, so that nothing
  /// is begun while the store is taken apart.
  void close();

  /// Takes one lock and runs `granted`, inside the call if the lock is free.
  void acquire(LockId id, LockMode mode, Granted granted);
  /// Takes several, sorted and without duplicates (the stronger mode wins), one after the other.
  void acquire_all(std::vector<Want> wants, Granted granted);

 private:
  struct Waiter {
    LockMode mode = LockMode::exclusive;
    UniqueFunction<void()> granted;
  };
  struct Lock {
    std::uint32_t holders = 0;
    bool exclusive = false;
    std::deque<Waiter> waiters;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Lock> locks;  // only those that are taken
  };
  static constexpr std::size_t kShards = 64;  // few threads meet in one of 64 mutexes

  Shard& shard_of(LockId id) { return shards_[id.value() % kShards]; }
  /// True if taken at once; otherwise `granted` is queued.
  bool take_or_queue(const Want& want, UniqueFunction<void()>& granted);
  void release(const Want& want);
  void take_next(std::shared_ptr<Grant> grant);

  std::array<Shard, kShards> shards_;
  std::atomic<bool> closed_{false};
};

}  // namespace mote::erasure
