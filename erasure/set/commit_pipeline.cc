#include "erasure/set/commit_pipeline.h"

#include <algorithm>
#include <bit>

#include "erasure/base/check.h"
#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {
namespace {

SetGeometry geometry_of(const SetOptions& options) {
  return {options.k, options.m};
}

/// The tracker of a read-only set is never asked anything.
Configuration tracked(const SetOptions& options, const PipelineStart& start) {
  return start.read_only ? first_configuration(geometry_of(options)) : start.configuration;
}

/// Half of what the log takes: Commit::bytes() is an estimate.
std::uint64_t group_limit(const SetOptions& options) {
  LogOptions log;
  log.segment_bytes = options.segment_bytes;
  return std::min(options.group_bytes_max, group_bytes_max(log) / 2);
}

}  // namespace

CommitPipeline::CommitPipeline(std::shared_ptr<Impl> impl, std::shared_ptr<const LiveMembers> live)
    : live_(std::move(live)), impl_(std::move(impl)) {}
CommitPipeline::~CommitPipeline() = default;

std::shared_ptr<CommitPipeline::Impl> CommitPipeline::impl() const {
  const std::lock_guard lock(mutex_);
  return impl_;
}
void CommitPipeline::replace(std::shared_ptr<Impl> impl) {
  const std::lock_guard lock(mutex_);
  impl_.swap(impl);
}
void CommitPipeline::submit(std::shared_ptr<const Commit> commit, Completion<CommitSeq> done) {
  impl()->submit(std::move(commit), std::move(done));
}
std::shared_ptr<const Members> CommitPipeline::members() const {
  return live_->load();
}
void CommitPipeline::report_failure(Slot slot, Error error) {
  impl()->report_failure(slot, error);
}
void CommitPipeline::report_no_space(Slot slot) {
  impl()->report_no_space(slot);
}
CommitSeq CommitPipeline::applied_everywhere() const {
  return impl()->applied_everywhere();
}
PipelineStats CommitPipeline::stats() const {
  return impl()->stats();
}
void CommitPipeline::promote(Slot slot, std::uint32_t epoch, Completion<void> done) {
  impl()->promote(slot, epoch, std::move(done));
}

CommitPipeline::Impl::Impl(const PipelineContext& context, const SetOptions& options,
                           PipelineStart start, std::shared_ptr<LiveMembers> live)
    : context_(context),
      options_(options),
      group_bytes_max_(group_limit(options)),
      live_(std::move(live)),
      tracker_(geometry_of(options), tracked(options, start)),
      read_only_(start.read_only) {
  MOTE_CHECK(start.seats.size() == options.drives());
  for (Slot slot = 0; slot < slots(); ++slot) {
    Seat& seat = start.seats[slot];
    Lane& lane = lanes_[slot];
    lane.drive = std::move(seat.drive);
    lane.writer = std::move(seat.writer);
    lane.away_state = seat.state;
    lane.reason = seat.reason;
    lane.member = !read_only_ && start.configuration.members().has(slot);
    lane.logged = lane.applied = lane.apply_target = start.configuration.seq;
    MOTE_CHECK(!lane.member || (lane.drive && lane.writer));
  }
  choose_list_slot_locked();
  Outbox out;
  publish_locked(out);
}

void CommitPipeline::Impl::submit(std::shared_ptr<const Commit> commit,
                                  Completion<CommitSeq> done) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (const Status admissible = admissible_locked(*commit); !admissible) {
      out.add(std::move(done), admissible.error());
    } else if (!joining_.empty()) {
      held_bytes_ += commit->bytes();
      held_.push_back({std::move(commit), std::move(done)});
    } else {
      enqueue_locked(std::move(commit), std::move(done), out);
    }
  }
  out.run();
}

Status CommitPipeline::Impl::admissible_locked(const Commit& commit) const {
  if (stopping_ && !retired_) {
    return Error{Errc::shutting_down, 0, "pipeline.submit"};
  }
  if (read_only_ || frozen_ || dead_ || retired_) {
    return Error{Errc::write_quorum, 0, "pipeline.submit"};
  }
  SlotMask members = 0;
  SlotMask roomy = 0;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const auto bit = static_cast<SlotMask>(SlotMask{1} << slot);
    members = static_cast<SlotMask>(members | (lanes_[slot].member ? bit : 0));
    roomy = static_cast<SlotMask>(roomy | (lanes_[slot].member && !lanes_[slot].full ? bit : 0));
  }
  if (std::popcount(static_cast<SlotMask>(members & commit.holders())) < options_.write_quorum()) {
    return Error{Errc::write_quorum, 0, "pipeline.holders"};
  }
  if (roomy != members && !commit.frees_space()) {
    return Error{Errc::no_space, 0, "pipeline.submit"};
  }
  if (commit.bytes() > group_bytes_max_) {
    return Error{Errc::too_large, 0, "pipeline.submit"};
  }
  if (in_flight_bytes_ + held_bytes_ + commit.bytes() > options_.queue_bytes_max) {
    return Error{Errc::overloaded, 0, "pipeline.submit"};
  }
  return ok();
}

void CommitPipeline::Impl::enqueue_locked(std::shared_ptr<const Commit> commit,
                                          Completion<CommitSeq> done, Outbox& out) {
  auto ticket = std::make_shared<Ticket>();
  ticket->seq = tracker_.assign();
  ticket->bytes = commit->bytes();
  ticket->commit = std::move(commit);
  if (is_bug(SetBug::ack_before_sync)) {
    out.add(std::move(done), ticket->seq);
    ticket->done = {};
  } else {
    ticket->done = std::move(done);
  }
  to_members_locked(ticket);
  reach(CrashPoint::commit_queued);
  for (Slot slot = 0; slot < slots(); ++slot) {
    if (ghosts_.has(slot)) {  // SetBug::expel_without_cfg
      tracker_.synced(slot, tracker_.last());
    }
  }
}

void CommitPipeline::Impl::enqueue_configuration_locked(const Configuration& configuration,
                                                        Completion<CommitSeq> done) {
  auto ticket = std::make_shared<Ticket>();
  ticket->seq = configuration.seq;
  ticket->configuration = configuration;
  ticket->done = std::move(done);
  to_members_locked(ticket);
  reach(CrashPoint::cfg_queued);
}

void CommitPipeline::Impl::to_members_locked(const TicketPtr& ticket) {
  in_flight_.push_back(ticket);
  in_flight_bytes_ += ticket->bytes;
  for (Slot slot = 0; slot < slots(); ++slot) {
    if (lanes_[slot].member) {
      lanes_[slot].queue.push_back(ticket);
      kick_log_locked(lanes_[slot]);
    }
  }
}

/// After anything that may have moved: decided, applied, members.
void CommitPipeline::Impl::settle_locked(Outbox& out) {
  if (publish_due_) {
    publish_locked(out);
  }
  try_join_locked(out);
  kick_applies_locked();
  acknowledge_locked(out);
  try_stop_locked(out);
}

CommitSeq CommitPipeline::Impl::applied_by_all_locked() const {
  std::optional<CommitSeq> least;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (lane.member && !lane.apply_broken) {
      least = std::min(least.value_or(lane.applied), lane.applied);
    }
  }
  return least.value_or(CommitSeq{});
}

void CommitPipeline::Impl::acknowledge_locked(Outbox& out) {
  if (publish_due_) {
    return;  // a drive that left may still be read: nothing decided without it is acknowledged
  }
  const CommitSeq applied = std::min(applied_by_all_locked(), decided_locked());
  while (!in_flight_.empty() && in_flight_.front()->seq <= applied) {
    const TicketPtr ticket = std::move(in_flight_.front());
    in_flight_.pop_front();
    in_flight_bytes_ -= ticket->bytes;
    stats_.commits += ticket->commit ? 1U : 0U;
    reach(CrashPoint::commit_acknowledged);
    out.add(std::move(ticket->done), ticket->seq);
    out.keep(ticket);
  }
}

CommitSeq CommitPipeline::Impl::applied_everywhere() const {
  const Lock lock(mutex_);
  return in_flight_.empty() ? std::min(applied_by_all_locked(), decided_locked())
                            : in_flight_.front()->seq.prior();
}

PipelineStats CommitPipeline::Impl::stats() const {
  const Lock lock(mutex_);
  return stats_;
}

}  // namespace mote::erasure
