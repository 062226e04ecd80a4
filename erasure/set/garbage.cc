#include "erasure/set/garbage.h"

#include "erasure/meta/record_codec.h"
#include "erasure/set/composed_commit.h"
#include "erasure/set/key_change.h"
#include "erasure/set/on_slots.h"
#include "erasure/set/slot_commit.h"

namespace mote::erasure {

void GarbageCollector::start() {
  schedule();
}

void GarbageCollector::schedule() {
  context_->outside.scheduler.after(context_->options.garbage_period, [weak = weak_from_this()] {
    const std::shared_ptr<GarbageCollector> self = weak.lock();
    if (!self) {
      return;
    }
    self->run_round([self](Result<std::size_t> removed) {
      if (removed || removed.error().code != Errc::shutting_down) {
        self->schedule();
      }
    });
  });
}

/// The highest sequence that was applied everywhere a grace ago.
CommitSeq GarbageCollector::ripe() {
  const Clock::Steady now = context_->outside.clock.steady();
  const std::lock_guard lock(mutex_);
  ages_.emplace_back(now, context_->pipeline->applied_everywhere());
  CommitSeq limit;
  while (!ages_.empty() && now - ages_.front().first >= context_->options.garbage_grace) {
    limit = ages_.front().second;
    if (ages_.size() == 1 || now - ages_[1].first < context_->options.garbage_grace) {
      break;
    }
    ages_.pop_front();
  }
  return limit;
}

void GarbageCollector::run_round(Completion<std::size_t> done) {
  std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  const CommitSeq limit = ripe();
  if (!context_->members()->complete()) {
    ticket->leave();
    done(std::size_t{0});
    return;
  }
  purge_tombstones();
  if (limit.is_zero()) {
    ticket->leave();
    done(std::size_t{0});
    return;
  }
  sweep_files(limit, *std::move(ticket), std::move(done));
}

void GarbageCollector::sweep_files(CommitSeq limit, Gate::Ticket ticket,
                                   Completion<std::size_t> done) {
  std::shared_ptr<const Members> members = context_->members();
  const SlotMask slots = members->current;
  on_slots<Removed>(
      *context_, std::move(members), slots,
      [context = context_, limit](Drive& drive) -> Result<Removed> {
        Removed removed;
        const auto cursor = drive.index().cursor(Family::gc, "", "", false);
        for (cursor->seek(""); cursor->valid(); cursor->next()) {
          const std::optional<GarbageRow> row = parse_garbage_row(cursor->key());
          if (!row) {
            continue;
          }
          if (row->seq > limit || removed.rows.size() == kFilesPerRound) {
            break;
          }
          const Result<GarbageRecord> record = decode_garbage(as_bytes(cursor->value()));
          if (!record) {
            return record.error();
          }
          if (context->pins.is_pinned(row->file)) {
            continue;
          }
          if (!context->members()->complete()) {
            break;
          }
          const Status gone = drive.shard_files().unlink({row->file, record->dirno});
          if (!gone) {
            return gone.error();
          }
          context->reach(CrashPoint::garbage_unlinked);
          removed.rows.emplace_back(cursor->key());
        }
        return removed;
      },
      [self = shared_from_this(), ticket = std::move(ticket),
       done = std::move(done)](SlotAnswers<Removed> removed) mutable {
        self->commit_rows(std::move(removed), std::move(ticket), std::move(done));
      });
}

void GarbageCollector::commit_rows(std::vector<Result<Removed>> removed, Gate::Ticket ticket,
                                   Completion<std::size_t> done) {
  std::vector<SlotRows> slots(removed.size());
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < removed.size(); ++slot) {
    if (!removed[slot]) {
      continue;
    }
    for (std::string& row : removed[slot]->rows) {
      slots[slot].erase(Family::gc, std::move(row));
      ++count;
    }
  }
  if (count == 0) {
    ticket.leave();
    done(std::size_t{0});
    return;
  }
  context_->counters.garbage_removed.fetch_add(count, std::memory_order_relaxed);
  context_->pipeline->submit(
      std::make_shared<SlotCommit>(std::move(slots)),
      [count, ticket = std::move(ticket), done = std::move(done)](Result<CommitSeq> seq) mutable {
        ticket.leave();
        // Rows that stayed name files that are gone: the next round takes them again.
        done(seq ? Result<std::size_t>(count) : Result<std::size_t>(seq.error()));
      });
}

void GarbageCollector::purge_tombstones() {
  std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!ticket) {
    return;
  }
  on_current<std::vector<std::string>>(
      *context_, context_->members(), context_->options.drive_timeout,
      [](Drive& drive) -> Result<std::vector<std::string>> {
        std::vector<std::string> rows;
        const auto cursor =
            drive.index().cursor(Family::sys, kTombstoneRows, prefix_end(kTombstoneRows), false);
        for (cursor->seek(kTombstoneRows); cursor->valid() && rows.size() < kFilesPerRound;
             cursor->next()) {
          rows.emplace_back(cursor->key().substr(kTombstoneRows.size()));
        }
        return rows;
      },
      [self = shared_from_this(),
       ticket = *std::move(ticket)](Result<std::vector<std::string>> rows) mutable {
        if (!rows) {
          return;
        }
        for (const std::string& row : *rows) {
          self->purge(row);
        }
      });
}

/// Removes one key's tombstone by a commit, if it still is one and no drive is away.
void GarbageCollector::purge(const std::string& row) {
  const std::optional<ObjectRow> name = parse_object_row(row);
  std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!name || !ticket) {
    return;
  }
  const std::uint64_t hash = GenerationTable::hash(name->bucket_id, name->key);
  const std::size_t stripe = context_->stripe(hash);
  context_->locks.acquire(
      LockId::stripe(stripe), LockMode::exclusive,
      [self = shared_from_this(), row, hash, stripe,
       ticket = *std::move(ticket)](KeyLocks::Held held) mutable {
        LockedKey lock;
        lock.key_hash = hash;
        lock.stripe = stripe;
        lock.locks = std::move(held);
        const std::shared_ptr<const Members> members = self->context_->members();
        if (!members->complete()) {
          return;
        }
        read_current_row(*self->context_, members, Family::obj, row,
                         [self, row, lock = std::move(lock),
                          ticket = std::move(ticket)](Result<Row> found) mutable {
                           if (!found) {
                             return;
                           }
                           auto commit = std::make_shared<ComposedCommit>();
                           commit->erase(Family::sys, tombstone_row(row));
                           if (found->has_value()) {
                             const Result<RecordPeek> peek = peek_record((*found)->bytes);
                             if (!peek || !peek->tombstone) {
                               return;
                             }
                             commit->erase(Family::obj, row);
                           }
                           commit_locked(
                               *self->context_, std::move(lock), std::move(commit),
                               [self, ticket = std::move(ticket)](const Result<CommitSeq>&) {});
                         });
      });
}

}  // namespace mote::erasure
