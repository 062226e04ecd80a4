#include <algorithm>

#include "erasure/log/segment_pool.h"
#include "erasure/set/drive_set_impl.h"

namespace mote::erasure {
namespace {

/// A drive that keeps failing is tried ever more rarely: readmit_every << failures, up to this
/// shift.
constexpr std::uint32_t kBackoffMax = 8;

}  // namespace

Place& DriveSet::Impl::place_at(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(places_.begin(), places_.end(),
                                  [&path](const auto& place) { return place->path == path; });
  if (known != places_.end()) {
    return **known;
  }
  auto place = std::make_unique<Place>();
  place->path = path;
  place->visitor =
      environment_.scheduler.make_serial("mote-visit-" + std::to_string(places_.size()));
  place->next_visit = environment_.clock.steady() + options_.readmit_every;
  places_.push_back(std::move(place));
  return *places_.back();
}

/// Looks at every place whose drive is away, each on its own thread.
void DriveSet::Impl::visit_places() {
  const auto at_present = core();
  if (at_present->is_stuck()) {
    consider_restart();
    return;
  }
  const Clock::Steady now = environment_.clock.steady();
  const std::lock_guard lock(mutex_);
  if (closing_) {
    return;
  }
  for (const auto& each : places_) {
    Place& place = *each;
    if (place.visiting || now < place.next_visit ||
        (place.slot && at_present->view(*place.slot).member)) {
      continue;
    }
    place.visiting = true;
    place.visitor->post([self = shared_from_this(), &place] { self->visit(place); });
  }
}

void DriveSet::Impl::visit(Place& place) {
  if (place.slot) {
    if (const auto view = core()->view(*place.slot); view.drive && !view.member) {
      revive(place, *place.slot, view.drive);
      return;
    }
  }
  take_back(place);
}

/// A drive that failed and is still read: if it works again, it is closed, to be opened afresh at
/// the next visit. It cannot join as it is: what its threads were doing has to have ended.
void DriveSet::Impl::revive(Place& place, Slot slot, const std::shared_ptr<OpenDrive>& drive) {
  const bool works = drive->drive->check_root() &&
                     !is_short(slot, std::max(1U, options_.reserve_permille / 2)) &&
                     try_drive(environment_.vfs, place.path);
  if (works) {
    core()->detach(slot, {Errc::drive_failed, 0, "drive.reopening"});
  }
  left(place, works);
  if (works) {
    const std::lock_guard lock(mutex_);
    place.next_visit = environment_.clock.steady();
  }
}

/// A drive of this set is there.
bool DriveSet::Impl::is_ours(const Result<DriveProbe>& probe) const {
  return probe && probe->content == DriveContent::formatted && !probe->mount_missing &&
         probe->label.deployment == deployment_ && probe->label.set_id == options_.set &&
         probe->label.slot < options_.drives();
}

void DriveSet::Impl::take_back(Place& place) {
  const auto probe = Drive::probe(environment_.vfs, place.path);
  if (!is_ours(probe) || core()->view(probe->label.slot).member ||
      !try_drive(environment_.vfs, place.path)) {
    left(place, false);
    return;
  }
  const Slot slot = probe->label.slot;
  auto drive = open_at(place.path, slot);
  if (!drive) {
    left(place, false);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    place.slot = slot;
  }
  admit(place, slot, std::move(*drive), {});
}

void DriveSet::Impl::admit(Place& place, Slot slot, std::shared_ptr<OpenDrive> drive,
                           Completion<void> done) {
  note_shape(slot, *drive);
  // A segment made now is not waited for by every commit while the drive joins.
  if (const Status prepared = prepare_spare_segment(
          drive->drive->vfs(), drive->drive->log_directory(), drive->log_options);
      !prepared) {
    left(place, false);
    if (done) {
      done(prepared);
    }
    return;
  }
  core()->admit(
      slot, std::move(drive),
      [self = shared_from_this(), &place, slot, done = std::move(done)](Status admitted) mutable {
        self->left(place, admitted.has_value());
        if (admitted) {
          self->start_heal(slot);
        }
        if (done) {
          done(admitted);
        }
      });
}

void DriveSet::Impl::left(Place& place, bool success) {
  const std::lock_guard lock(mutex_);
  place.visiting = false;
  // Also after success: a drive that is expelled at once comes back later each time.
  const auto wait = options_.readmit_every * (1U << std::min(place.failures, kBackoffMax));
  place.failures =
      success && environment_.clock.steady() > place.next_visit + 4 * wait ? 0 : place.failures + 1;
  place.next_visit = environment_.clock.steady() + wait;
}

void DriveSet::Impl::replace(const std::string& path, Completion<void> done) {
  Place& place = place_at(path);
  std::unique_lock lock(mutex_);
  if (closing_) {
    lock.unlock();
    done(Error{Errc::shutting_down, 0, "set.replace"});
    return;
  }
  if (core()->is_stuck()) {
    lock.unlock();
    post_restart({path, std::move(done)});
    return;
  }
  place.visiting = true;
  place.visitor->post([self = shared_from_this(), &place, done = std::move(done)]() mutable {
    self->format_and_admit(place, std::move(done));
  });
}

/// The slot that a blank drive at `path` takes: that of the drive that was there, else one that is
/// away and whose drive is in none of the places that are known. Nothing if there is none: a drive
/// that may come back is not given up, and a member is not replaced. Blocks on those places.
std::optional<Slot> DriveSet::Impl::slot_to_replace(const std::string& path) {
  std::vector<std::pair<std::string, Slot>> others;  // where drives were seen
  std::optional<Slot> own;
  {
    const std::lock_guard lock(mutex_);
    for (Slot slot = 0; slot < options_.drives(); ++slot) {
      if (path_of_locked(slot) == path) {
        own = slot;
      }
    }
    for (const auto& place : places_) {
      if (place->slot && place->path != path) {
        others.emplace_back(place->path, *place->slot);
      }
    }
  }
  const bool stuck = core()->is_stuck();
  const auto is_away = [&](Slot slot) {
    const auto view = core()->view(slot);
    return stuck ? view.drive == nullptr : !view.member;
  };
  if (own) {
    return is_away(*own) ? own : std::nullopt;
  }
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    const bool returns = std::any_of(others.begin(), others.end(), [&](const auto& other) {
      const auto probe = Drive::probe(environment_.vfs, other.first);
      return other.second == slot && is_ours(probe) && probe->label.slot == slot;
    });
    if (is_away(slot) && !returns) {
      return slot;
    }
  }
  return std::nullopt;
}

void DriveSet::Impl::format_and_admit(Place& place, Completion<void> done) {
  const std::optional<Slot> chosen = slot_to_replace(place.path);
  if (!chosen) {
    left(place, false);
    done(Error{Errc::invalid_argument, 0, "set.no_drive_is_away"});
    return;
  }
  const Slot slot = *chosen;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& other : places_) {
      if (other->slot == slot) {
        other->slot.reset();
      }
    }
  }
  core()->detach(slot, {Errc::drive_failed, 0, "drive.replaced"});
  auto drive = format_at(place.path, slot);
  if (!drive) {
    left(place, false);
    done(drive.error());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    place.slot = slot;
  }
  admit(place, slot, std::move(*drive), std::move(done));
}

Result<std::shared_ptr<OpenDrive>> DriveSet::Impl::format_at(const std::string& path, Slot slot) {
  DriveLabel label;
  label.deployment = deployment_;
  label.drive = environment_.rng.uuid();
  label.set_id = options_.set;
  label.slot = slot;
  label.k = options_.k;
  label.m = options_.m;
  label.formatted_ms = environment_.clock.wall_ms();
  const auto mounted = environment_.vfs.is_mount_point(path);
  label.was_mount_point = mounted && *mounted;
  if (const Status formatted = Drive::format(drive_context(environment_), path, label);
      !formatted) {
    return formatted.error();
  }
  return open_at(path, slot);
}

}  // namespace mote::erasure
