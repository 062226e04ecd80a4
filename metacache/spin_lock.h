#pragma once

#include <atomic>
#include <thread>

namespace mote::metacache {

/// A one-byte lock for sections of a few dozen instructions that never block or allocate much.
/// BasicLockable.
class SpinLock {
 public:
  void lock() noexcept {
    for (int spins = 0; held_.exchange(true, std::memory_order_acquire);) {
      while (held_.load(std::memory_order_relaxed)) {
        if (++spins > kSpinsBeforeYield) {
          std::this_thread::yield();  // the holder may have lost its core
        }
      }
    }
  }
  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  static constexpr int kSpinsBeforeYield = 64;
  std::atomic<bool> held_{false};
};

}  // namespace mote::metacache
