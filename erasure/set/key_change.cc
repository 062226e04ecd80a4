#include "erasure/set/key_change.h"

#include <algorithm>
#include <utility>

#include "erasure/set/object_open.h"

namespace mote::erasure {
namespace {

/// Copies a record's row to another place, drive by drive; a drive that lacks it gets a placeholder
/// that a repair fills in.
void add_copy(ComposedCommit& commit, std::shared_ptr<ObjectRows> rows, Family family,
              std::string row_key) {
  std::size_t bytes = 0;
  for (const std::optional<LocalRow>& local : rows->locals) {
    bytes = std::max(bytes, local ? local->row.size() : 0);
  }
  commit.add(bytes, [rows = std::move(rows), family, row_key = std::move(row_key)](
                        CommitSeq, Slot slot, RowBatch& batch) {
    const std::optional<LocalRow>& local = rows->locals[slot];
    if (local) {
      batch.put(family, row_key, as_text(local->row.bytes));
      return;
    }
    const ObjectRecord& record = rows->record;
    const std::string head = encode_record(record, absent_part(record, slot), record.seq);
    const bool inside = has_place(record, ShardPlace::record);
    const std::string zeros(inside ? record.layout.geometry.shard_bytes(record.bytes) : 0, '\0');
    batch.put(family, row_key, head, as_bytes(zeros));
  });
}

/// The newest row of `ver` for a key.
Result<std::optional<FoundVersion>> newest_archived(const Index& index, std::uint64_t bucket_id,
                                                    std::string_view key) {
  const std::string lower = version_rows(bucket_id, key);
  const std::unique_ptr<IndexCursor> cursor =
      index.cursor(Family::ver, lower, prefix_end(lower), false);
  cursor->seek(lower);
  if (!cursor->valid()) {
    if (const Status status = cursor->status(); !status) {
      return status.error();
    }
    return std::optional<FoundVersion>();
  }
  return std::optional<FoundVersion>(FoundVersion{Family::ver, std::string(cursor->key()),
                                                  Slice::copy(as_bytes(cursor->value()))});
}

}  // namespace

std::string tombstone_row(std::string_view object_row) {
  std::string row(kTombstoneRows);
  row.append(object_row);
  return row;
}

void add_garbage_file(RowBatch& rows, CommitSeq seq, const LocalExtent& local,
                      const Geometry& geometry, const Extent& extent) {
  if (extent.place == ShardPlace::file && !is_absent(local)) {
    rows.put(Family::gc, garbage_row(seq, local.file),
             encode_garbage({local.dirno, geometry.shard_file_bytes(extent.bytes)}));
  }
}

void add_garbage(ComposedCommit& commit, const ObjectRecord& record, const ObjectRows* rows) {
  for (const Extent& extent : record.extents) {
    if (extent.place == ShardPlace::pay) {
      commit.erase(Family::pay, payload_row(extent.data_seq, extent.pay_index));
    }
  }
  if (!has_place(record, ShardPlace::file)) {
    return;
  }
  std::vector<std::vector<LocalExtent>> files(rows->locals.size());
  for (std::size_t slot = 0; slot < files.size(); ++slot) {
    if (rows->locals[slot]) {
      files[slot] = rows->locals[slot]->part.extents;
    }
  }
  commit.add(record.extents.size() * 64,
             [files = std::move(files), extents = record.extents,
              geometry = record.layout.geometry](CommitSeq seq, Slot slot, RowBatch& batch) {
               for (std::size_t i = 0; i < files[slot].size(); ++i) {
                 add_garbage_file(batch, seq, files[slot][i], geometry, extents[i]);
               }
             });
}

KeyChange::KeyChange(std::shared_ptr<SetContext> context, LockedKey lock, std::string key)
    : context_(std::move(context)),
      lock_(std::move(lock)),
      key_(std::move(key)),
      head_row_(object_row(lock_.bucket->id, key_)),
      members_(context_->members()),
      commit_(std::make_shared<ComposedCommit>()) {}

void KeyChange::load_head(Completion<void> done) {
  read_current_row(*context_, members_, Family::obj, head_row_,
                   [self = shared_from_this(), done = std::move(done)](Result<Row> row) mutable {
                     if (!row) {
                       done(row.error());
                       return;
                     }
                     if (row->has_value()) {
                       Result<ObjectRecord> record = decode_record_head((*row)->bytes);
                       if (!record) {
                         done(record.error());
                         return;
                       }
                       self->head_ = *std::move(record);
                     }
                     done(ok());
                   });
}

const ObjectRecord* KeyChange::newest() const noexcept {
  return head_ && !head_->tombstone ? &*head_ : nullptr;
}

const ObjectRecord* KeyChange::current() const noexcept {
  const ObjectRecord* record = newest();
  return record != nullptr && !record->delete_marker ? record : nullptr;
}

Status KeyChange::check(const Preconditions& preconditions) const {
  const ObjectRecord* object = current();
  if (preconditions.if_absent && object != nullptr) {
    return {Errc::precondition_failed, "set.if_absent"};
  }
  if (preconditions.if_exists && object == nullptr) {
    return {Errc::precondition_failed, "set.if_exists"};
  }
  if (preconditions.if_match) {
    const std::vector<ETag>& tags = *preconditions.if_match;
    if (object == nullptr || std::find(tags.begin(), tags.end(), object->etag) == tags.end()) {
      return {Errc::precondition_failed, "set.if_match"};
    }
  }
  const std::vector<ETag>& unwanted = preconditions.if_none_match;
  if (object != nullptr &&
      std::find(unwanted.begin(), unwanted.end(), object->etag) != unwanted.end()) {
    return {Errc::precondition_failed, "set.if_none_match"};
  }
  return ok();
}

void KeyChange::displace(ObjectRecord& record, Completion<void> done) {
  const Versioning versioning = bucket().versioning;
  record.versioned = versioning != Versioning::off;
  record.version = versioning == Versioning::enabled ? context_->outside.rng.uuid() : kNullVersion;
  record.modified_ms = context_->outside.clock.wall_ms();
  if (head_ && head_->tombstone) {
    commit_->erase(Family::sys, tombstone_row(head_row_));
    done(ok());
    return;
  }
  if (!head_) {
    done(ok());
    return;
  }
  if (versioning == Versioning::off ||
      (versioning == Versioning::suspended && head_->version == kNullVersion)) {
    discard_head(std::move(done));
    return;
  }
  if (versioning == Versioning::enabled) {
    archive_head(std::move(done));
    return;
  }
  archive_head([self = shared_from_this(), done = std::move(done)](Status archived) mutable {
    if (!archived) {
      done(archived);
      return;
    }
    self->drop_null_version(std::move(done));
  });
}

void KeyChange::discard_head(Completion<void> done) {
  discard_version({}, *head_, std::move(done));
}

/// Adds the garbage of one version; `row_key` names its row in `ver`, to be erased, if it is there.
void KeyChange::discard_version(const std::string& row_key, ObjectRecord record,
                                Completion<void> done) {
  const bool archived = !row_key.empty();
  if (archived) {
    commit_->erase(Family::ver, row_key);
  }
  if (!has_place(record, ShardPlace::file)) {
    add_garbage(*commit_, record, nullptr);
    done(ok());
    return;
  }
  read_object_rows(*context_, members_, archived ? Family::ver : Family::obj,
                   archived ? row_key : head_row_, std::move(record),
                   [self = shared_from_this(),
                    done = std::move(done)](std::shared_ptr<ObjectRows> rows) mutable {
                     add_garbage(*self->commit_, rows->record, rows.get());
                     done(ok());
                   });
}

void KeyChange::archive_head(Completion<void> done) {
  read_object_rows(
      *context_, members_, Family::obj, head_row_, *head_,
      [self = shared_from_this(),
       done = std::move(done)](std::shared_ptr<ObjectRows> rows) mutable {
        std::string row = version_row(self->bucket().id, self->key_, rows->record.seq);
        const auto lacking = static_cast<SlotMask>(self->members_->writers() & ~rows->holders());
        if (lacking != 0 && !rows->record.extents.empty() && self->context_->repairs != nullptr) {
          self->context_->repairs->enqueue({Family::ver, row});
        }
        add_copy(*self->commit_, std::move(rows), Family::ver, std::move(row));
        done(ok());
      });
}

void KeyChange::drop_null_version(Completion<void> done) {
  on_current<std::optional<FoundVersion>>(
      *context_, members_, context_->options.drive_timeout,
      [id = bucket().id, key = key_](Drive& drive) {
        return find_version(drive.index(), id, key, kNullVersion);
      },
      [self = shared_from_this(),
       done = std::move(done)](Result<std::optional<FoundVersion>> found) mutable {
        if (!found) {
          done(found.error());
          return;
        }
        if (!found->has_value()) {
          done(ok());
          return;
        }
        Result<ObjectRecord> record = decode_record_head((*found)->row.bytes);
        if (!record) {
          done(record.error());
          return;
        }
        self->discard_version((*found)->row_key, *std::move(record), std::move(done));
      });
}

void KeyChange::write_version(const NewVersion& version) {
  auto shared = std::make_shared<const NewVersion>(version);
  const ObjectAttributes& attributes = shared->record.attributes;
  std::size_t bytes = 256 + attributes.headers.size() + attributes.tags.size();
  bytes += shared->shards.empty() ? 0 : shared->shards.front().size();
  if (!shared->locals.empty()) {
    for (const LocalExtent& extent : shared->locals.front().extents) {
      bytes += 64 + extent.stripe_sums.size() * sizeof(Sum128);
    }
  }
  commit_->limit_holders(shared->holders);
  short_of_ = static_cast<SlotMask>(members_->writers() & ~shared->holders);
  commit_->add(bytes, [shared, row = head_row_](CommitSeq seq, Slot slot, RowBatch& rows) {
    const ObjectRecord& record = shared->record;
    const LocalPart local = shared->locals.empty() ? LocalPart{} : shared->locals[slot];
    const std::string head = encode_record(record, local, seq);
    const ByteView shard = shared->shards.empty() ? ByteView{} : shared->shards[slot].bytes;
    const bool inside = has_place(record, ShardPlace::record);
    rows.put(Family::obj, row, head, inside ? shard : ByteView{});
    if (has_place(record, ShardPlace::pay) && record.extents[0].data_seq.is_zero()) {
      rows.put(Family::pay, payload_row(seq, record.extents[0].pay_index), as_text(shard));
    }
  });
}

void KeyChange::remove_version(const VersionId& version, std::optional<ObjectRecord>& removed,
                               Completion<void> done) {
  if (const ObjectRecord* head = newest(); head != nullptr && head->version == version) {
    removed = *head;
    remove_head(std::move(done));
    return;
  }
  if (newest() == nullptr || bucket().versioning == Versioning::off) {
    done(ok());
    return;
  }
  on_current<std::optional<FoundVersion>>(
      *context_, members_, context_->options.drive_timeout,
      [id = bucket().id, key = key_, version](Drive& drive) {
        return find_version(drive.index(), id, key, version);
      },
      [self = shared_from_this(), &removed,
       done = std::move(done)](Result<std::optional<FoundVersion>> found) mutable {
        if (!found || !found->has_value()) {
          done(found ? Status(ok()) : Status(found.error()));
          return;
        }
        Result<ObjectRecord> record = decode_record_head((*found)->row.bytes);
        if (!record) {
          done(record.error());
          return;
        }
        removed = *record;
        self->discard_version((*found)->row_key, *std::move(record), std::move(done));
      });
}

/// Takes the newest version away; the one before it, if any, becomes the newest.
void KeyChange::remove_head(Completion<void> done) {
  discard_head([self = shared_from_this(), done = std::move(done)](Status discarded) mutable {
    if (!discarded || self->bucket().versioning == Versioning::off) {
      self->bury();
      done(discarded);
      return;
    }
    on_current<std::optional<FoundVersion>>(
        *self->context_, self->members_, self->context_->options.drive_timeout,
        [id = self->bucket().id, key = self->key_](Drive& drive) {
          return newest_archived(drive.index(), id, key);
        },
        [self, done = std::move(done)](Result<std::optional<FoundVersion>> found) mutable {
          if (!found) {
            done(found.error());
            return;
          }
          if (!found->has_value()) {
            self->bury();
            done(ok());
            return;
          }
          Result<ObjectRecord> record = decode_record_head((*found)->row.bytes);
          if (!record) {
            done(record.error());
            return;
          }
          self->promote((*found)->row_key, *std::move(record), std::move(done));
        });
  });
}

void KeyChange::promote(const std::string& row_key, ObjectRecord record, Completion<void> done) {
  commit_->erase(Family::ver, row_key);
  read_object_rows(*context_, members_, Family::ver, row_key, std::move(record),
                   [self = shared_from_this(),
                    done = std::move(done)](std::shared_ptr<ObjectRows> rows) mutable {
                     const auto lacking =
                         static_cast<SlotMask>(self->members_->writers() & ~rows->holders());
                     if (!rows->record.extents.empty()) {
                       self->short_of_ = static_cast<SlotMask>(self->short_of_ | lacking);
                     }
                     add_copy(*self->commit_, std::move(rows), Family::obj, self->head_row_);
                     done(ok());
                   });
}

Layout KeyChange::empty_layout() const {
  return {context_->geometry, context_->geometry.start_of(lock_.key_hash),
          context_->options.set_id};
}

/// No version is left. While a drive is away the key keeps a tombstone that outvotes what that
/// drive has.
void KeyChange::bury() {
  if (members_->complete()) {
    commit_->erase(Family::obj, head_row_);
    return;
  }
  ObjectRecord tombstone;
  tombstone.tombstone = true;
  tombstone.layout = empty_layout();
  tombstone.modified_ms = context_->outside.clock.wall_ms();
  commit_->add(512, [tombstone, row = head_row_](CommitSeq seq, Slot, RowBatch& rows) {
    rows.put(Family::obj, row, encode_record(tombstone, LocalPart{}, seq));
    rows.put(Family::sys, tombstone_row(row), "");
  });
}

void KeyChange::submit(Completion<CommitSeq> done) {
  commit_locked(*context_, std::move(lock_), commit_,
                [self = shared_from_this(), done = std::move(done)](Result<CommitSeq> seq) mutable {
                  if (seq && self->short_of_ != 0 && self->context_->repairs != nullptr) {
                    self->context_->repairs->enqueue({Family::obj, self->head_row_});
                  }
                  done(seq);
                });
}

}  // namespace mote::erasure
