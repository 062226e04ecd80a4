#include "erasure/set/put.h"

#include <algorithm>
#include <utility>

namespace mote::erasure {
namespace {

constexpr std::size_t kKeyBytesMax = 1024;

/// A small body and its shards in memory.
struct EncodedBody {
  Buffer bytes;
  EncodedStripe stripe;
};

StoredBody encode_body(SetContext& context, std::uint64_t key_hash, Buffer bytes,
                       ShardPlace place) {
  StoredBody body;
  body.bytes = bytes.size();
  body.place = place;
  body.layout = {context.geometry, context.geometry.start_of(key_hash), context.options.set_id};
  body.locals.resize(context.drives());
  if (place == ShardPlace::none) {
    return body;
  }
  auto encoded = std::make_shared<EncodedBody>();
  encoded->bytes = std::move(bytes);
  encoded->stripe = context.codec.encode_stripe(encoded->bytes.view());
  for (unsigned slot = 0; slot < context.drives(); ++slot) {
    const unsigned shard = context.geometry.shard_of_slot(slot, body.layout.start);
    const ByteView view = encoded->stripe.shards[shard];
    body.locals[slot].sum = payload_sum(view);
    body.shards.push_back({view, encoded});
  }
  return body;
}

StoredBody body_of_files(std::shared_ptr<StoredFiles> files) {
  StoredBody body;
  body.bytes = files->bytes;
  body.place = ShardPlace::file;
  body.locals = files->locals;
  body.layout = files->layout;
  body.holders = files->holders;
  body.files = std::move(files);
  return body;
}

void finish_sink(const std::shared_ptr<SetContext>& context, std::uint64_t key_hash,
                 std::shared_ptr<ShardSink> sink, Completion<StoredBody> done) {
  ShardSink& target = *sink;
  target.finish([context, key_hash, sink = std::move(sink),
                 done = std::move(done)](Result<std::shared_ptr<StoredFiles>> files) mutable {
    if (!files) {
      done(files.error());
      return;
    }
    if ((*files)->bytes == 0) {
      done(encode_body(*context, key_hash, Buffer(), ShardPlace::none));
      return;
    }
    done(body_of_files(*std::move(files)));
  });
}

}  // namespace

bool is_valid_key(std::string_view key) noexcept {
  return !key.empty() && key.size() <= kKeyBytesMax;
}

void store_body(const std::shared_ptr<SetContext>& context, const BucketInfo& bucket,
                std::uint64_t key_hash, Body body, ShardPlace least, Completion<StoredBody> done) {
  if (body.sink) {
    auto* sink = dynamic_cast<ShardSink*>(body.sink.get());
    MOTE_CHECK(sink != nullptr);  // a sink goes back to the store that made it
    static_cast<void>(body.sink.release());
    finish_sink(context, key_hash, std::shared_ptr<ShardSink>(sink), std::move(done));
    return;
  }
  const std::uint64_t bytes = body.bytes.size();
  if (bytes > context->options.inline_bytes_max) {
    done({Errc::too_large, "set.body"});
    return;
  }
  ShardPlace place = context->geometry.place(bytes, context->options.borders);
  if (place != ShardPlace::none) {
    place = std::max(place, least);
  }
  if (place != ShardPlace::file) {
    done(encode_body(*context, key_hash, std::move(body.bytes), place));
    return;
  }
  Result<std::unique_ptr<ShardSink>> opened = open_shard_sink(context, bucket, bytes, {});
  if (!opened) {
    done(opened.error());
    return;
  }
  std::shared_ptr<ShardSink> sink = *std::move(opened);
  ShardSink& target = *sink;
  target.append(std::move(body.bytes), [context, key_hash, sink = std::move(sink),
                                        done = std::move(done)](Status appended) mutable {
    if (!appended) {
      done(appended.error());
      return;
    }
    finish_sink(context, key_hash, std::move(sink), std::move(done));
  });
}

PutOperation::PutOperation(std::shared_ptr<SetContext> context, PutRequest request,
                           Completion<PutResult> done)
    : context_(std::move(context)), request_(std::move(request)), done_(std::move(done)) {}

void PutOperation::start(Body body) {
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.put"});
    return;
  }
  const std::shared_ptr<const BucketInfo> bucket = context_->buckets.find(request_.bucket);
  if (!bucket) {
    finish(Errc::no_such_bucket);
    return;
  }
  if (!is_valid_key(request_.key)) {
    finish({Errc::invalid_argument, "set.put_key"});
    return;
  }
  const bool in_record = bucket->versioning == Versioning::off ||
                         body.size() <= context_->options.inline_versioned_max;
  store_body(context_, *bucket, GenerationTable::hash(bucket->id, request_.key), std::move(body),
             in_record ? ShardPlace::record : ShardPlace::pay,
             [self = shared_from_this()](Result<StoredBody> stored) {
               if (!stored) {
                 self->finish(stored.error());
                 return;
               }
               self->on_stored(*std::move(stored));
             });
}

void PutOperation::on_stored(StoredBody body) {
  files_ = std::move(body.files);
  ObjectRecord& record = version_.record;
  record.layout = body.layout;
  record.bytes = body.bytes;
  record.etag = request_.etag;
  record.checksum = std::move(request_.checksum);
  record.attributes = std::move(request_.attributes);
  version_.holders = body.holders;
  version_.shards = std::move(body.shards);
  if (body.place != ShardPlace::none) {
    Extent extent;
    extent.place = body.place;
    extent.bytes = body.bytes;
    record.extents.push_back(std::move(extent));
    for (Slot slot = 0; slot < body.locals.size(); ++slot) {
      LocalPart part;
      part.shard_index = context_->geometry.shard_of_slot(slot, body.layout.start);
      part.extents.push_back(std::move(body.locals[slot]));
      version_.locals.push_back(std::move(part));
    }
  }
  lock_key(*context_, request_.bucket, request_.key, LockMode::exclusive,
           [self = shared_from_this()](Result<LockedKey> lock) {
             if (!lock) {
               self->finish(lock.error());
               return;
             }
             self->on_locked(*std::move(lock));
           });
}

void PutOperation::on_locked(LockedKey lock) {
  change_ = std::make_shared<KeyChange>(context_, std::move(lock), request_.key);
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.put"});
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

void PutOperation::on_head() {
  if (const Status met = change_->check(request_.preconditions); !met) {
    finish(met.error());
    return;
  }
  change_->displace(version_.record, [self = shared_from_this()](Status displaced) {
    if (!displaced) {
      self->finish(displaced.error());
      return;
    }
    self->on_displaced();
  });
}

void PutOperation::on_displaced() {
  change_->write_version(version_);
  change_->submit([self = shared_from_this()](Result<CommitSeq> seq) { self->on_committed(seq); });
}

void PutOperation::on_committed(Result<CommitSeq> seq) {
  if (files_ && (seq || may_be_decided(seq.error().code))) {
    files_->keep();
  }
  if (!seq) {
    finish(seq.error());
    return;
  }
  version_.record.seq = *seq;
  finish(PutResult{std::make_shared<const ObjectHead>(to_object_head(version_.record))});
}

void PutOperation::finish(Result<PutResult> result) {
  if (change_) {
    change_->release();
    change_.reset();
  }
  files_.reset();
  ticket_.reset();
  Completion<PutResult> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
