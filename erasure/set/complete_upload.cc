#include <utility>

#include "erasure/set/uploads.h"

namespace mote::erasure {

CompleteOperation::CompleteOperation(std::shared_ptr<SetContext> context,
                                     CompleteUploadRequest request, Completion<PutResult> done)
    : context_(std::move(context)), request_(std::move(request)), done_(std::move(done)) {}

void CompleteOperation::start() {
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.complete_upload"});
    return;
  }
  lock_key(*context_, request_.upload.bucket, request_.upload.key, LockMode::exclusive,
           [self = shared_from_this()](Result<LockedKey> lock) {
             if (!lock) {
               self->finish(lock.error());
               return;
             }
             self->on_locked(*std::move(lock));
           });
}

void CompleteOperation::on_locked(LockedKey lock) {
  change_ = std::make_shared<KeyChange>(context_, std::move(lock), request_.upload.key);
  read_upload(*context_, change_->members(), change_->bucket().id, request_.upload,
              [self = shared_from_this()](Result<UploadOnDrives> upload) {
                if (!upload) {
                  self->finish(upload.error());
                  return;
                }
                self->upload_ = *std::move(upload);
                self->on_upload();
              });
}

void CompleteOperation::on_upload() {
  if (const Status whole = assemble(); !whole) {
    finish(whole.error());
    return;
  }
  change_->load_head([self = shared_from_this()](Status loaded) {
    if (!loaded) {
      self->finish(loaded.error());
      return;
    }
    self->on_head();
  });
}

/// Makes the new version out of the named parts; holders are the drives that have all of them.
Status CompleteOperation::assemble() {
  if (request_.parts.empty()) {
    return {Errc::invalid_argument, "set.complete_upload"};
  }
  ObjectRecord& record = version_.record;
  record.multipart = true;
  record.layout = {context_->geometry, 0, context_->options.set_id};
  record.etag = request_.etag;
  record.checksum = request_.checksum;
  record.attributes = upload_.trusted.session->attributes;
  version_.locals.resize(context_->drives());
  std::uint16_t last = 0;
  bool laid_out = false;
  for (const CompleteUploadRequest::Part& named : request_.parts) {
    if (named.number <= last) {
      return {Errc::invalid_part_order, "set.complete_upload"};
    }
    last = named.number;
    const auto found = upload_.trusted.parts.find(named.number);
    if (found == upload_.trusted.parts.end() ||
        commit_number(found->second.part.seq) != named.commit) {
      return {Errc::invalid_part, "set.complete_upload"};
    }
    const PartRecord& part = found->second.part;
    if (part.extent.bytes > 0) {
      if (laid_out && part.layout != record.layout) {
        return {Errc::corrupt, "set.part_layout"};
      }
      record.layout = part.layout;
      laid_out = true;
    }
    record.bytes += part.extent.bytes;
    record.extents.push_back(part.extent);
    for (Slot slot = 0; slot < version_.locals.size(); ++slot) {
      const LocalExtent* local = find_local(upload_.slots[slot], part);
      if (local == nullptr) {
        version_.holders = static_cast<SlotMask>(version_.holders & ~bit(slot));
      }
      version_.locals[slot].extents.push_back(
          local != nullptr ? *local : absent_extent(part.layout.geometry, part.extent));
    }
  }
  for (Slot slot = 0; slot < version_.locals.size(); ++slot) {
    version_.locals[slot].shard_index = context_->geometry.shard_of_slot(slot, record.layout.start);
  }
  if (record.bytes > context_->options.object_bytes_max) {
    return {Errc::too_large, "set.complete_upload"};
  }
  return ok();
}

void CompleteOperation::on_head() {
  if (const Status met = change_->check(request_.preconditions); !met) {
    finish(met.error());
    return;
  }
  change_->displace(version_.record, [self = shared_from_this()](Status displaced) {
    if (!displaced) {
      self->finish(displaced.error());
      return;
    }
    std::map<std::uint16_t, bool> kept;
    for (const CompleteUploadRequest::Part& part : self->request_.parts) {
      kept.emplace(part.number, true);
    }
    KeyChange& change = *self->change_;
    add_upload_removal(change.commit(), change.bucket().id, self->request_.upload, self->upload_,
                       kept);
    change.write_version(self->version_);
    change.submit([self](Result<CommitSeq> seq) {
      if (!seq) {
        self->finish(seq.error());
        return;
      }
      self->version_.record.seq = *seq;
      self->finish(
          PutResult{std::make_shared<const ObjectHead>(to_object_head(self->version_.record))});
    });
  });
}

void CompleteOperation::finish(Result<PutResult> result) {
  if (change_) {
    change_->release();
    change_.reset();
  }
  ticket_.reset();
  Completion<PutResult> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
