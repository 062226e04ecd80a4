#include "erasure/set/drive_set_impl.h"

namespace mote::erasure {

void DriveSet::Impl::arm_watch() {
  const std::lock_guard lock(mutex_);
  if (closing_) {
    return;
  }
  watch_timer_ = environment_.scheduler.after(options_.watch_every, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->on_watch();
    }
  });
}

void DriveSet::Impl::on_watch() {
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    watch_drive(slot);
  }
  visit_places();
  arm_watch();
}

void DriveSet::Impl::watch_drive(Slot slot) {
  const auto view = core()->view(slot);
  if (!view.drive) {
    return;
  }
  Health& health = health_[slot];
  const Clock::Steady now = environment_.clock.steady();
  if (health.checking.exchange(true)) {
    if (now - health.since > options_.expel_after + options_.watch_every) {
      core()->report_failure(slot, {Errc::timed_out, 0, "drive.check"});
    }
    return;
  }
  health.since = now;
  view.drive->background->post([weak = weak_from_this(), slot, drive = view.drive] {
    if (const auto self = weak.lock()) {
      self->check_drive(slot, drive);
    }
  });
}

/// On the drive's background threads.
void DriveSet::Impl::check_drive(Slot slot, const std::shared_ptr<OpenDrive>& drive) {
  const Status root = drive->drive->check_root();
  const Status index = drive->drive->index().health();
  const auto space = drive->drive->space();
  if (space) {
    health_[slot].total_bytes = space->total_bytes;
    health_[slot].free_bytes = space->free_bytes;
  }
  health_[slot].checking = false;
  const auto view = core()->view(slot);
  if (view.drive != drive) {
    return;
  }
  if (!root) {
    if (view.member) {
      core()->condemn(slot, root.error());
    } else {
      core()->detach(slot, root.error());
    }
  } else if (!index) {
    core()->report_failure(slot, index.error());
  } else if (space && view.member) {
    judge_space(slot, view.state);
  }
}

bool DriveSet::Impl::is_short(Slot slot, std::uint32_t permille) const {
  const std::uint64_t total = health_[slot].total_bytes;
  return total != 0 && health_[slot].free_bytes / permille < total / 1000;
}

/// A drive that is full while the others have room leaves; when all of them fill up together, the
/// set is full and nobody leaves: what frees space has to reach every drive. Who leaves is decided
/// at the second look, when the others have been looked at too.
void DriveSet::Impl::judge_space(Slot slot, DriveState state) {
  Health& health = health_[slot];
  // A drive that comes back short of space is healed first: that takes away what was deleted
  // meanwhile.
  const std::uint32_t reserve =
      state == DriveState::healing ? options_.reserve_permille / 2 : options_.reserve_permille;
  if (reserve == 0 || !is_short(slot, reserve)) {
    health.short_before = false;
    core()->set_full(slot, false);
    return;
  }
  unsigned roomy = 0;
  for (Slot other = 0; other < options_.drives(); ++other) {
    const bool member = other != slot && core()->view(other).member;
    roomy += member && !is_short(other, 2 * options_.reserve_permille) ? 1U : 0U;
  }
  if (health.short_before.exchange(true) && roomy >= options_.write_quorum()) {
    health.short_before = false;
    core()->report_no_space(slot);
  } else {
    core()->set_full(slot, true);
  }
}

}  // namespace mote::erasure
