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
    settle_locked(out);
  }
  out.run();
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
    dead_ = true;
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

SlotMask CommitPipeline::Impl::readable_current_locked() const {
  SlotMask sound = 0;
  SlotMask behind = 0;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    const bool current = read_only_ ? lane.away_state == DriveState::current && lane.drive
                                    : lane.member && tracker_.effective().current.has(slot) &&
                                          tracker_.newest().current.has(slot);
    if (current) {
      SlotMask& mask = lane.apply_broken ? behind : sound;
      mask = static_cast<SlotMask>(mask | bit(slot));
    }
  }
  return sound != 0 ? sound : behind;
}

/// The current drive that is least far: the others are soon past what it shows.
void CommitPipeline::Impl::choose_list_slot_locked() {
  const SlotMask current = readable_current_locked();
  if (list_slot_ && (current & bit(*list_slot_)) != 0) {
    return;
  }
  list_slot_.reset();
  for (Slot slot = 0; slot < slots(); ++slot) {
    if ((current & bit(slot)) != 0 &&
        (!list_slot_ || lanes_[slot].apply_target < lanes_[*list_slot_].apply_target)) {
      list_slot_ = slot;
    }
  }
}

/// A drive that becomes the list drive may be ahead of others for a moment; until they are there,
/// readers keep the old one and nothing is acknowledged.
bool CommitPipeline::Impl::list_slot_ready_locked() const {
  if (!list_slot_ || read_only_) {
    return true;
  }
  const Lane& list = lanes_[*list_slot_];
  const CommitSeq shows = list.applying ? list.apply_target : list.applied;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (slot != *list_slot_ && lane.member && !lane.apply_broken && lane.applied < shows) {
      return false;
    }
  }
  return true;
}

Member CommitPipeline::Impl::describe_locked(Slot slot, SlotMask current) const {
  const Lane& lane = lanes_[slot];
  Member member;
  member.drive = drive_of(lane.drive);
  member.reason = lane.reason;
  if ((current & bit(slot)) != 0) {
    member.state = DriveState::current;
  } else if (!lane.member) {
    member.state = lane.away_state;
  } else {
    member.state = lane.apply_broken ? DriveState::faulty : DriveState::healing;
  }
  return member;
}

void CommitPipeline::Impl::publish_locked(Outbox& out) {
  choose_list_slot_locked();
  publish_due_ = !list_slot_ready_locked();
  if (publish_due_) {
    return;
  }
  auto members = std::make_shared<Members>();
  members->k = options_.k;
  members->m = options_.m;
  members->current = readable_current_locked();
  members->list_slot = list_slot_;
  members->frozen = frozen_ || dead_;
  members->read_only = read_only_;
  published_ = tracker_.effective().seq;
  members->configuration = published_;
  for (Slot slot = 0; slot < slots(); ++slot) {
    members->slots.push_back(describe_locked(slot, members->current));
    if (members->slots.back().state == DriveState::healing && lanes_[slot].drive) {
      members->healing = static_cast<SlotMask>(members->healing | bit(slot));
    }
    members->full = members->full || (lanes_[slot].member && lanes_[slot].full);
  }
  out.keep(live_.load());
  live_.store(std::move(members));
}

void CommitPipeline::Impl::admit(Slot slot, std::shared_ptr<OpenDrive> drive,
                                 Completion<void> done) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (slot >= slots() || lanes_[slot].member) {
      out.add(std::move(done), Error{Errc::invalid_argument, 0, "pipeline.admit"});
    } else if (stopping_) {
      out.add(std::move(done), Error{Errc::shutting_down, 0, "pipeline.admit"});
    } else if (read_only_ || frozen_ || dead_) {
      out.add(std::move(done), Error{Errc::write_quorum, 0, "pipeline.admit"});
    } else if (joining_) {
      out.add(std::move(done), Error{Errc::overloaded, 0, "pipeline.admit"});
    } else {
      joining_ = Joining{slot, std::move(drive), std::move(done)};
      settle_locked(out);
    }
  }
  out.run();
}

/// A drive joins only when everything numbered is decided: its log begins with the record that
/// admits it.
void CommitPipeline::Impl::try_join_locked(Outbox& out) {
  if (!joining_ || frozen_ || !tracker_.drained()) {
    return;
  }
  Joining joining = std::move(*joining_);
  joining_.reset();
  const auto configuration = tracker_.join(joining.slot);
  if (!configuration) {
    out.add(std::move(joining.done), configuration.error());
    release_held_locked(out);
    return;
  }
  Lane& lane = lanes_[joining.slot];
  Lane fresh;
  fresh.life = lane.life + 1;
  fresh.drive = std::move(joining.drive);
  fresh.member = true;
  fresh.logged = fresh.applied = fresh.apply_target = configuration->seq.prior();
  out.keep(std::move(lane.drive));
  lane = std::move(fresh);
  enqueue_configuration_locked(*configuration,
                               [self = shared_from_this(), slot = joining.slot, life = lane.life,
                                done = std::move(joining.done)](Result<CommitSeq> result) mutable {
                                 self->finish_join(slot, life, std::move(done), std::move(result));
                               });
  publish_due_ = true;
  release_held_locked(out);
}

void CommitPipeline::Impl::finish_join(Slot slot, std::uint64_t life, Completion<void> done,
                                       Result<CommitSeq> result) {
  Status status = ok();
  {
    const Lock lock(mutex_);
    if (!result) {
      status = result.error();
    } else if (lanes_[slot].life != life || !lanes_[slot].member) {
      status = Error{Errc::drive_failed, 0, "pipeline.admit"};
    }
  }
  if (done) {
    done(std::move(status));
  }
}

void CommitPipeline::Impl::abort_join_locked(Error error, Outbox& out) {
  if (joining_) {
    out.keep(std::move(joining_->drive));
    out.add(std::move(joining_->done), error);
    joining_.reset();
  }
  for (Held& held : held_) {
    out.add(std::move(held.done), error);
  }
  held_.clear();
  held_bytes_ = 0;
}

void CommitPipeline::Impl::release_held_locked(Outbox& out) {
  std::deque<Held> held;
  held.swap(held_);
  held_bytes_ = 0;
  for (Held& each : held) {
    if (const Status admissible = admissible_locked(*each.commit); admissible) {
      enqueue_locked(std::move(each.commit), std::move(each.done), out);
    } else {
      out.add(std::move(each.done), admissible.error());
    }
  }
}

void CommitPipeline::Impl::promote(Slot slot, Completion<void> done) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (stopping_) {
      out.add(std::move(done), Error{Errc::shutting_down, 0, "pipeline.promote"});
    } else if (read_only_ || frozen_ || dead_) {
      out.add(std::move(done), Error{Errc::write_quorum, 0, "pipeline.promote"});
    } else if (const auto configuration = tracker_.promote(slot); !configuration) {
      out.add(std::move(done), configuration.error());
    } else {
      enqueue_configuration_locked(
          *configuration, [self = shared_from_this(), slot, life = lanes_[slot].life,
                           done = std::move(done)](Result<CommitSeq> result) mutable {
            self->finish_join(slot, life, std::move(done), std::move(result));
          });
    }
  }
  out.run();
}

CommitPipeline::Impl::SlotView CommitPipeline::Impl::view(Slot slot) const {
  const Lock lock(mutex_);
  const Lane& lane = lanes_[slot];
  const Member member = describe_locked(slot, readable_current_locked());
  return {lane.member, lane.full, member.state, lane.reason, lane.drive};
}

void CommitPipeline::Impl::detach(Slot slot, Error reason) {
  Outbox out;
  {
    const Lock lock(mutex_);
    Lane& lane = lanes_[slot];
    if (!lane.member) {
      out.keep(std::move(lane.drive));
      lane.drive.reset();
      lane.away_state = DriveState::offline;
      lane.reason = reason;
      publish_due_ = true;
      settle_locked(out);
    }
  }
  out.run();
}

}  // namespace mote::erasure
