#include "erasure/set/set_tags.h"

#include <utility>

#include "erasure/set/composed_commit.h"
#include "erasure/set/object_open.h"
#include "erasure/set/put.h"

namespace mote::erasure {

TagOperation::TagOperation(std::shared_ptr<SetContext> context, ObjectRef object, std::string tags,
                           Completion<std::shared_ptr<const ObjectHead>> done)
    : context_(std::move(context)),
      object_(std::move(object)),
      tags_(std::move(tags)),
      done_(std::move(done)) {}

void TagOperation::start() {
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  lock_key(*context_, object_.bucket, object_.key, LockMode::exclusive,
           [self = shared_from_this()](Result<LockedKey> lock) {
             if (!lock) {
               self->finish(lock.error());
               return;
             }
             self->lock_ = *std::move(lock);
             self->on_locked();
           });
}

void TagOperation::on_locked() {
  members_ = context_->members();
  const std::uint64_t id = lock_.bucket->id;
  if (!object_.version) {
    std::string row_key = object_row(id, object_.key);
    read_current_row(*context_, members_, Family::obj, row_key,
                     [self = shared_from_this(), row_key](Result<Row> row) {
                       if (!row) {
                         self->finish(row.error());
                       } else if (!row->has_value()) {
                         self->finish(Errc::no_such_key);
                       } else {
                         self->on_row(Family::obj, row_key, **row);
                       }
                     });
    return;
  }
  on_current<std::optional<FoundVersion>>(
      *context_, members_, context_->options.drive_timeout,
      [id, key = object_.key, version = *object_.version](Drive& drive) {
        return find_version(drive.index(), id, key, version);
      },
      [self = shared_from_this()](Result<std::optional<FoundVersion>> found) {
        if (!found) {
          self->finish(found.error());
        } else if (!found->has_value()) {
          self->finish(Errc::no_such_version);
        } else {
          self->on_row((*found)->family, (*found)->row_key, (*found)->row);
        }
      });
}

void TagOperation::on_row(Family family, std::string row_key, const Slice& row) {
  Result<ObjectRecord> record = decode_record_head(row.bytes);
  if (!record) {
    finish(record.error());
    return;
  }
  if (record->tombstone) {
    finish(Errc::no_such_key);
    return;
  }
  if (record->delete_marker) {
    finish(Errc::delete_marker);
    return;
  }
  read_object_rows(*context_, members_, family, std::move(row_key), *std::move(record),
                   [self = shared_from_this()](std::shared_ptr<ObjectRows> rows) {
                     self->on_rows(std::move(rows));
                   });
}

void TagOperation::on_rows(std::shared_ptr<ObjectRows> rows) {
  record_ = rows->record;
  record_.attributes.tags = std::move(tags_);
  auto commit = std::make_shared<ComposedCommit>();
  commit->limit_holders(rows->holders());
  std::size_t bytes = 512 + record_.attributes.headers.size() + record_.attributes.tags.size();
  for (const std::optional<LocalRow>& local : rows->locals) {
    bytes = std::max(bytes, local ? local->row.size() + record_.attributes.tags.size() : 0);
  }
  commit->add(bytes, [rows, record = record_](CommitSeq seq, Slot slot, RowBatch& batch) {
    const std::optional<LocalRow>& local = rows->locals[slot];
    const std::string head =
        encode_record(record, local ? local->part : absent_part(record, slot), seq);
    const bool inside = has_place(record, ShardPlace::record);
    const std::string zeros(inside && !local ? record.layout.geometry.shard_bytes(record.bytes) : 0,
                            '\0');
    batch.put(rows->family, rows->row_key, head, local ? local->payload.bytes : as_bytes(zeros));
  });
  commit_locked(*context_, std::move(lock_), std::move(commit),
                [self = shared_from_this()](Result<CommitSeq> seq) {
                  if (!seq) {
                    self->finish(seq.error());
                    return;
                  }
                  self->record_.seq = *seq;
                  self->finish(std::make_shared<const ObjectHead>(to_object_head(self->record_)));
                });
}

void TagOperation::finish(Result<std::shared_ptr<const ObjectHead>> result) {
  lock_.locks.release();
  ticket_.reset();
  Completion<std::shared_ptr<const ObjectHead>> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
