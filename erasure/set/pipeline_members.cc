#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

namespace {

SlotMask bit(Slot slot) {
  return static_cast<SlotMask>(SlotMask{1} << slot);
}

}  // namespace

SlotMask CommitPipeline::Impl::readable_current_locked() const {
  SlotMask sound = 0;
  SlotMask behind = 0;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    const bool current = read_only_ ? lane.away_state == DriveState::current
                                    : lane.member && tracker_.effective().current.has(slot) &&
                                          tracker_.newest().current.has(slot);
    if (current && lane.drive) {
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
  } else if (!lane.drive) {
    member.state = DriveState::offline;
  } else {
    member.state = lane.apply_broken ? DriveState::faulty : DriveState::healing;
  }
  return member;
}

void CommitPipeline::Impl::publish_locked(Outbox& out) {
  choose_list_slot_locked();
  publish_due_ = !retired_ && !list_slot_ready_locked();
  if (publish_due_ || retired_) {
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
  out.keep(live_->load());
  live_->store(std::move(members));
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
