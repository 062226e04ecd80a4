#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace mote {

/// Something that happens once, for callers that may block: opening and closing a store, and tests.
/// Wait through Scheduler::wait(), so that a simulated scheduler can run what is waited for.
class Event {
 public:
  void set() {
    // Notified under the lock: the waiter may destroy the event as soon as it sees it set.
    const std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  [[nodiscard]] bool is_set() const {
    const std::lock_guard lock(mutex_);
    return set_;
  }
  /// False if `limit` passed first.
  bool wait_for(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return set_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace mote
