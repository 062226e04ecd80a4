#pragma once

#include <chrono>
#include <cstdint>

namespace mote {

/// Time as the engine sees it: injected, never taken from the system directly, so that tests own
/// it.
class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  /// Wall time, milliseconds since 1970-01-01 UTC. May jump; used for Last-Modified only, never for
  /// order.
  [[nodiscard]] virtual std::int64_t wall_ms() const = 0;
  /// Never goes back; used for every deadline.
  [[nodiscard]] virtual Steady steady() const = 0;
};

/// The machine's own clocks.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t wall_ms() const override;
  [[nodiscard]] Steady steady() const override;
};

}  // namespace mote
