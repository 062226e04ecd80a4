#include "erasure/set/remove.h"

#include <utility>

#include "erasure/set/put.h"

namespace mote::erasure {

RemoveOperation::RemoveOperation(std::shared_ptr<SetContext> context, DeleteRequest request,
                                 Completion<DeleteResult> done)
    : context_(std::move(context)), request_(std::move(request)), done_(std::move(done)) {}

void RemoveOperation::start() {
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.remove"});
    return;
  }
  if (!context_->buckets.find(request_.object.bucket)) {
    finish(Errc::no_such_bucket);
    return;
  }
  if (!is_valid_key(request_.object.key)) {
    finish({Errc::invalid_argument, "set.remove_key"});
    return;
  }
  lock_key(*context_, request_.object.bucket, request_.object.key, LockMode::exclusive,
           [self = shared_from_this()](Result<LockedKey> lock) {
             if (!lock) {
               self->finish(lock.error());
               return;
             }
             self->on_locked(*std::move(lock));
           });
}

void RemoveOperation::on_locked(LockedKey lock) {
  change_ = std::make_shared<KeyChange>(context_, std::move(lock), request_.object.key);
  change_->load_head([self = shared_from_this()](Status loaded) {
    if (!loaded) {
      self->finish(loaded.error());
      return;
    }
    self->on_head();
  });
}

void RemoveOperation::on_head() {
  if (const Status met = change_->check(request_.preconditions); !met) {
    finish(met.error());
    return;
  }
  result_.versioned = change_->bucket().versioning != Versioning::off;
  if (result_.versioned && !request_.object.version) {
    add_marker();
  } else {
    take_version();
  }
}

void RemoveOperation::add_marker() {
  result_.existed = change_->current() != nullptr;
  ObjectRecord& record = marker_.record;
  record.delete_marker = true;
  record.layout = {context_->geometry, context_->geometry.start_of(change_->key_hash()),
                   context_->options.set_id};
  change_->displace(record, [self = shared_from_this()](Status displaced) {
    if (!displaced) {
      self->finish(displaced.error());
      return;
    }
    self->result_.made_marker = true;
    self->result_.version = self->marker_.record.version;
    self->change_->write_version(self->marker_);
    self->change_->submit([self](Result<CommitSeq> seq) {
      self->finish(seq ? Result<DeleteResult>(self->result_) : Result<DeleteResult>(seq.error()));
    });
  });
}

void RemoveOperation::take_version() {
  result_.version = request_.object.version.value_or(kNullVersion);
  change_->remove_version(result_.version, removed_, [self = shared_from_this()](Status taken) {
    if (!taken) {
      self->finish(taken.error());
      return;
    }
    if (!self->removed_) {
      // Nothing there, nothing to commit. But while a set cannot write, a put whose outcome is open
      // may still come to be when it is opened again: then "deleted" would not be true.
      const Members& members = *self->change_->members();
      if (members.frozen || members.read_only) {
        self->finish({Errc::write_quorum, "set.remove"});
      } else {
        self->finish(self->result_);
      }
      return;
    }
    self->result_.existed = true;
    self->result_.removed_marker = self->removed_->delete_marker;
    self->change_->submit([self](Result<CommitSeq> seq) {
      self->finish(seq ? Result<DeleteResult>(self->result_) : Result<DeleteResult>(seq.error()));
    });
  });
}

void RemoveOperation::finish(Result<DeleteResult> result) {
  if (change_) {
    change_->release();
    change_.reset();
  }
  ticket_.reset();
  Completion<DeleteResult> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
