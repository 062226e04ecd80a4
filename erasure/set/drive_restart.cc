#include "erasure/set/drive_set_impl.h"

namespace mote::erasure {
namespace {

/// What is in the way of a restart, a write that ends or an index that is closed, is soon gone.
constexpr unsigned kAttemptsMax = 100;
constexpr std::chrono::milliseconds kAttemptEvery{50};

}  // namespace

/// What is there of a set that cannot write.
struct DriveSet::Impl::Census {
  SlotSet open;    ///< still open and sound
  SlotSet broken;  ///< open, and its index will not do: to be opened afresh
  std::array<std::string, kSlotsMax> back;  ///< where a drive lies that is not open
  SlotSet returned;                         ///< slots of `back`
};

/// A set that is stuck is looked at with every watch: as soon as enough drives are there it is
/// recovered as at a start, without one.
void DriveSet::Impl::consider_restart() {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || restarting_ || environment_.clock.steady() < next_restart_) {
      return;
    }
    restarting_ = true;
    restarter_->post([self = shared_from_this()] { self->restart({}); });
  }
}

void DriveSet::Impl::post_restart(Adoption adoption) {
  std::unique_lock lock(mutex_);
  if (!closing_) {
    restarter_->post([self = shared_from_this(), adoption = std::move(adoption)]() mutable {
      self->restart(std::move(adoption));
    });
    return;
  }
  lock.unlock();
  adoption.done(Error{Errc::shutting_down, 0, "set.replace"});
}

/// On the restarter's thread.
void DriveSet::Impl::restart(Adoption adoption) {
  if (adoption.done && !core()->is_stuck()) {  // it came to write meanwhile
    replace(adoption.path, std::move(adoption.done));
    return;
  }
  const Status done = try_restart(adoption.path);
  if (adoption.done && !done && done.error().code == Errc::overloaded &&
      ++adoption.attempts < kAttemptsMax) {
    environment_.scheduler.after(
        kAttemptEvery, [self = shared_from_this(), adoption = std::move(adoption)]() mutable {
          self->post_restart(std::move(adoption));
        });
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    restarting_ = restarting_ && static_cast<bool>(adoption.done);
    if (!done && done.error().code != Errc::overloaded && done.error().code != Errc::write_quorum) {
      next_restart_ = environment_.clock.steady() + options_.readmit_every;
    }
  }
  if (adoption.done) {
    adoption.done(done);
  }
}

DriveSet::Impl::Census DriveSet::Impl::take_census() {
  Census census;
  // What a read-only set shows lies in the memory of its indexes, also what more drives may prove
  // void: those are opened afresh.
  const bool clean = !core()->members()->read_only;
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    const auto view = core()->view(slot);
    if (view.drive && view.drive->drive->check_root()) {
      const bool usable = clean && view.drive->drive->index().health();
      (usable ? census.open : census.broken).add(slot);
    }
  }
  std::vector<std::string> paths;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& place : places_) {
      paths.push_back(place->path);
    }
  }
  for (const std::string& path : paths) {
    const auto probe = Drive::probe(environment_.vfs, path);
    if (!is_ours(probe)) {
      continue;
    }
    const Slot slot = probe->label.slot;
    if (!core()->view(slot).drive && !census.returned.has(slot)) {
      census.returned.add(slot);
      census.back[slot] = path;
    }
  }
  return census;
}

/// `adopted`, if not empty, is a blank directory for a drive that is gone for good. Errors:
/// overloaded (not now), write_quorum (fewer than W drives are there), invalid_argument (no drive
/// is away for good), read_quorum, corrupt (what was acknowledged is not all there), ...
Status DriveSet::Impl::try_restart(const std::string& adopted) {
  const auto stuck = core();
  if (!stuck->is_stuck()) {
    return Error{Errc::overloaded, 0, "set.restarted"};
  }
  Census census = take_census();
  std::optional<Slot> blank;
  if (!adopted.empty()) {
    blank = slot_to_replace(adopted);
    if (!blank || census.returned.has(*blank)) {
      return Error{Errc::invalid_argument, 0, "set.no_drive_is_away"};
    }
  }
  const unsigned there = (census.open | census.broken | census.returned).size() + (blank ? 1U : 0U);
  if (there < options_.write_quorum()) {
    return Error{Errc::write_quorum, 0, "set.too_few_drives"};
  }
  if (!census.broken.empty()) {
    for (Slot slot = 0; slot < options_.drives(); ++slot) {
      if (census.broken.has(slot)) {  // closed now, found again at the next look
        stuck->condemn(slot, {Errc::drive_failed, 0, "drive.reopening"});
        stuck->detach(slot, {Errc::drive_failed, 0, "drive.reopening"});
      }
    }
    return Error{Errc::overloaded, 0, "set.reopening"};
  }
  // One that broke and does not work yet would break the new pipeline at once.
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    const auto drive = census.open.has(slot) ? stuck->view(slot).drive : nullptr;
    if (const Status works = drive ? try_drive(environment_.vfs, drive->drive->path()) : ok();
        !works) {
      return works;
    }
  }
  if (!stuck->hold(census.open)) {
    return Error{Errc::overloaded, 0, "set.busy"};
  }
  return recover_with(census, adopted, blank);
}

Status DriveSet::Impl::recover_with(const Census& census, const std::string& adopted,
                                    std::optional<Slot> blank) {
  std::vector<Arrival> arrivals(options_.drives());
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    Arrival& arrival = arrivals[slot];
    arrival.reason = {Errc::no_such_file, 0, "drive.absent"};
    if (census.open.has(slot)) {
      arrival.drive = core()->view(slot).drive;
    } else if (census.returned.has(slot)) {
      arrival.name = census.back[slot];
      auto drive = open_at(arrival.name, slot);
      if (drive) {
        arrival.drive = std::move(*drive);
      } else {
        arrival.reason = drive.error();
      }
    }
  }
  RecoveryContext context{environment_.rng, options_, environment_.crash_points, true, blank, {}};
  context.make_blank = [&] { return format_at(adopted, *blank); };
  std::string problem;
  auto start = recover(context, std::move(arrivals), problem);
  if (!start) {
    return start.error();
  }
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      return Error{Errc::shutting_down, 0, "set.restart"};
    }
    for (const auto& place : places_) {
      for (Slot slot = 0; slot < options_.drives(); ++slot) {
        const bool here =
            census.back[slot] == place->path || (blank == slot && place->path == adopted);
        if (here && start->seats[slot].drive) {
          place->slot = slot;
        } else if (place->slot == slot && start->seats[slot].drive &&
                   (census.returned.has(slot) || blank == slot)) {
          place->slot.reset();
        }
      }
    }
  }
  follow(std::move(*start));
  return ok();
}

/// The pipeline that could not write gives way to one that can.
void DriveSet::Impl::follow(PipelineStart start) {
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    if (start.seats[slot].drive != core()->view(slot).drive) {
      health_[slot].checking = false;  // of a drive that is no more
      health_[slot].short_before = false;
    }
  }
  core()->retire();
  set_core(make_core(std::move(start)));
  {
    const std::lock_guard lock(heal_mutex_);
    if (hooks_.restarted) {
      hooks_.restarted();
    }
  }
  pipeline_->replace(core());
  begin_serving();
}

}  // namespace mote::erasure
