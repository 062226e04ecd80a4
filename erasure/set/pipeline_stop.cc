#include <algorithm>

#include "erasure/base/check.h"
#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

/// REQUIRES dead_. Ends what this process cannot decide any more: everything that is not decided,
/// and also what is decided when no member can show it.
void CommitPipeline::Impl::fail_in_doubt_locked(Error error, Outbox& out) {
  const bool any_sound = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.member && !lane.apply_broken;
  });
  last_applicable_ = any_sound ? std::min(last_applicable_, tracker_.decided()) : CommitSeq{};
  const CommitSeq decided = last_applicable_;
  while (!in_flight_.empty() && in_flight_.back()->seq > decided) {
    const TicketPtr ticket = std::move(in_flight_.back());
    in_flight_.pop_back();
    in_flight_bytes_ -= ticket->bytes;
    out.add(std::move(ticket->done), Error{Errc::io_error, error.os_errno, error.where});
    out.keep(ticket);
  }
}

void CommitPipeline::Impl::stop(Completion<void> done) {
  Outbox out;
  {
    const Lock lock(mutex_);
    stopping_ = true;
    stopped_ = std::move(done);
    abort_join_locked({Errc::shutting_down, 0, "pipeline.stop"}, out);
    settle_locked(out);
  }
  out.run();
}

void CommitPipeline::Impl::try_stop_locked(Outbox& out) {
  if (!stopping_ || !in_flight_.empty() || final_flushes_ != 0 || !stopped_) {
    return;
  }
  if (read_only_) {
    out.add(std::move(stopped_), ok());
    return;
  }
  if (!final_marks_) {
    final_marks_ = true;
    write_marks_locked();
  }
  const bool quiet = std::all_of(lanes_.begin(), lanes_.end(), [this](const Lane& lane) {
    return !lane.member || lane.suspect ||
           (!lane.logging && !lane.applying && (!lane.mark_due || dead_));
  });
  if (quiet) {
    flush_for_stop_locked(out);
  }
}

void CommitPipeline::Impl::flush_for_stop_locked(Outbox& out) {
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (lane.member && !lane.suspect) {
      ++final_flushes_;
      lane.drive->background->post(
          [self = shared_from_this(), drive = lane.drive] { self->flush_for_stop(*drive); });
    }
  }
  if (final_flushes_ == 0) {
    out.add(std::move(stopped_), ok());
  }
}

void CommitPipeline::Impl::flush_for_stop(OpenDrive& drive) {
  // What a failed flush leaves out is in the log.
  const Status flushed = drive.drive->index().flush();
  static_cast<void>(flushed.has_value());
  Outbox out;
  {
    const Lock lock(mutex_);
    if (--final_flushes_ == 0) {
      out.add(std::move(stopped_), ok());
    }
  }
  out.run();
}

/// Nothing is in flight after it, and no drive is held.
void CommitPipeline::Impl::end_locked(Outbox& out) {
  stopping_ = true;
  abort_join_locked({Errc::shutting_down, 0, "pipeline.stop"}, out);
  for (const TicketPtr& ticket : in_flight_) {
    out.add(std::move(ticket->done), Error{Errc::timed_out, 0, "pipeline.stop"});
  }
  in_flight_.clear();
  in_flight_bytes_ = 0;
  for (Lane& lane : lanes_) {
    leave_locked(lane, {Errc::drive_failed, 0, "set.closed"}, out);
  }
  out.add(std::move(stopped_), Error{Errc::timed_out, 0, "pipeline.stop"});
}

void CommitPipeline::Impl::abandon() {
  Outbox out;
  {
    const Lock lock(mutex_);
    end_locked(out);
    auto nobody = std::make_shared<Members>();
    nobody->k = options_.k;
    nobody->m = options_.m;
    nobody->slots.resize(options_.drives());
    out.keep(live_->load());
    live_->store(std::move(nobody));
  }
  out.run();
}

bool CommitPipeline::Impl::is_stuck() const {
  const Lock lock(mutex_);
  return (read_only_ || dead_) && !stopping_;
}

bool CommitPipeline::Impl::hold(SlotSet slots) {
  const Lock lock(mutex_);
  MOTE_CHECK(read_only_ || dead_);
  if (stopping_ || !in_flight_.empty()) {
    return false;
  }
  for (Slot slot = 0; slot < options_.drives(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (slots.has(slot) &&
        (!lane.drive || lane.logging || lane.applying || lane.flushing || lane.preparing)) {
      return false;
    }
  }
  held_up_ = true;
  return true;
}

void CommitPipeline::Impl::retire() {
  Outbox out;
  {
    const Lock lock(mutex_);
    retired_ = true;
    end_locked(out);
  }
  out.run();
}

}  // namespace mote::erasure
