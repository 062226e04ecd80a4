#include <algorithm>
#include <bit>

#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {
namespace {

SlotMask bit(Slot slot) {
  return static_cast<SlotMask>(SlotMask{1} << slot);
}

/// A drive that does not answer, or is not where it was, cannot be read either.
DriveState state_after(Error error) {
  return error.code == Errc::timed_out || error.code == Errc::drive_failed ? DriveState::offline
                                                                           : DriveState::faulty;
}

}  // namespace

void CommitPipeline::Impl::report_failure(Slot slot, Error error) {
  Outbox out;
  {
    const Lock lock(mutex_);
    // Below W it stays: its log and index may well be good, and the operation that failed knows.
    if (slot < slots() && lanes_[slot].member && may_leave_locked(slot)) {
      expel_locked(slot, error, out);
      settle_locked(out);
    }
  }
  out.run();
}

void CommitPipeline::Impl::report_no_space(Slot slot) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (slot < slots() && lanes_[slot].member) {
      if (may_leave_locked(slot)) {
        expel_locked(slot, {Errc::no_space, 0, "drive.space"}, out);
      } else {
        lanes_[slot].full = true;
        publish_due_ = true;
      }
      settle_locked(out);
    }
  }
  out.run();
}

void CommitPipeline::Impl::condemn(Slot slot, Error error) {
  Outbox out;
  {
    const Lock lock(mutex_);
    fail_lane_locked(slot, error, true, out);
    if (lanes_[slot].member && lanes_[slot].broken) {
      lose_locked(slot, error, out);
    }
    settle_locked(out);
  }
  out.run();
}

/// A member that cannot be spared is gone, and with it what can be read there.
void CommitPipeline::Impl::lose_locked(Slot slot, Error error, Outbox& out) {
  Lane& lane = lanes_[slot];
  lane.reason = error;
  lane.apply_broken = true;
  lane.logging = lane.applying = false;
  ++lane.life;
  out.keep(std::move(lane.drive));
  lane.drive.reset();
  publish_due_ = true;
  choose_list_slot_locked();
  fail_in_doubt_locked(error, out);
}

void CommitPipeline::Impl::set_full(Slot slot, bool full) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (lanes_[slot].full != full) {
      lanes_[slot].full = full;
      publish_due_ = true;
      settle_locked(out);
    }
  }
  out.run();
}

/// `hard`: it will never answer again. Otherwise it is only late.
void CommitPipeline::Impl::fail_lane_locked(Slot slot, Error error, bool hard, Outbox& out) {
  const Lane& lane = lanes_[slot];
  if (!lane.member || lane.broken || (lane.suspect && !hard)) {
    return;
  }
  if (!may_leave_locked(slot) || !expel_locked(slot, error, out)) {
    freeze_locked(slot, error, hard, out);
  }
}

/// W members and a current one have to remain, and every commit that is not decided has to keep W
/// members that hold its shard files.
bool CommitPipeline::Impl::may_leave_locked(Slot slot) const {
  if (dead_ || !may_expel({options_.k, options_.m}, tracker_.newest(), slot)) {
    return false;
  }
  const auto remaining =
      static_cast<SlotMask>(tracker_.newest().members().bits() & ~unsigned{bit(slot)});
  return std::all_of(in_flight_.begin(), in_flight_.end(), [&](const TicketPtr& ticket) {
    return !ticket->commit || ticket->seq <= tracker_.decided() ||
           std::popcount(static_cast<SlotMask>(remaining & ticket->commit->holders())) >=
               options_.write_quorum();
  });
}

bool CommitPipeline::Impl::expel_locked(Slot slot, Error error, Outbox& out) {
  if (is_bug(SetBug::expel_without_cfg)) {
    leave_locked(lanes_[slot], error, out);
    ghosts_.add(slot);
    tracker_.synced(slot, tracker_.last());
  } else {
    const auto configuration = tracker_.expel(slot);
    if (!configuration) {
      return false;
    }
    leave_locked(lanes_[slot], error, out);
    enqueue_configuration_locked(*configuration, {});
  }
  ++stats_.expelled;
  publish_due_ = true;
  choose_list_slot_locked();
  return true;
}

/// Its queue is dropped whole. What its threads are doing now they do for nobody.
void CommitPipeline::Impl::leave_locked(Lane& lane, Error error, Outbox& out) {
  ++lane.life;
  lane.member = lane.suspect = lane.broken = lane.apply_broken = lane.full = false;
  lane.logging = lane.applying = lane.mark_due = false;
  lane.queue.clear();
  lane.redo.clear();
  out.keep(std::move(lane.writer));
  lane.writer.reset();
  lane.reason = error;
  lane.away_state = state_after(error);
  if (lane.away_state == DriveState::offline) {
    out.keep(std::move(lane.drive));
    lane.drive.reset();
  }
}

/// Fewer than W would remain. Late: everything waits, and a late answer decides. Broken: nothing
/// will be decided any more by this process; what is in doubt is settled at the next start.
void CommitPipeline::Impl::freeze_locked(Slot slot, Error error, bool hard, Outbox& out) {
  Lane& lane = lanes_[slot];
  lane.suspect = true;
  lane.reason = error;
  frozen_ = true;
  publish_due_ = true;
  abort_join_locked({Errc::write_quorum, 0, "pipeline.frozen"}, out);
  if (hard) {
    lane.broken = true;
    if (!dead_) {
      last_applicable_ = tracker_.decided();
      dead_ = true;
    }
    choose_list_slot_locked();
    fail_in_doubt_locked(error, out);
  }
}

/// The drive finished something: if it was late, it is not any more.
void CommitPipeline::Impl::answered_locked(Slot slot, Outbox& out) {
  Lane& lane = lanes_[slot];
  if (!lane.suspect || lane.broken) {
    return;
  }
  const Clock::Steady now = context_.clock.steady();
  if ((lane.logging && now - lane.log_since > options_.expel_after) ||
      (lane.applying && now - lane.apply_since > options_.expel_after)) {
    return;
  }
  lane.suspect = false;
  frozen_ = std::any_of(lanes_.begin(), lanes_.end(),
                        [](const Lane& each) { return each.member && each.suspect; });
  publish_due_ = true;
  kick_log_locked(lane);
  arm_watchdog_locked();
  static_cast<void>(out);
}

}  // namespace mote::erasure
