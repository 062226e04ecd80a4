#include <algorithm>

#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

void CommitPipeline::Impl::arm_watchdog_locked() {
  if (watchdog_armed_) {
    return;
  }
  // The first deadline; those of later work come later still.
  std::optional<Clock::Steady> first;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (!lane.member || lane.suspect) {
      continue;
    }
    for (const auto& [busy, since] :
         {std::pair(lane.logging, lane.log_since), std::pair(lane.applying, lane.apply_since)}) {
      if (busy) {
        first = std::min(first.value_or(since), since);
      }
    }
  }
  if (!first) {
    return;
  }
  watchdog_armed_ = true;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *first + options_.expel_after - context_.clock.steady());
  context_.scheduler.after(
      std::max(left, std::chrono::milliseconds(0)) + std::chrono::milliseconds(1),
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->on_watchdog();
        }
      });
}

void CommitPipeline::Impl::on_watchdog() {
  Outbox out;
  {
    const Lock lock(mutex_);
    watchdog_armed_ = false;
    const Clock::Steady now = context_.clock.steady();
    std::vector<Slot> late;
    for (Slot slot = 0; slot < slots(); ++slot) {
      const Lane& lane = lanes_[slot];
      if (lane.member && !lane.suspect &&
          ((lane.logging && now - lane.log_since > options_.expel_after) ||
           (lane.applying && now - lane.apply_since > options_.expel_after))) {
        late.push_back(slot);
      }
    }
    const Error error{Errc::timed_out, 0, "drive.answer"};
    // If too many are late at once, the machine is late, not the drives: none is expelled.
    const bool machine = tracker_.members().size() < late.size() + options_.write_quorum();
    for (const Slot slot : late) {
      if (machine) {
        freeze_locked(slot, error, false, out);
      } else {
        fail_lane_locked(slot, error, false, out);
      }
    }
    arm_watchdog_locked();
    settle_locked(out);
  }
  out.run();
}

}  // namespace mote::erasure
