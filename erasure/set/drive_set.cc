#include "erasure/set/drive_set.h"

#include <algorithm>
#include <utility>

#include "erasure/set/drive_set_impl.h"

namespace mote::erasure {
namespace {

/// How long a clean stop may take; the flush of a full memtable on a slow disk fits.
constexpr std::chrono::seconds kStopMax{60};
/// How long to wait for a thread that is about to end.
constexpr std::chrono::seconds kThreadMax{2};

}  // namespace

DriveSet::DriveSet(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
DriveSet::~DriveSet() {
  impl_->release();
}

Result<std::unique_ptr<DriveSet>> DriveSet::open(const SetEnvironment& environment,
                                                 const SetOptions& options,
                                                 const std::vector<std::string>& paths,
                                                 SetHooks hooks, std::string* problem) {
  if (!is_valid(SetGeometry{options.k, options.m})) {
    return Error{Errc::invalid_argument, 0, "set.shape"};
  }
  auto impl = std::make_shared<Impl>(environment, options, std::move(hooks));
  std::string sentence;
  const Status opened = impl->open(paths, sentence);
  if (problem != nullptr) {
    *problem = sentence;
  }
  std::unique_ptr<DriveSet> set(new DriveSet(std::move(impl)));
  if (!opened) {
    return opened.error();
  }
  return set;
}

const SetOptions& DriveSet::options() const noexcept {
  return impl_->options();
}
std::shared_ptr<const Members> DriveSet::members() const {
  return impl_->pipeline().members();
}
CommitPipeline& DriveSet::pipeline() noexcept {
  return impl_->pipeline();
}
std::array<std::byte, 16> DriveSet::deployment() const noexcept {
  return impl_->deployment();
}
void DriveSet::replace(const std::string& path, Completion<void> done) {
  impl_->replace(path, std::move(done));
}
void DriveSet::add_status(StoreStatus& status) const {
  impl_->add_status(status);
}
void DriveSet::close() {
  impl_->close();
}

DriveSet::Impl::Impl(const SetEnvironment& environment, const SetOptions& options, SetHooks hooks)
    : environment_(environment),
      options_(options),
      reaper_(environment.scheduler.make_serial("mote-reaper")),
      restarter_(environment.scheduler.make_serial("mote-restart")),
      hooks_(std::move(hooks)) {}

Status DriveSet::Impl::open(const std::vector<std::string>& paths, std::string& problem) {
  const auto candidates = identify_drives(environment_.vfs, options_, paths, problem);
  if (!candidates) {
    return candidates.error();
  }
  for (const Candidate& candidate : *candidates) {
    Place& place = place_at(candidate.path);
    if (candidate.label) {
      place.slot = candidate.label->slot;
      deployment_ = candidate.label->deployment;
    }
  }
  auto arrivals = arrive(*candidates, problem);
  if (!arrivals) {
    return arrivals.error();
  }
  const RecoveryContext context{environment_.rng, options_, environment_.crash_points, false,
                                std::nullopt,     {}};
  auto start = recover(context, std::move(*arrivals), problem);
  if (!start) {
    return start.error();
  }
  set_core(make_core(std::move(*start)));  // an index may report an error already
  pipeline_ = std::unique_ptr<CommitPipeline>(new CommitPipeline(core(), live_));
  begin_serving();
  arm_watch();
  return ok();
}

std::shared_ptr<CommitPipeline::Impl> DriveSet::Impl::make_core(PipelineStart start) {
  const PipelineContext context{environment_.scheduler, environment_.clock, environment_.rng,
                                environment_.crash_points};
  return std::make_shared<CommitPipeline::Impl>(context, options_, std::move(start), live_);
}

/// What follows on a start: sizes for the status, heals.
void DriveSet::Impl::begin_serving() {
  const auto members = core()->members();
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    if (const auto drive = core()->view(slot).drive) {
      note_shape(slot, *drive);
    }
    if (members->slots[slot].state == DriveState::healing && !members->read_only) {
      start_heal(slot);
    }
  }
}

std::shared_ptr<CommitPipeline::Impl> DriveSet::Impl::core() const {
  const std::lock_guard lock(core_mutex_);
  return core_;
}

void DriveSet::Impl::set_core(std::shared_ptr<CommitPipeline::Impl> core) {
  const std::lock_guard lock(core_mutex_);
  core_.swap(core);
}

/// Opens the drives that are there, by slot.
Result<std::vector<Arrival>> DriveSet::Impl::arrive(const std::vector<Candidate>& candidates,
                                                    std::string& problem) {
  std::vector<Arrival> arrivals(options_.drives());
  for (Arrival& arrival : arrivals) {
    arrival.reason = {Errc::no_such_file, 0, "drive.absent"};
  }
  for (const Candidate& candidate : candidates) {
    if (!candidate.label) {
      continue;
    }
    Arrival& arrival = arrivals[candidate.label->slot];
    arrival.name = candidate.path;
    auto drive = open_at(candidate.path, candidate.label->slot);
    if (drive) {
      arrival.drive = std::move(*drive);
      continue;
    }
    if (drive.error().code == Errc::drive_locked || drive.error().code == Errc::unsupported) {
      problem = candidate.path + (drive.error().code == Errc::drive_locked
                                      ? ": another process serves this drive"
                                      : ": the drive was formatted by a newer version");
      return drive.error();
    }
    arrival.reason = drive.error();
  }
  // Absent drives are shown under the paths that are left over.
  for (const Candidate& candidate : candidates) {
    const auto unnamed = std::find_if(arrivals.begin(), arrivals.end(),
                                      [](const Arrival& arrival) { return arrival.name.empty(); });
    if (!candidate.label && unnamed != arrivals.end()) {
      unnamed->name = candidate.path;
      unnamed->reason = candidate.reason;
    }
  }
  return arrivals;
}

Result<std::shared_ptr<OpenDrive>> DriveSet::Impl::open_at(const std::string& path, Slot slot) {
  // Called on a thread of the index, which must not be called from there.
  auto on_error = [weak = weak_from_this(), slot](Error error) {
    if (const auto self = weak.lock()) {
      self->on_index_error(slot, error);
    }
  };
  auto drive = open_drive(environment_, options_, path, reaper_, std::move(on_error));
  if (drive) {
    const std::lock_guard lock(mutex_);
    std::erase_if(open_drives_, [](const auto& closed) { return closed->is_set(); });
    open_drives_.push_back((*drive)->closed);
  }
  return drive;
}

void DriveSet::Impl::on_index_error(Slot slot, Error error) {
  if (const auto at_present = core()) {
    at_present->report_failure(slot, error);
  }
}

void DriveSet::Impl::start_heal(Slot slot) {
  const std::lock_guard lock(heal_mutex_);
  if (hooks_.start_heal) {
    hooks_.start_heal(slot);
  }
}

void DriveSet::Impl::note_shape(Slot slot, const OpenDrive& drive) {
  if (const auto space = drive.drive->space()) {
    health_[slot].total_bytes = space->total_bytes;
    health_[slot].free_bytes = space->free_bytes;
  }
}

std::string DriveSet::Impl::path_of_locked(Slot slot) const {
  std::size_t nameless_before = 0;
  for (Slot other = 0; other < slot; ++other) {
    nameless_before += std::none_of(places_.begin(), places_.end(),
                                    [other](const auto& place) { return place->slot == other; })
                           ? 1U
                           : 0U;
  }
  for (const auto& place : places_) {
    if (place->slot == slot) {
      return place->path;
    }
  }
  for (const auto& place : places_) {
    if (!place->slot && nameless_before-- == 0) {
      return place->path;
    }
  }
  return {};
}

void DriveSet::Impl::add_status(StoreStatus& status) const {
  const auto members = core()->members();
  const bool first = status.drives.empty();
  unsigned readable = 0;
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    const Member& member = members->slots[slot];
    DriveStatus drive;
    {
      const std::lock_guard lock(mutex_);
      drive.path = path_of_locked(slot);
    }
    drive.set = options_.set;
    drive.slot = slot;
    drive.state = member.state;
    if (member.state != DriveState::current) {
      drive.reason = describe(member.reason);
    }
    drive.total_bytes = health_[slot].total_bytes;
    drive.free_bytes = health_[slot].free_bytes;
    status.degraded = status.degraded || member.state != DriveState::current;
    readable += member.drive ? 1U : 0U;
    status.drives.push_back(std::move(drive));
  }
  const bool ready = !members->frozen && !members->read_only && members->current != 0;
  status.ready = ready && (first || status.ready);
  status.readable = readable >= options_.k && members->current != 0 && (first || status.readable);
  const PipelineStats stats = core()->stats();
  status.commits += stats.commits;
  status.log_syncs += stats.log_groups;
}

void DriveSet::Impl::close() {
  {
    const std::lock_guard lock(mutex_);
    if (released_) {
      return;  // closed before
    }
    closing_ = true;
  }
  drain(*restarter_, kStopMax);  // a restart under way ends first
  auto stopped = std::make_shared<Event>();
  core()->stop([stopped](const Status&) { stopped->set(); });
  // A frozen set does not stop by itself: its drives get one more chance to answer.
  if (!environment_.scheduler.wait(*stopped, options_.expel_after + kThreadMax) &&
      !core()->members()->frozen) {
    environment_.scheduler.wait(*stopped, kStopMax);
  }
  release();
}

/// Lets go of all drives and ends the threads that end. Also what is left to do when a set was not
/// closed.
void DriveSet::Impl::release() {
  std::vector<std::unique_ptr<Place>> places;
  std::unique_ptr<Executor> restarter;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(released_, true)) {
      return;
    }
    closing_ = true;
    places.swap(places_);
    restarter = std::move(restarter_);
    environment_.scheduler.cancel(watch_timer_);
  }
  if (const auto at_present = core()) {
    at_present->abandon();
  }
  if (!drain(*restarter, kThreadMax)) {
    static_cast<void>(restarter.release());
  }
  for (auto& place : places) {
    if (!drain(*place->visitor, kThreadMax)) {
      // Its thread hangs on the drive; it is given up with what it uses.
      static_cast<void>(place.release());
    }
  }
  await_drives();
  reaper_->shutdown();
}

/// Until the drives are closed and can be opened again; not for those that hang.
void DriveSet::Impl::await_drives() {
  std::vector<std::shared_ptr<Event>> drives;
  {
    const std::lock_guard lock(mutex_);
    drives.swap(open_drives_);
  }
  const Clock::Steady until = environment_.clock.steady() + kThreadMax;
  for (const auto& closed : drives) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - environment_.clock.steady());
    environment_.scheduler.wait(*closed, std::max(left, std::chrono::milliseconds(1)));
  }
}

/// True if the executor has nothing left to do.
bool DriveSet::Impl::drain(Executor& executor, std::chrono::milliseconds limit) {
  auto reached = std::make_shared<Event>();
  executor.post([reached] { reached->set(); });
  return environment_.scheduler.wait(*reached, limit);
}

}  // namespace mote::erasure
