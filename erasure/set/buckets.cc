#include "erasure/set/buckets.h"

#include <algorithm>
#include <utility>

#include "erasure/meta/record_codec.h"
#include "erasure/set/composed_commit.h"
#include "erasure/set/on_slots.h"
#include "erasure/set/uploads.h"

namespace mote::erasure {
namespace {

Status load_from(const Index& index, std::vector<std::shared_ptr<const BucketInfo>>& buckets) {
  buckets.clear();
  const auto cursor = index.cursor(Family::sys, kBucketRows, prefix_end(kBucketRows), false);
  for (cursor->seek(kBucketRows); cursor->valid(); cursor->next()) {
    Result<BucketRecord> record = decode_bucket(as_bytes(cursor->value()));
    if (!record) {
      return record.error();
    }
    buckets.push_back(std::make_shared<const BucketInfo>(std::move(record->info)));
  }
  return cursor->status();
}

void set_document(BucketInfo& info, const std::string& name, std::optional<std::string> content) {
  auto& documents = info.documents;
  const auto found = std::find_if(documents.begin(), documents.end(),
                                  [&](const auto& document) { return document.first == name; });
  if (!content) {
    if (found != documents.end()) {
      documents.erase(found);
    }
    return;
  }
  if (found != documents.end()) {
    found->second = *std::move(content);
  } else {
    documents.emplace_back(name, *std::move(content));
  }
}

std::size_t row_bytes(const BucketInfo& info) {
  std::size_t bytes = 256 + info.name.size() * 2 + info.owner.size() + info.region.size();
  for (const auto& [name, content] : info.documents) {
    bytes += name.size() + content.size() + 8;
  }
  return bytes;
}

/// Commits a bucket's row and then changes the table; unlocks before `done`.
void commit_bucket(const std::shared_ptr<SetContext>& context, BucketInfo info, KeyLocks::Held lock,
                   Gate::Ticket ticket, Completion<std::shared_ptr<const BucketInfo>> done) {
  auto shared = std::make_shared<const BucketInfo>(std::move(info));
  auto commit = std::make_shared<ComposedCommit>();
  commit->add(row_bytes(*shared), [shared](CommitSeq seq, Slot, RowBatch& rows) {
    BucketRecord record;
    record.info = *shared;
    rows.put(Family::sys, bucket_row(shared->name), encode_bucket(record, seq));
  });
  context->pipeline->submit(std::move(commit),
                            [context, shared, lock = std::move(lock), ticket = std::move(ticket),
                             done = std::move(done)](Result<CommitSeq> seq) mutable {
                              if (seq) {
                                context->buckets.put(shared);
                              }
                              lock.release();
                              ticket.leave();
                              done(seq ? Result<std::shared_ptr<const BucketInfo>>(shared)
                                       : Result<std::shared_ptr<const BucketInfo>>(seq.error()));
                            });
}

/// True if the drive has an object, a version or a delete marker of the bucket.
Result<bool> has_entries(const Index& index, std::uint64_t bucket_id) {
  const std::string lower = bucket_rows(bucket_id);
  const auto heads = index.cursor(Family::obj, lower, prefix_end(lower), false);
  for (heads->seek(lower); heads->valid(); heads->next()) {
    const Result<RecordPeek> peek = peek_record(as_bytes(heads->value()));
    if (!peek) {
      return peek.error();
    }
    if (!peek->tombstone) {
      return true;
    }
  }
  if (const Status status = heads->status(); !status) {
    return status.error();
  }
  return false;
}

/// Every upload of a bucket on one drive, by row key.
struct UploadFiles {
  std::vector<std::string> rows;
  std::vector<DecodedPart> parts;
};
Result<UploadFiles> scan_uploads(const Index& index, std::uint64_t bucket_id) {
  UploadFiles files;
  const std::string lower = bucket_rows(bucket_id);
  const auto cursor = index.cursor(Family::mpu, lower, prefix_end(lower), false);
  for (cursor->seek(lower); cursor->valid(); cursor->next()) {
    files.rows.emplace_back(cursor->key());
    const std::optional<UploadRow> row = parse_upload_row(cursor->key());
    if (row && row->part) {
      Result<DecodedPart> part = decode_part(as_bytes(cursor->value()));
      if (!part) {
        return part.error();
      }
      files.parts.push_back(*std::move(part));
    }
  }
  if (const Status status = cursor->status(); !status) {
    return status.error();
  }
  return files;
}

/// DeleteBucket, step by step.
class BucketDelete : public std::enable_shared_from_this<BucketDelete> {
 public:
  BucketDelete(std::shared_ptr<SetContext> context, std::string name, Completion<void> done)
      : context_(std::move(context)), name_(std::move(name)), done_(std::move(done)) {}

  void start() {
    ticket_ = context_->gate.enter();
    if (!ticket_) {
      finish(Errc::shutting_down);
      return;
    }
    context_->locks.acquire(LockId::bucket(name_), LockMode::exclusive,
                            [self = shared_from_this()](KeyLocks::Held lock) {
                              self->lock_ = std::move(lock);
                              self->on_locked();
                            });
  }

 private:
  void on_locked() {
    bucket_ = context_->buckets.find(name_);
    if (!bucket_) {
      finish(Errc::no_such_bucket);
      return;
    }
    on_current<bool>(
        *context_, context_->members(), context_->options.drive_timeout,
        [id = bucket_->id](Drive& drive) { return has_entries(drive.index(), id); },
        [self = shared_from_this()](Result<bool> entries) {
          if (!entries) {
            self->finish(entries.error());
          } else if (*entries) {
            self->finish(Errc::bucket_not_empty);
          } else {
            self->collect_uploads();
          }
        });
  }

  void collect_uploads() {
    const std::shared_ptr<const Members> members = context_->members();
    on_slots<UploadFiles>(
        *context_, members, readable_slots(*members),
        [id = bucket_->id](Drive& drive) { return scan_uploads(drive.index(), id); },
        [self = shared_from_this(), members](SlotAnswers<UploadFiles> answers) {
          self->commit(*members, std::move(answers));
        });
  }

  void commit(const Members& members, SlotAnswers<UploadFiles> answers) {
    auto commit = std::make_shared<ComposedCommit>();
    commit->erase(Family::sys, bucket_row(name_));
    bool trusted = false;
    for (Slot slot = 0; slot < answers.size() && !trusted; ++slot) {
      if (answers[slot] && members.is_current(slot)) {
        trusted = true;
        for (const std::string& row : answers[slot]->rows) {
          commit->erase(Family::mpu, row);
        }
      }
    }
    if (!trusted) {
      finish({Errc::read_quorum, "set.delete_bucket"});
      return;
    }
    std::size_t most = 0;
    for (const Result<UploadFiles>& answer : answers) {
      most = std::max(most, answer ? answer->parts.size() : 0);
    }
    if (most > 0) {
      commit->add(most * 64,
                  [answers = std::move(answers)](CommitSeq seq, Slot slot, RowBatch& rows) {
                    if (!answers[slot]) {
                      return;
                    }
                    for (const DecodedPart& part : answers[slot]->parts) {
                      if (!part.local.extents.empty()) {
                        add_garbage_file(rows, seq, part.local.extents.front(),
                                         part.part.layout.geometry, part.part.extent);
                      }
                    }
                  });
    }
    context_->pipeline->submit(std::move(commit),
                               [self = shared_from_this()](Result<CommitSeq> seq) {
                                 if (seq) {
                                   self->context_->buckets.erase(self->name_);
                                 }
                                 self->finish(seq ? Status(ok()) : Status(seq.error()));
                               });
  }

  void finish(const Status& status) {
    lock_.release();
    ticket_.reset();
    Completion<void> done = std::move(done_);
    done(status);
  }

  const std::shared_ptr<SetContext> context_;
  const std::string name_;
  Completion<void> done_;
  std::optional<Gate::Ticket> ticket_;
  KeyLocks::Held lock_;
  std::shared_ptr<const BucketInfo> bucket_;
};

}  // namespace

Status load_buckets(SetContext& context) {
  const std::shared_ptr<const Members> members = context.members();
  Error error{Errc::read_quorum, 0, "set.load_buckets"};
  for (const Slot slot : current_order(*members)) {
    std::vector<std::shared_ptr<const BucketInfo>> buckets;
    if (const Status loaded = load_from(members->slots[slot].drive->index(), buckets); !loaded) {
      error = loaded.error();
      continue;
    }
    context.buckets.assign(std::move(buckets));
    return ok();
  }
  return error;
}

void start_create_bucket(const std::shared_ptr<SetContext>& context, CreateBucketRequest request,
                         Completion<std::shared_ptr<const BucketInfo>> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  if (request.name.empty()) {
    done({Errc::invalid_argument, "set.create_bucket"});
    return;
  }
  const LockId lock = LockId::bucket(request.name);
  context->locks.acquire(lock, LockMode::exclusive,
                         [context, request = std::move(request), ticket = *std::move(ticket),
                          done = std::move(done)](KeyLocks::Held held) mutable {
                           if (context->buckets.find(request.name)) {
                             held.release();
                             ticket.leave();
                             done(Errc::bucket_exists);
                             return;
                           }
                           BucketInfo info;
                           info.name = std::move(request.name);
                           do {
                             info.id = context->outside.rng.next();
                           } while (info.id == 0);
                           info.revision = 1;
                           info.created_ms = context->outside.clock.wall_ms();
                           info.owner = std::move(request.owner);
                           info.region = std::move(request.region);
                           commit_bucket(context, std::move(info), std::move(held),
                                         std::move(ticket), std::move(done));
                         });
}

void start_update_bucket(const std::shared_ptr<SetContext>& context, UpdateBucketRequest request,
                         Completion<std::shared_ptr<const BucketInfo>> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  const LockId lock = LockId::bucket(request.name);
  context->locks.acquire(lock, LockMode::exclusive,
                         [context, request = std::move(request), ticket = *std::move(ticket),
                          done = std::move(done)](KeyLocks::Held held) mutable {
                           const std::shared_ptr<const BucketInfo> now =
                               context->buckets.find(request.name);
                           const bool back = now && request.versioning == Versioning::off &&
                                             now->versioning != Versioning::off;
                           if (!now || back) {  // once versioned, never unversioned
                             held.release();
                             ticket.leave();
                             done(now ? Errc::invalid_argument : Errc::no_such_bucket);
                             return;
                           }
                           BucketInfo info = *now;
                           if (request.versioning) {
                             info.versioning = *request.versioning;
                           }
                           if (!request.document.empty()) {
                             set_document(info, request.document, std::move(request.content));
                           }
                           ++info.revision;
                           commit_bucket(context, std::move(info), std::move(held),
                                         std::move(ticket), std::move(done));
                         });
}

void start_delete_bucket(const std::shared_ptr<SetContext>& context, std::string name,
                         Completion<void> done) {
  std::make_shared<BucketDelete>(context, std::move(name), std::move(done))->start();
}

}  // namespace mote::erasure
