#include <algorithm>

#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

void CommitPipeline::Impl::arm_watchdog_locked() {
  if (watchdog_armed_) {
    return;
  }
  // The first deadline; those of later work come later still.
  std::optional<Clock::Steady> first;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (!lane.member || lane.suspect) {
      continue;
    }
    for (const auto& [busy, since] :
         {std::pair(lane.logging, lane.log_since), std::pair(lane.applying, lane.apply_since)}) {
      if (busy) {
        first = std::min(first.value_or(since), since);
      }
    }
  }
  if (!first) {
    return;
  }
  watchdog_armed_ = true;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *first + options_.expel_after - context_.clock.steady());
  context_.scheduler.after(
      std::max(left, std::chrono::milliseconds(0)) + std::chrono::milliseconds(1),
      [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
          self->on_watchdog();
        }
      });
}

void CommitPipeline::Impl::on_watchdog() {
  Outbox out;
  {
    const Lock lock(mutex_);
    watchdog_armed_ = false;
    const Clock::Steady now = context_.clock.steady();
    std::vector<Slot> late;
    for (Slot slot = 0; slot < slots(); ++slot) {
      const Lane& lane = lanes_[slot];
      if (lane.member && !lane.suspect &&
          ((lane.logging && now - lane.log_since > options_.expel_after) ||
           (lane.applying && now - lane.apply_since > options_.expel_after))) {
        late.push_back(slot);
      }
    }
    const Error error{Errc::timed_out, 0, "drive.answer"};
    // If too many are late at once, the machine is late, not the drives: none is expelled.
    const bool machine = tracker_.members().size() < late.size() + options_.write_quorum();
    for (const Slot slot : late) {
      if (machine) {
        freeze_locked(slot, error, false, out);
      } else {
        fail_lane_locked(slot, error, false, out);
      }
    }
    arm_watchdog_locked();
    settle_locked(out);
  }
  out.run();
}

/// Ends what this process cannot decide any more: everything that is not decided, and also what is
/// decided when no member can show it.
void CommitPipeline::Impl::fail_in_doubt_locked(Error error, Outbox& out) {
  const bool any_sound = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return lane.member && !lane.apply_broken;
  });
  const CommitSeq decided = any_sound ? tracker_.decided() : CommitSeq{};
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
  const bool quiet = std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
    return !lane.member || lane.suspect || (!lane.logging && !lane.applying && !lane.mark_due);
  });
  if (quiet) {
    flush_for_stop_locked(out);
  }
}

void CommitPipeline::Impl::flush_for_stop_locked(Outbox& out) {
  for (Slot slot = 0; slot < slots(); ++slot) {
    Lane& lane = lanes_[slot];
    if (!lane.member || lane.suspect) {
      continue;
    }
    ++final_flushes_;
    lane.drive->background->post([self = shared_from_this(), drive = lane.drive] {
      // What a failed flush leaves out is in the log.
      const Status flushed = drive->drive->index().flush();
      static_cast<void>(flushed.has_value());
      Outbox due;
      {
        const Lock lock(self->mutex_);
        if (--self->final_flushes_ == 0) {
          due.add(std::move(self->stopped_), ok());
        }
      }
      due.run();
    });
  }
  if (final_flushes_ == 0) {
    out.add(std::move(stopped_), ok());
  }
}

void CommitPipeline::Impl::abandon() {
  Outbox out;
  {
    const Lock lock(mutex_);
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
    auto nobody = std::make_shared<Members>();
    nobody->k = options_.k;
    nobody->m = options_.m;
    nobody->slots.resize(options_.drives());
    out.keep(live_.load());
    live_.store(std::move(nobody));
  }
  out.run();
}

}  // namespace mote::erasure
