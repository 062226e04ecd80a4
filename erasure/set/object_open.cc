#include "erasure/set/object_open.h"

#include <atomic>
#include <cstring>
#include <utility>

#include "erasure/set/guarded_read.h"
#include "erasure/set/object_reader.h"

namespace mote::erasure {
namespace {

constexpr std::chrono::milliseconds kFrozenPoll{100};  // how often a waiting reader looks

/// A reader that waits for a writer: the lock or the freeze, whichever comes first.
struct ReadWait : std::enable_shared_from_this<ReadWait> {
  ReadWait(SetContext& context_, Completion<std::optional<LockedKey>> done_)
      : context(context_), done(std::move(done_)) {}

  void arm() {
    context.outside.scheduler.after(kFrozenPoll, [self = shared_from_this()] {
      if (self->claimed.load()) {
        return;
      }
      if (!self->context.members()->frozen) {
        self->arm();
      } else if (!self->claimed.exchange(true)) {
        self->done(std::optional<LockedKey>());
      }
    });
  }

  SetContext& context;
  Completion<std::optional<LockedKey>> done;
  std::atomic<bool> claimed{false};
};

}  // namespace

void lock_for_reading(SetContext& context, const std::string& bucket, const std::string& key,
                      Completion<std::optional<LockedKey>> done) {
  if (context.members()->frozen) {
    done(std::optional<LockedKey>());
    return;
  }
  auto wait = std::make_shared<ReadWait>(context, std::move(done));
  lock_key(context, bucket, key, LockMode::shared, [wait](Result<LockedKey> locked) {
    if (wait->claimed.exchange(true)) {
      return;  // too late: unlocks
    }
    if (!locked) {
      wait->done(locked.error());
      return;
    }
    wait->done(std::optional<LockedKey>(*std::move(locked)));
  });
  if (!wait->claimed.load()) {
    wait->arm();
  }
}

Result<std::optional<FoundVersion>> find_version(const Index& index, std::uint64_t bucket_id,
                                                 std::string_view key, const VersionId& version) {
  const std::unique_ptr<IndexSnapshot> at = index.snapshot();
  FoundVersion found;
  found.row_key = object_row(bucket_id, key);
  Result<Row> head = index.get(Family::obj, found.row_key, ReadTier::device, at.get());
  if (!head) {
    return head.error();
  }
  if (head->has_value()) {
    const Result<RecordPeek> peek = peek_record((*head)->bytes);
    if (!peek) {
      return peek.error();
    }
    if (!peek->tombstone && peek->version == version) {
      found.row = **head;
      return std::optional<FoundVersion>(std::move(found));
    }
  }
  found.family = Family::ver;
  const std::string lower = version_rows(bucket_id, key);
  const std::unique_ptr<IndexCursor> cursor =
      index.cursor(Family::ver, lower, prefix_end(lower), false, at.get());
  for (cursor->seek(lower); cursor->valid(); cursor->next()) {
    const ByteView value = as_bytes(cursor->value());
    const Result<RecordPeek> peek = peek_record(value);
    if (!peek) {
      return peek.error();
    }
    if (peek->version == version) {
      found.row_key = cursor->key();
      found.row = Slice::copy(value);
      return std::optional<FoundVersion>(std::move(found));
    }
  }
  if (const Status status = cursor->status(); !status) {
    return status.error();
  }
  return std::optional<FoundVersion>();
}

ObjectOpen::ObjectOpen(std::shared_ptr<SetContext> context, ObjectRef ref, Want want,
                       std::stop_token stop, Completion<OpenedObject> done)
    : context_(std::move(context)),
      ref_(std::move(ref)),
      want_(want),
      stop_(std::move(stop)),
      done_(std::move(done)) {}

void ObjectOpen::start() {
  final_ = true;  // refusals below need no second look
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  if (stop_.stop_requested()) {
    finish({Errc::cancelled, "set.open"});
    return;
  }
  final_ = false;
  begin();
}

void ObjectOpen::begin() {
  const std::shared_ptr<const BucketInfo> bucket = context_->buckets.find(ref_.bucket);
  if (!bucket) {
    final_ = true;
    finish(Errc::no_such_bucket);
    return;
  }
  bucket_id_ = bucket->id;
  key_hash_ = GenerationTable::hash(bucket_id_, ref_.key);
  generation_ = context_->generations.load(context_->stripe(key_hash_));
  if (GenerationTable::is_stable(generation_)) {
    attempt();
  } else {
    wait_for_writer();
  }
}

void ObjectOpen::wait_for_writer() {
  lock_for_reading(*context_, ref_.bucket, ref_.key,
                   [self = shared_from_this()](Result<std::optional<LockedKey>> lock) {
                     self->final_ = true;
                     if (!lock) {
                       self->finish(lock.error());
                       return;
                     }
                     if (lock->has_value()) {
                       self->lock_ = **std::move(lock);
                       self->bucket_id_ = self->lock_.bucket->id;
                       self->key_hash_ = self->lock_.key_hash;
                     }
                     self->attempt();
                   });
}

void ObjectOpen::attempt() {
  members_ = context_->members();
  record_ = {};
  row_slot_.reset();
  row_ = {};
  damage_.clear();
  family_ = Family::obj;
  row_key_ = object_row(bucket_id_, ref_.key);
  if (ref_.version) {
    find_named_version();
    return;
  }
  // The drive of the first data shard, if it may be believed: its row brings that shard along.
  const Slot first = context_->geometry.slot_of_shard(0, context_->geometry.start_of(key_hash_));
  const Member& member = members_->slots[first];
  if (want_ == Want::body && !members_->frozen && members_->is_current(first) && member.drive) {
    Result<Row> row = member.drive->index().get(Family::obj, row_key_, ReadTier::memory);
    if (row) {
      row_slot_ = first;
      on_row(*std::move(row));
      return;
    }
  }
  read_current_row(*context_, members_, Family::obj, row_key_,
                   [self = shared_from_this()](Result<Row> row) {
                     if (!row) {
                       self->finish(row.error());
                       return;
                     }
                     self->on_row(*std::move(row));
                   });
}

void ObjectOpen::find_named_version() {
  on_current<std::optional<FoundVersion>>(
      *context_, members_, context_->options.hedge_after,
      [id = bucket_id_, key = ref_.key, version = *ref_.version](Drive& drive) {
        return find_version(drive.index(), id, key, version);
      },
      [self = shared_from_this()](Result<std::optional<FoundVersion>> found) {
        if (!found) {
          self->finish(found.error());
          return;
        }
        if (!found->has_value()) {
          self->finish(Errc::no_such_version);
          return;
        }
        self->family_ = (*found)->family;
        self->row_key_ = std::move((*found)->row_key);
        self->on_row(std::move((*found)->row));
      });
}

void ObjectOpen::on_row(Row row) {
  if (!row) {
    finish(Errc::no_such_key);
    return;
  }
  Result<ObjectRecord> record = decode_record_head(row->bytes);
  if (!record && row_slot_) {
    // The quick look hit a damaged row: ask the others.
    context_->report_damage({family_, row_key_});
    row_slot_.reset();
    read_current_row(*context_, members_, Family::obj, row_key_,
                     [self = shared_from_this()](Result<Row> other) {
                       if (!other) {
                         self->finish(other.error());
                         return;
                       }
                       self->on_row(*std::move(other));
                     });
    return;
  }
  if (!record) {
    finish(record.error());
    return;
  }
  if (record->layout.geometry.k != context_->geometry.k ||
      record->layout.geometry.m != context_->geometry.m) {
    finish({Errc::corrupt, "set.record_geometry"});
    return;
  }
  resolve(*std::move(record), *std::move(row));
}

void ObjectOpen::resolve(ObjectRecord record, Slice row) {
  if (record.tombstone) {
    finish(Errc::no_such_key);
    return;
  }
  if (record.delete_marker) {
    finish(Errc::delete_marker);
    return;
  }
  record_ = std::move(record);
  if (want_ == Want::head || record_.bytes == 0) {
    OpenedObject opened;
    opened.head = std::make_shared<const ObjectHead>(to_object_head(record_));
    if (want_ == Want::body) {
      opened.body.emplace();
    }
    finish(std::move(opened));
    return;
  }
  const bool whole = record_.extents.size() == 1 && record_.extents[0].place != ShardPlace::file;
  if (whole) {
    read_inline(std::move(row));
    return;
  }
  read_object_rows(*context_, members_, family_, row_key_, record_,
                   [self = shared_from_this()](std::shared_ptr<ObjectRows> rows) {
                     self->open_files(std::move(rows));
                   });
}

void ObjectOpen::read_inline(Slice head_row) {
  row_ = std::move(head_row);
  ShardGather::Plan plan;
  plan.start = record_.layout.start;
  plan.wanted = static_cast<std::uint16_t>((1U << context_->geometry.k) - 1);
  plan.members = members_;
  std::make_shared<ShardGather>(
      *context_, std::move(plan),
      [self = shared_from_this()](Slot slot, Completion<Slice> shard) {
        self->fetch_inline(slot, std::move(shard));
      },
      [self = shared_from_this()](Result<ShardArray> shards, std::vector<SlotFailure> failures) {
        self->on_shards(std::move(shards), std::move(failures));
      })
      ->start();
}

void ObjectOpen::fetch_inline(Slot slot, Completion<Slice> done) {
  if (row_slot_ == slot) {
    use_row(slot, row_, std::move(done));
    return;
  }
  Drive& drive = *members_->slots[slot].drive;
  const Result<Row> row = drive.index().get(family_, row_key_, ReadTier::memory);
  if (row && row->has_value()) {
    use_row(slot, **row, std::move(done));
    return;
  }
  if (row) {
    done({Errc::no_such_file, "set.row_missing"});
    return;
  }
  drive.reads().post([self = shared_from_this(), slot, &drive, done = std::move(done)]() mutable {
    const Result<Slice> late = guarded_read([&]() -> Result<Slice> {
      const Result<Row> found = drive.index().get(self->family_, self->row_key_, ReadTier::device);
      if (!found) {
        return found.error();
      }
      return *found ? Result<Slice>(**found) : Error{Errc::no_such_file, 0, "set.row_missing"};
    });
    if (!late) {
      done(late.error());
    } else {
      self->use_row(slot, *late, std::move(done));
    }
  });
}

void ObjectOpen::use_row(Slot slot, const Slice& row, Completion<Slice> done) {
  Result<LocalRow> local = local_row(context_->geometry, record_, slot, row);
  if (!local) {
    done(local.error());
    return;
  }
  if (record_.extents[0].place == ShardPlace::pay) {
    read_payload(slot, *std::move(local), std::move(done));
    return;
  }
  if (const Status good =
          verify_payload_shard(record_, record_.extents[0], *local, 0, local->payload.bytes);
      !good) {
    done(good.error());
    return;
  }
  done(std::move(local->payload));
}

void ObjectOpen::read_payload(Slot slot, LocalRow local, Completion<Slice> done) {
  const Extent& extent = record_.extents[0];
  std::string key = payload_row(extent.data_seq, extent.pay_index);
  Drive& drive = *members_->slots[slot].drive;
  const auto verified = [](const ObjectRecord& record, const LocalRow& mine,
                           const Row& row) -> Result<Slice> {
    if (!row) {
      return {Errc::no_such_file, "set.payload_missing"};
    }
    if (const Status good = verify_payload_shard(record, record.extents[0], mine, 0, row->bytes);
        !good) {
      return good.error();
    }
    return *row;
  };
  if (const Result<Row> row = drive.index().get(Family::pay, key, ReadTier::memory); row) {
    done(verified(record_, local, *row));
    return;
  }
  drive.reads().post([self = shared_from_this(), &drive, verified, local = std::move(local),
                      key = std::move(key), done = std::move(done)]() mutable {
    done(guarded_read([&]() -> Result<Slice> {
      const Result<Row> found = drive.index().get(Family::pay, key, ReadTier::device);
      if (!found) {
        return found.error();
      }
      return verified(self->record_, local, *found);
    }));
  });
}

void ObjectOpen::on_shards(Result<ShardArray> shards, std::vector<SlotFailure> failures) {
  damage_ = std::move(failures);
  if (!shards) {
    finish(shards.error());
    return;
  }
  Buffer body(record_.bytes);
  std::array<ByteView, kShardsMax> views;
  for (unsigned i = 0; i < context_->drives(); ++i) {
    views[i] = (*shards)[i].bytes;
  }
  if (const Status decoded =
          context_->codec.decode_stripe(std::span(views.data(), context_->drives()), body.span());
      !decoded) {
    finish(decoded.error());
    return;
  }
  OpenedObject opened;
  opened.head = std::make_shared<const ObjectHead>(to_object_head(record_));
  opened.body = std::move(body).share();
  finish(std::move(opened));
}

void ObjectOpen::open_files(std::shared_ptr<ObjectRows> rows) {
  if (std::popcount(rows->holders()) < static_cast<int>(context_->geometry.k)) {
    finish({Errc::read_quorum, "set.rows"});
    return;
  }
  auto files = std::make_shared<ObjectFiles>(context_, members_, std::move(rows));
  OpenedObject opened;
  opened.head = std::make_shared<const ObjectHead>(to_object_head(record_));
  auto reader = std::make_unique<ErasureReader>(std::move(files), stop_);
  if (record_.bytes > context_->options.inline_bytes_max) {
    opened.reader = std::move(reader);
    finish(std::move(opened));
    return;
  }
  std::shared_ptr<ErasureReader> small = std::move(reader);
  small->read(0, record_.bytes,
              [self = shared_from_this(), small, head = opened.head](Result<Slice> body) {
                if (!body) {
                  self->finish(body.error());
                  return;
                }
                OpenedObject whole;
                whole.head = head;
                whole.body = *std::move(body);
                self->finish(std::move(whole));
              });
}

void ObjectOpen::finish(Result<OpenedObject> result) {
  if (!final_) {
    const std::size_t stripe = context_->stripe(key_hash_);
    if (context_->generations.load(stripe) != generation_) {
      wait_for_writer();
      return;
    }
    if (context_->buckets.find(ref_.bucket) == nullptr) {
      result = Errc::no_such_bucket;  // deleted while this looked
    }
  }
  for (const SlotFailure& failure : damage_) {
    if (is_damage(failure.code) && members_->is_current(failure.slot)) {
      context_->report_damage({family_, row_key_});
    }
  }
  lock_.locks.release();
  ticket_.reset();
  Completion<OpenedObject> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
