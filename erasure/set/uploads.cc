#include "erasure/set/uploads.h"

#include <utility>

#include "erasure/meta/keys.h"

namespace mote::erasure {
namespace {

/// The session row as a current drive has it, or no_such_upload.
void check_session(SetContext& context, const std::shared_ptr<const Members>& members,
                   const std::string& row, Completion<void> done) {
  read_current_row(context, members, Family::mpu, row,
                   [done = std::move(done)](Result<Row> session) mutable {
                     if (!session) {
                       done(session.error());
                     } else if (!session->has_value()) {
                       done(Errc::no_such_upload);
                     } else {
                       done(ok());
                     }
                   });
}

}  // namespace

UploadInfo upload_info(std::string bucket, UploadRecord record) {
  UploadInfo info;
  info.ref = {std::move(bucket), std::move(record.key), record.upload};
  info.created_ms = record.created_ms;
  info.attributes = std::move(record.attributes);
  info.checksum = record.checksum;
  info.checksum_full_object = record.checksum_full_object;
  info.owner = std::move(record.owner);
  return info;
}

PartInfo part_info(const PartRecord& part) {
  PartInfo info;
  info.number = part.extent.number;
  info.bytes = part.extent.bytes;
  info.modified_ms = part.modified_ms;
  info.etag = part.etag;
  info.checksum = part.extent.checksum;
  info.commit = commit_number(part.seq);
  return info;
}

Result<UploadRows> scan_upload(const Index& index, std::uint64_t bucket_id, const std::string& key,
                               const UploadId& upload) {
  const std::string lower = upload_row(bucket_id, key, upload);
  const auto cursor = index.cursor(Family::mpu, lower, prefix_end(lower), false);
  UploadRows rows;
  for (cursor->seek(lower); cursor->valid(); cursor->next()) {
    const std::optional<UploadRow> row = parse_upload_row(cursor->key());
    const ByteView value = as_bytes(cursor->value());
    if (!row) {
      return {Errc::corrupt, "set.upload_row"};
    }
    if (!row->part) {
      Result<UploadRecord> session = decode_upload(value);
      if (!session) {
        return session.error();
      }
      rows.session = *std::move(session);
      continue;
    }
    Result<DecodedPart> part = decode_part(value);
    if (!part) {
      return part.error();
    }
    rows.parts.emplace(*row->part, *std::move(part));
  }
  if (const Status status = cursor->status(); !status) {
    return status.error();
  }
  return rows;
}

void read_upload(SetContext& context, const std::shared_ptr<const Members>& members,
                 std::uint64_t bucket_id, const UploadRef& upload,
                 Completion<UploadOnDrives> done) {
  on_slots<UploadRows>(
      context, members, readable_slots(*members),
      [bucket_id, upload](Drive& drive) {
        return scan_upload(drive.index(), bucket_id, upload.key, upload.upload);
      },
      [members, done = std::move(done)](SlotAnswers<UploadRows> answers) mutable {
        UploadOnDrives result;
        result.slots.resize(answers.size());
        bool trusted = false;
        bool corrupt = false;
        for (Slot slot = 0; slot < answers.size(); ++slot) {
          if (!answers[slot]) {
            corrupt = corrupt || answers[slot].error().code == Errc::corrupt;
            continue;
          }
          if (!trusted && members->is_current(slot)) {
            result.trusted = *answers[slot];
            trusted = true;
          }
          result.slots[slot] = *std::move(answers[slot]);
        }
        if (!trusted) {
          done({corrupt ? Errc::corrupt : Errc::read_quorum, "set.read_upload"});
        } else if (!result.trusted.session) {
          done(Errc::no_such_upload);
        } else {
          done(std::move(result));
        }
      });
}

const LocalExtent* find_local(const std::optional<UploadRows>& rows, const PartRecord& part) {
  if (!rows) {
    return nullptr;
  }
  const auto found = rows->parts.find(part.extent.number);
  if (found == rows->parts.end() || found->second.part.seq != part.seq ||
      found->second.local.extents.size() != 1) {
    return nullptr;
  }
  const LocalExtent& local = found->second.local.extents.front();
  return part.extent.place == ShardPlace::file && is_absent(local) ? nullptr : &local;
}

void add_upload_removal(ComposedCommit& commit, std::uint64_t bucket_id, const UploadRef& upload,
                        const UploadOnDrives& rows, const std::map<std::uint16_t, bool>& kept) {
  commit.erase(Family::mpu, upload_row(bucket_id, upload.key, upload.upload));
  for (const auto& [number, part] : rows.trusted.parts) {
    commit.erase(Family::mpu, part_row(bucket_id, upload.key, upload.upload, number));
  }
  struct Waste {
    Geometry geometry;
    Extent extent;
    LocalExtent local;
  };
  std::vector<std::vector<Waste>> waste(rows.slots.size());
  std::size_t most = 0;
  for (std::size_t slot = 0; slot < rows.slots.size(); ++slot) {
    if (!rows.slots[slot]) {
      continue;
    }
    for (const auto& [number, part] : rows.slots[slot]->parts) {
      if (!kept.contains(number) && !part.local.extents.empty()) {
        waste[slot].push_back(
            {part.part.layout.geometry, part.part.extent, part.local.extents.front()});
      }
    }
    most = std::max(most, waste[slot].size());
  }
  if (most > 0) {
    commit.add(most * 64, [waste = std::move(waste)](CommitSeq seq, Slot slot, RowBatch& batch) {
      for (const Waste& file : waste[slot]) {
        add_garbage_file(batch, seq, file.local, file.geometry, file.extent);
      }
    });
  }
}

void start_create_upload(const std::shared_ptr<SetContext>& context, CreateUploadRequest request,
                         Completion<UploadInfo> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  if (!is_valid_key(request.key)) {
    done({Errc::invalid_argument, "set.create_upload"});
    return;
  }
  const std::string bucket = request.bucket;
  const std::string key = request.key;
  lock_key(*context, bucket, key, LockMode::exclusive,
           [context, request = std::move(request), ticket = *std::move(ticket),
            done = std::move(done)](Result<LockedKey> lock) mutable {
             if (!lock) {
               ticket.leave();
               done(lock.error());
               return;
             }
             UploadRecord record;
             record.layout = {context->geometry, context->geometry.start_of(lock->key_hash),
                              context->options.set_id};
             record.created_ms = context->outside.clock.wall_ms();
             record.upload = context->outside.rng.uuid();
             record.key = request.key;
             record.checksum = request.checksum;
             record.checksum_full_object = request.checksum_full_object;
             record.owner = std::move(request.owner);
             record.attributes = std::move(request.attributes);
             auto commit = std::make_shared<ComposedCommit>();
             commit->add(512 + record.key.size() * 2 + record.attributes.headers.size(),
                         [record, row = upload_row(lock->bucket->id, record.key, record.upload)](
                             CommitSeq seq, Slot, RowBatch& rows) {
                           rows.put(Family::mpu, row, encode_upload(record, seq));
                         });
             UploadInfo info = upload_info(std::move(request.bucket), std::move(record));
             commit_locked(*context, *std::move(lock), std::move(commit),
                           [context, info = std::move(info), ticket = std::move(ticket),
                            done = std::move(done)](Result<CommitSeq> seq) mutable {
                             ticket.leave();
                             done(seq ? Result<UploadInfo>(std::move(info))
                                      : Result<UploadInfo>(seq.error()));
                           });
           });
}

void start_get_upload(const std::shared_ptr<SetContext>& context, UploadRef upload,
                      Completion<UploadInfo> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  const std::shared_ptr<const BucketInfo> bucket = context->buckets.find(upload.bucket);
  if (!bucket) {
    done(Errc::no_such_bucket);
    return;
  }
  on_current<UploadRows>(
      *context, context->members(), context->options.drive_timeout,
      [id = bucket->id, upload](Drive& drive) {
        return scan_upload(drive.index(), id, upload.key, upload.upload);
      },
      [upload, ticket = *std::move(ticket),
       done = std::move(done)](Result<UploadRows> rows) mutable {
        ticket.leave();
        if (!rows) {
          done(rows.error());
          return;
        }
        if (!rows->session) {
          done(Errc::no_such_upload);
          return;
        }
        UploadInfo info = upload_info(std::move(upload.bucket), *std::move(rows->session));
        for (const auto& [number, part] : rows->parts) {
          info.parts.push_back(part_info(part.part));
        }
        done(std::move(info));
      });
}

void start_abort_upload(const std::shared_ptr<SetContext>& context, UploadRef upload,
                        Completion<void> done) {
  std::optional<Gate::Ticket> ticket = context->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  const std::string bucket = upload.bucket;
  const std::string key = upload.key;
  lock_key(*context, bucket, key, LockMode::exclusive,
           [context, upload = std::move(upload), ticket = *std::move(ticket),
            done = std::move(done)](Result<LockedKey> lock) mutable {
             if (!lock) {
               ticket.leave();
               done(lock.error());
               return;
             }
             const std::uint64_t id = lock->bucket->id;
             read_upload(*context, context->members(), id, upload,
                         [context, upload, id, lock = *std::move(lock), ticket = std::move(ticket),
                          done = std::move(done)](Result<UploadOnDrives> rows) mutable {
                           if (!rows) {
                             lock.locks.release();
                             ticket.leave();
                             done(rows.error());
                             return;
                           }
                           auto commit = std::make_shared<ComposedCommit>();
                           add_upload_removal(*commit, id, upload, *rows, {});
                           commit_locked(*context, std::move(lock), std::move(commit),
                                         [ticket = std::move(ticket),
                                          done = std::move(done)](Result<CommitSeq> seq) mutable {
                                           ticket.leave();
                                           done(seq ? Status(ok()) : Status(seq.error()));
                                         });
                         });
           });
}

PartOperation::PartOperation(std::shared_ptr<SetContext> context, PutPartRequest request,
                             Completion<PartInfo> done)
    : context_(std::move(context)), request_(std::move(request)), done_(std::move(done)) {}

void PartOperation::start(Body body) {
  constexpr std::uint16_t kPartNumberMax = 10'000;  // AWS: Multipart upload limits
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    finish(Errc::shutting_down);
    return;
  }
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.put_part"});
    return;
  }
  if (request_.number == 0 || request_.number > kPartNumberMax) {
    finish({Errc::invalid_argument, "set.put_part"});
    return;
  }
  const std::shared_ptr<const BucketInfo> bucket = context_->buckets.find(request_.upload.bucket);
  if (!bucket) {
    finish(Errc::no_such_bucket);
    return;
  }
  const std::uint64_t id = bucket->id;
  members_ = context_->members();
  auto held = std::make_shared<Body>(std::move(body));
  check_session(*context_, members_, upload_row(id, request_.upload.key, request_.upload.upload),
                [self = shared_from_this(), bucket, held](Status there) {
                  if (!there) {
                    self->finish(there.error());
                    return;
                  }
                  store_body(self->context_, *bucket, 0, std::move(*held), ShardPlace::file,
                             [self](Result<StoredBody> stored) {
                               if (!stored) {
                                 self->finish(stored.error());
                                 return;
                               }
                               self->on_stored(*std::move(stored));
                             });
                });
}

void PartOperation::on_stored(StoredBody body) {
  body_ = std::move(body);
  part_.layout = body_.layout;
  part_.upload = request_.upload.upload;
  part_.etag = request_.etag;
  part_.extent.number = request_.number;
  part_.extent.place = body_.place;
  part_.extent.bytes = body_.bytes;
  part_.extent.checksum = request_.checksum;
  lock_key(*context_, request_.upload.bucket, request_.upload.key, LockMode::exclusive,
           [self = shared_from_this()](Result<LockedKey> lock) {
             if (!lock) {
               self->finish(lock.error());
               return;
             }
             self->on_locked(*std::move(lock));
           });
}

void PartOperation::on_locked(LockedKey lock) {
  lock_ = std::move(lock);
  if (request_.stop.stop_requested()) {
    finish({Errc::cancelled, "set.put_part"});
    return;
  }
  members_ = context_->members();
  const UploadRef& upload = request_.upload;
  check_session(*context_, members_, upload_row(lock_.bucket->id, upload.key, upload.upload),
                [self = shared_from_this()](Status there) {
                  if (!there) {
                    self->finish(there.error());
                    return;
                  }
                  self->on_session();
                });
}

void PartOperation::on_session() {
  const UploadRef& upload = request_.upload;
  read_slot_rows(*context_, members_, readable_slots(*members_), Family::mpu,
                 part_row(lock_.bucket->id, upload.key, upload.upload, request_.number),
                 [self = shared_from_this()](SlotAnswers<Row> rows) { self->on_old_rows(rows); });
}

void PartOperation::on_old_rows(const SlotAnswers<Row>& rows) {
  part_.modified_ms = context_->outside.clock.wall_ms();
  auto commit = std::make_shared<ComposedCommit>();
  std::vector<std::optional<DecodedPart>> old(rows.size());
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    if (rows[slot] && rows[slot]->has_value()) {
      if (Result<DecodedPart> part = decode_part((*rows[slot])->bytes)) {
        old[slot] = *std::move(part);
      }
    }
  }
  std::vector<LocalPart> locals(context_->drives());
  std::size_t sums = 0;
  for (Slot slot = 0; slot < locals.size(); ++slot) {
    locals[slot].shard_index = context_->geometry.shard_of_slot(slot, body_.layout.start);
    locals[slot].extents.push_back(body_.locals.empty() ? LocalExtent{} : body_.locals[slot]);
    sums = std::max(sums, locals[slot].extents.front().stripe_sums.size());
  }
  commit->limit_holders(body_.holders);
  const UploadRef& upload = request_.upload;
  commit->add(512 + sums * sizeof(Sum128),
              [part = part_, locals = std::move(locals), old = std::move(old),
               row = part_row(lock_.bucket->id, upload.key, upload.upload, request_.number)](
                  CommitSeq seq, Slot slot, RowBatch& batch) {
                batch.put(Family::mpu, row, encode_part(part, locals[slot], seq));
                if (old[slot] && !old[slot]->local.extents.empty()) {
                  add_garbage_file(batch, seq, old[slot]->local.extents.front(),
                                   old[slot]->part.layout.geometry, old[slot]->part.extent);
                }
              });
  commit_locked(*context_, std::move(lock_), std::move(commit),
                [self = shared_from_this()](Result<CommitSeq> seq) {
                  if (self->body_.files && (seq || may_be_decided(seq.error().code))) {
                    self->body_.files->keep();
                  }
                  if (!seq) {
                    self->finish(seq.error());
                    return;
                  }
                  self->part_.seq = *seq;
                  self->finish(part_info(self->part_));
                });
}

void PartOperation::finish(Result<PartInfo> result) {
  lock_.locks.release();
  body_ = {};
  ticket_.reset();
  Completion<PartInfo> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
