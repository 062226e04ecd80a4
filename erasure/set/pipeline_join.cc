#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {

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
    } else {
      joining_.push_back({slot, std::move(drive), std::move(done)});
      settle_locked(out);
    }
  }
  out.run();
}

/// A drive joins only when everything numbered is decided: its log begins with the record that
/// admits it.
void CommitPipeline::Impl::try_join_locked(Outbox& out) {
  if (joining_.empty() || frozen_ || !tracker_.drained()) {
    return;
  }
  Joining joining = std::move(joining_.front());
  joining_.pop_front();
  const auto configuration = tracker_.join(joining.slot);
  if (!configuration) {
    out.add(std::move(joining.done), configuration.error());
    out.keep(std::move(joining.drive));
    try_join_locked(out);  // the next one
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
                                 self->finish_join(slot, life, std::move(done), result);
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
    done(status);
  }
}

void CommitPipeline::Impl::abort_join_locked(Error error, Outbox& out) {
  for (Joining& joining : joining_) {
    out.keep(std::move(joining.drive));
    out.add(std::move(joining.done), error);
  }
  joining_.clear();
  for (Held& held : held_) {
    out.add(std::move(held.done), error);
  }
  held_.clear();
  held_bytes_ = 0;
}

void CommitPipeline::Impl::release_held_locked(Outbox& out) {
  if (!joining_.empty()) {
    return;  // the next drive waits for the same
  }
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

void CommitPipeline::Impl::promote(Slot slot, std::uint32_t epoch, Completion<void> done) {
  Outbox out;
  {
    const Lock lock(mutex_);
    if (stopping_) {
      out.add(std::move(done), Error{Errc::shutting_down, 0, "pipeline.promote"});
    } else if (read_only_ || frozen_ || dead_) {
      out.add(std::move(done), Error{Errc::write_quorum, 0, "pipeline.promote"});
    } else if (tracker_.newest().seq.epoch != epoch) {
      out.add(std::move(done), Error{Errc::invalid_argument, 0, "pipeline.epoch"});
    } else if (const auto configuration = tracker_.promote(slot); !configuration) {
      out.add(std::move(done), configuration.error());
    } else {
      enqueue_configuration_locked(*configuration,
                                   [self = shared_from_this(), slot, life = lanes_[slot].life,
                                    done = std::move(done)](Result<CommitSeq> result) mutable {
                                     self->finish_join(slot, life, std::move(done), result);
                                   });
    }
  }
  out.run();
}

}  // namespace mote::erasure
