#include <algorithm>

#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

/// How far this lane's index may go. The list drive goes last, so that what it shows is everywhere.
CommitSeq CommitPipeline::Impl::apply_limit_locked(Slot slot) const {
  const Lane& lane = lanes_[slot];
  CommitSeq limit = is_bug(SetBug::apply_before_decided) ? lane.logged : decided_locked();
  if (slot != list_slot_) {
    return limit;
  }
  for (Slot other = 0; other < slots(); ++other) {
    if (other != slot && lanes_[other].member && !lanes_[other].apply_broken) {
      limit = std::min(limit, lanes_[other].applied);
    }
  }
  return limit;
}

void CommitPipeline::Impl::kick_applies_locked() {
  for (Slot slot = 0; slot < slots(); ++slot) {
    kick_apply_locked(slot);
  }
}

void CommitPipeline::Impl::kick_apply_locked(Slot slot) {
  Lane& lane = lanes_[slot];
  if (!lane.member || held_up_ || lane.applying || lane.apply_broken || lane.redo.empty()) {
    return;
  }
  const CommitSeq limit = apply_limit_locked(slot);
  if (lane.redo.front().seq > limit) {
    return;
  }
  lane.applying = true;
  lane.apply_since = context_.clock.steady();
  lane.apply_target = std::max(lane.apply_target, limit);
  lane.drive->drive->apply_executor().post(
      [self = shared_from_this(), slot, life = lane.life, drive = lane.drive] {
        self->run_apply(slot, life, drive);
      });
  arm_watchdog_locked();
}

void CommitPipeline::Impl::run_apply(Slot slot, std::uint64_t life,
                                     const std::shared_ptr<OpenDrive>& drive) {
  std::vector<Redo> taken;
  {
    const Lock lock(mutex_);
    Lane& lane = lanes_[slot];
    if (lane.life != life) {
      return;
    }
    const CommitSeq limit = apply_limit_locked(slot);
    std::uint64_t bytes = 0;
    while (!lane.redo.empty() && lane.redo.front().seq <= limit &&
           (taken.empty() || bytes + lane.redo.front().rows.size() <= group_bytes_max_)) {
      bytes += lane.redo.front().rows.size();
      taken.push_back(std::move(lane.redo.front()));
      lane.redo.pop_front();
    }
    if (!taken.empty()) {
      lane.apply_target = std::max(lane.apply_target, taken.back().seq);
    }
  }
  Status applied = ok();
  if (!taken.empty()) {
    std::vector<ByteView> rows;
    rows.reserve(taken.size());
    for (const Redo& redo : taken) {
      rows.push_back(as_bytes(redo.rows));
    }
    applied = drive->drive->index().apply(rows, taken.back().seq);
    if (applied) {
      reach(CrashPoint::commit_applied);
    }
  }
  Outbox out;
  {
    const Lock lock(mutex_);
    Lane& lane = lanes_[slot];
    if (lane.life != life) {
      return;
    }
    lane.applying = false;
    if (!applied) {
      lane.apply_broken = true;
      fail_lane_locked(slot, applied.error(), true, out);
    } else {
      if (!taken.empty()) {
        lane.applied = taken.back().seq;
      }
      answered_locked(slot, out);
    }
    settle_locked(out);
  }
  out.run();
}

}  // namespace mote::erasure
