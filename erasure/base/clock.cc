#include "erasure/base/clock.h"

namespace mote {

std::int64_t SystemClock::wall_ms() const {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Clock::Steady SystemClock::steady() const {
  return std::chrono::steady_clock::now();
}

}  // namespace mote
