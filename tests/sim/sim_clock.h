#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "erasure/base/clock.h"

namespace mote::sim {

/// A clock that moves only when a test moves it. Thread-safe.
class SimClock final : public Clock {
 public:
  static constexpr std::int64_t kStartWallMs =
      1'700'000'000'000;  // 2023-11-14, an arbitrary past day

  [[nodiscard]] std::int64_t wall_ms() const override {
    return kStartWallMs + now_ms_ + wall_shift_ms_;
  }
  [[nodiscard]] Steady steady() const override {
    return Steady{} + std::chrono::milliseconds(now_ms_.load());
  }

  void advance(std::chrono::milliseconds by) { now_ms_ += by.count(); }
  /// Moves the wall clock only, also backwards.
  void jump_wall(std::chrono::milliseconds by) { wall_shift_ms_ += by.count(); }
  /// Milliseconds since the clock was made.
  [[nodiscard]] std::int64_t now_ms() const { return now_ms_; }

 private:
  std::atomic<std::int64_t> now_ms_{0};
  std::atomic<std::int64_t> wall_shift_ms_{0};
};

}  // namespace mote::sim
