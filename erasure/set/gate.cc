#include "erasure/set/gate.h"

#include "erasure/base/check.h"

namespace mote::erasure {

std::optional<Gate::Ticket> Gate::enter() {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return std::nullopt;
  }
  ++inside_;
  return Ticket(this);
}

void Gate::leave() {
  const std::lock_guard lock(mutex_);
  MOTE_CHECK(inside_ > 0);
  if (--inside_ == 0) {
    // Notified under the lock: whoever waits may destroy the gate as soon as it has the lock.
    idle_.notify_all();
  }
}

void Gate::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool Gate::wait_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, timeout, [this] { return inside_ == 0; });
}

}  // namespace mote::erasure
