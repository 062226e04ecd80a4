#include <algorithm>
#include <array>

#include "erasure/set/pipeline_impl.h"

namespace mote::erasure {
namespace {

/// Appends `entries` as few groups as the log takes: one, unless the estimate of their size was too
/// low.
Status append_and_sync(LogWriter& writer, std::span<const Entry> entries, CommitSeq decided,
                       CrashPoints* crash) {
  Status appended = writer.append_group(entries, decided);
  if (!appended && appended.error().code == Errc::too_large && entries.size() > 1) {
    const std::size_t half = entries.size() / 2;
    if (Status first = append_and_sync(writer, entries.first(half), decided, crash); !first) {
      return first;
    }
    return append_and_sync(writer, entries.subspan(half), decided, crash);
  }
  if (!appended) {
    return appended;
  }
  if (crash != nullptr) {
    crash->reach(CrashPoint::log_written);
  }
  Status synced = writer.sync();
  if (synced && crash != nullptr) {
    crash->reach(CrashPoint::log_synced);
  }
  return synced;
}

std::string rows_of(const Ticket& ticket, Slot slot) {
  RowBatch rows;
  if (ticket.commit) {
    ticket.commit->render(ticket.seq, slot, rows);
  } else {
    const std::string configuration = encode(ticket.configuration);
    rows.put(Family::sys, kSysConfig, configuration);
  }
  return std::move(rows).take();
}

}  // namespace

void CommitPipeline::Impl::kick_log_locked(Lane& lane) {
  if (!lane.member || dead_ || lane.logging || lane.broken ||
      (lane.queue.empty() && !lane.mark_due)) {
    return;
  }
  lane.logging = true;
  lane.log_since = context_.clock.steady();
  const auto slot = static_cast<Slot>(&lane - lanes_.data());
  lane.drive->drive->log_executor().post(
      [self = shared_from_this(), slot, life = lane.life, drive = lane.drive,
       writer = lane.writer]() mutable { self->run_log(slot, life, drive, std::move(writer)); });
  arm_watchdog_locked();
}

CommitPipeline::Impl::Group CommitPipeline::Impl::take_group_locked(Lane& lane) {
  Group group;
  std::uint64_t bytes = 0;
  while (!lane.queue.empty() &&
         (group.tickets.empty() || bytes + lane.queue.front()->bytes <= group_bytes_max_)) {
    bytes += lane.queue.front()->bytes;
    group.tickets.push_back(std::move(lane.queue.front()));
    lane.queue.pop_front();
  }
  group.decided = tracker_.decided();
  group.begin = lane.writer == nullptr;
  lane.mark_due = false;
  return group;
}

void CommitPipeline::Impl::run_log(Slot slot, std::uint64_t life,
                                   const std::shared_ptr<OpenDrive>& drive,
                                   std::shared_ptr<LogWriter> writer) {
  Group group;
  {
    const Lock lock(mutex_);
    if (lanes_[slot].life != life) {
      return;
    }
    group = take_group_locked(lanes_[slot]);
  }
  std::vector<Redo> redo;
  const Status written = write_group(slot, *drive, writer, group, redo);
  if (!written) {
    Outbox out;
    {
      const Lock lock(mutex_);
      if (lanes_[slot].life == life) {
        lanes_[slot].logging = false;
        fail_lane_locked(slot, written.error(), true, out);
        settle_locked(out);
      }
    }
    out.run();
    return;
  }
  on_logged(slot, life, group, std::move(redo), writer);
  tend_log(slot, drive, writer);
}

/// Renders, writes and syncs one group. `redo` gets the rows to be applied.
Status CommitPipeline::Impl::write_group(Slot slot, OpenDrive& drive,
                                         std::shared_ptr<LogWriter>& writer, const Group& group,
                                         std::vector<Redo>& redo) {
  std::vector<Entry> entries;
  std::vector<std::string> records;  // payloads of configuration entries
  redo.reserve(group.tickets.size());
  records.reserve(group.tickets.size());
  for (const TicketPtr& ticket : group.tickets) {
    redo.push_back({ticket->seq, rows_of(*ticket, slot)});
    if (ticket->commit) {
      entries.push_back({EntryKind::commit, ticket->seq, as_bytes(redo.back().rows)});
    } else {
      records.push_back(encode(ticket->configuration));
      entries.push_back({EntryKind::cfg, ticket->seq, as_bytes(records.back())});
    }
  }
  std::span<const Entry> rest = entries;
  if (group.begin) {
    const std::array<Entry, 2> first{Entry{EntryKind::promise, {entries.front().seq.epoch, 0}, {}},
                                     entries.front()};
    Drive& of = *drive.drive;
    auto begun = LogWriter::begin(of.vfs(), context_.rng, of.log_directory(), drive.log_options,
                                  first, group.decided);
    if (!begun) {
      return begun.error();
    }
    writer = std::move(*begun);
    rest = rest.subspan(1);
  }
  if (group.begin && rest.empty()) {
    return ok();
  }
  return append_and_sync(*writer, rest, group.decided, context_.crash_points);
}

void CommitPipeline::Impl::on_logged(Slot slot, std::uint64_t life, const Group& group,
                                     std::vector<Redo> redo, std::shared_ptr<LogWriter> writer) {
  Outbox out;
  {
    const Lock lock(mutex_);
    Lane& lane = lanes_[slot];
    if (lane.life != life) {
      return;
    }
    ++stats_.log_groups;
    lane.writer = std::move(writer);
    lane.logging = false;
    lane.marked = std::max(lane.marked, group.decided);
    std::move(redo.begin(), redo.end(), std::back_inserter(lane.redo));
    answered_locked(slot, out);
    bool moved = false;
    if (!group.tickets.empty()) {
      lane.logged = group.tickets.back()->seq;
      moved = tracker_.synced(slot, lane.logged);
    }
    kick_log_locked(lane);
    if (moved) {
      reach(CrashPoint::commit_decided);
      last_decision_ = context_.clock.steady();
      arm_idle_marks_locked();
      publish_due_ = publish_due_ || tracker_.effective().seq != published_;
    }
    settle_locked(out);
  }
  out.run();
}

/// Keeps the log short and its next segment ready. On the log executor, between groups.
void CommitPipeline::Impl::tend_log(Slot slot, const std::shared_ptr<OpenDrive>& drive,
                                    const std::shared_ptr<LogWriter>& writer) {
  bool prepare = writer->wants_next();
  // The segment that is written always counts, so a bound below two of them would flush without
  // end.
  const std::uint64_t bound = std::max(options_.flush_log_bytes, 2 * options_.segment_bytes);
  bool flush_due = writer->live_bytes() > bound;
  if (flush_due) {
    writer->recycle(drive->drive->index().persisted());
    flush_due = writer->live_bytes() > bound;
  }
  if (!prepare && !flush_due) {
    return;
  }
  {
    const Lock lock(mutex_);
    Lane& lane = lanes_[slot];
    if (lane.drive != drive) {
      return;
    }
    prepare = prepare && !lane.preparing;
    flush_due = flush_due && !lane.flushing;
    lane.preparing = lane.preparing || prepare;
    lane.flushing = lane.flushing || flush_due;
  }
  if (prepare) {
    drive->background->post([self = shared_from_this(), slot, drive, writer] {
      // A failure shows again where it matters: in the group that finds no segment.
      const Status prepared = writer->prepare_next();
      static_cast<void>(prepared.has_value());
      const Lock lock(self->mutex_);
      if (self->lanes_[slot].drive == drive) {
        self->lanes_[slot].preparing = false;
      }
    });
  }
  if (flush_due) {
    drive->background->post(
        [self = shared_from_this(), slot, drive, writer] { self->flush(slot, drive, writer); });
  }
}

void CommitPipeline::Impl::flush(Slot slot, const std::shared_ptr<OpenDrive>& drive,
                                 const std::shared_ptr<LogWriter>& writer) {
  const Status flushed = drive->drive->index().flush();
  {
    const Lock lock(mutex_);
    if (lanes_[slot].drive == drive) {
      lanes_[slot].flushing = false;
    }
  }
  if (!flushed) {
    report_failure(slot, flushed.error());
    return;
  }
  drive->drive->log_executor().post(
      [drive, writer] { writer->recycle(drive->drive->index().persisted()); });
}

void CommitPipeline::Impl::arm_idle_marks_locked() {
  if (idle_armed_ || final_marks_) {
    return;
  }
  idle_armed_ = true;
  context_.scheduler.after(options_.idle_mark_after, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->on_idle_timer();
    }
  });
}

void CommitPipeline::Impl::on_idle_timer() {
  const Lock lock(mutex_);
  idle_armed_ = false;
  if (context_.clock.steady() - last_decision_ < options_.idle_mark_after) {
    arm_idle_marks_locked();
    return;
  }
  write_marks_locked();
}

void CommitPipeline::Impl::write_marks_locked() {
  if (dead_) {
    return;  // a recovery may have its logs
  }
  for (Slot slot = 0; slot < slots(); ++slot) {
    Lane& lane = lanes_[slot];
    if (lane.member && !lane.suspect && lane.queue.empty() && lane.marked < tracker_.decided()) {
      lane.mark_due = true;
      kick_log_locked(lane);
    }
  }
}

}  // namespace mote::erasure
