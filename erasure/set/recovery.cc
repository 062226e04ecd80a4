#include "erasure/set/recovery.h"

#include <algorithm>
#include <array>

#include "erasure/log/log_reader.h"
#include "erasure/meta/keys.h"
#include "erasure/meta/row_batch.h"
#include "erasure/set/replay.h"

namespace mote::erasure {
namespace {

/// One attempt with one opinion about who is there.
class Attempt {
 public:
  Attempt(const RecoveryContext& context, std::vector<Arrival>& arrivals)
      : context_(context), arrivals_(arrivals), logs_(arrivals.size()), writers_(arrivals.size()) {}

  /// True if it is done or refused; false if a drive failed, which is absent from now on.
  bool run();
  Result<PipelineStart> finish(std::string& problem);

 private:
  using Step = Status (Attempt::*)(Slot);
  void read_logs();
  SlotInput read_log(Slot slot);
  bool on_each(bool with_fresh, Step step);
  Status promise(Slot slot);
  Status replay(Slot slot);
  Status replay_old_log(Slot slot);
  Status replay_own_log(Slot slot);
  Status fill_blank();
  Status configure(Slot slot);
  Status settle(Slot slot);
  void drop(Slot slot, Error error);
  void reach(CrashPoint point) const {
    if (context_.crash_points != nullptr) {
      context_.crash_points->reach(point);
    }
  }
  [[nodiscard]] Slot slots() const { return static_cast<Slot>(arrivals_.size()); }
  [[nodiscard]] std::string names(SlotSet named) const;
  [[nodiscard]] std::string explain() const;

  const RecoveryContext& context_;
  std::vector<Arrival>& arrivals_;
  std::vector<std::optional<LogReader>> logs_;
  std::vector<std::unique_ptr<LogWriter>> writers_;
  RecoveryPlan plan_;
};

void Attempt::drop(Slot slot, Error error) {
  arrivals_[slot].drive.reset();
  arrivals_[slot].reason = error;
  logs_[slot].reset();
}

SlotInput Attempt::read_log(Slot slot) {
  if (!arrivals_[slot].drive) {
    SlotInput input;
    input.condition = context_.blank_slot == slot ? SlotCondition::blank : SlotCondition::absent;
    return input;
  }
  const OpenDrive& drive = *arrivals_[slot].drive;
  auto log = LogReader::open(drive.drive->vfs(), drive.drive->log_directory(), drive.log_options);
  if (!log) {
    drop(slot, log.error());
    return {};
  }
  logs_[slot].emplace(std::move(*log));
  return summarize(logs_[slot]->contents(), drive.drive->index().persisted(), slot);
}

void Attempt::read_logs() {
  RecoveryInput input;
  input.geometry = {context_.options.k, context_.options.m};
  input.accept_log_loss = context_.options.accept_log_loss;
  for (Slot slot = 0; slot < slots(); ++slot) {
    input.slots.push_back(read_log(slot));
  }
  plan_ = plan_recovery(input);
}

/// Runs a step on every drive that takes part; on all of them even if one fails, so that one
/// restart is enough.
bool Attempt::on_each(bool with_fresh, Step step) {
  bool all = true;
  for (Slot slot = 0; slot < slots(); ++slot) {
    const SlotPlan& plan = plan_.slots[slot];
    if (plan.state == DriveState::offline || (plan.fresh_log && !with_fresh)) {
      continue;
    }
    if (const Status done = (this->*step)(slot); !done) {
      drop(slot, done.error());
      all = false;
    }
  }
  return all;
}

bool Attempt::run() {
  read_logs();
  if (plan_.outcome == RecoveryOutcome::refuse ||
      (context_.only_to_write && plan_.outcome != RecoveryOutcome::serve)) {
    return true;
  }
  if (const Status filled = fill_blank(); !filled) {
    arrivals_[*context_.blank_slot].reason = filled.error();
    plan_.outcome = RecoveryOutcome::refuse;
    return true;
  }
  if (plan_.outcome == RecoveryOutcome::read_only) {
    return on_each(true, &Attempt::replay);
  }
  if (!on_each(false, &Attempt::promise)) {
    return false;
  }
  reach(CrashPoint::recovery_promised);
  if (!on_each(true, &Attempt::replay_old_log) || !on_each(true, &Attempt::configure)) {
    return false;
  }
  reach(CrashPoint::recovery_configured);
  if (!on_each(true, &Attempt::replay_own_log)) {
    return false;
  }
  reach(CrashPoint::recovery_forwarded);
  return on_each(true, &Attempt::settle);
}

Status Attempt::promise(Slot slot) {
  Drive& drive = *arrivals_[slot].drive->drive;
  auto writer = LogWriter::resume(drive.vfs(), context_.rng, drive.log_directory(),
                                  arrivals_[slot].drive->log_options, logs_[slot]->contents());
  if (!writer) {
    return writer.error();
  }
  writers_[slot] = std::move(*writer);
  const std::array<Entry, 1> promise{Entry{EntryKind::promise, {plan_.new_epoch, 0}, {}}};
  if (Status written = writers_[slot]->append_group(promise, plan_.floor); !written) {
    return written;
  }
  return writers_[slot]->sync();
}

Status Attempt::replay(Slot slot) {
  if (!logs_[slot] || logs_[slot]->contents().groups == 0) {
    return ok();
  }
  const bool everything = context_.options.bug == SetBug::forward_voided;
  return replay_log(*logs_[slot], arrivals_[slot].drive->drive->index(),
                    context_.options.group_bytes_max,
                    [&](CommitSeq seq) { return everything || plan_.counts(seq); });
}

Status Attempt::configure(Slot slot) {
  Drive& drive = *arrivals_[slot].drive->drive;
  const std::string record = encode(plan_.configuration);
  const std::array<Entry, 2> entries{
      Entry{EntryKind::promise, {plan_.new_epoch, 0}, {}},
      Entry{EntryKind::cfg, plan_.configuration.seq, as_bytes(record)}};
  if (plan_.slots[slot].fresh_log) {
    auto writer = LogWriter::begin(drive.vfs(), context_.rng, drive.log_directory(),
                                   arrivals_[slot].drive->log_options, entries, plan_.floor);
    if (!writer) {
      return writer.error();
    }
    writers_[slot] = std::move(*writer);
    return ok();
  }
  if (Status written = writers_[slot]->append_group(std::span(entries).last(1), plan_.floor);
      !written) {
    return written;
  }
  return writers_[slot]->sync();
}

/// Before a log that begins anew takes its place. The drive heals, so nobody trusts what it shows.
Status Attempt::replay_old_log(Slot slot) {
  return plan_.slots[slot].fresh_log ? replay(slot) : ok();
}

Status Attempt::replay_own_log(Slot slot) {
  return plan_.slots[slot].fresh_log ? ok() : replay(slot);
}

Status Attempt::fill_blank() {
  if (!context_.blank_slot || arrivals_[*context_.blank_slot].drive) {
    return ok();
  }
  auto drive = context_.make_blank();
  if (!drive) {
    return drive.error();
  }
  arrivals_[*context_.blank_slot].drive = std::move(*drive);
  return ok();
}

/// The configuration is on all drives: it, and what it ends, is decided.
Status Attempt::settle(Slot slot) {
  Index& index = arrivals_[slot].drive->drive->index();
  RowBatch rows;
  rows.put(Family::sys, kSysConfig, encode(plan_.configuration));
  if (Status applied = index.apply({as_bytes(rows.encoded())}, plan_.configuration.seq); !applied) {
    return applied;
  }
  if (Status marked = writers_[slot]->append_decided_mark(plan_.configuration.seq); !marked) {
    return marked;
  }
  if (Status synced = writers_[slot]->sync(); !synced) {
    return synced;
  }
  if (Status flushed = index.flush(); !flushed) {
    return flushed;
  }
  writers_[slot]->recycle(index.persisted());
  return ok();
}

std::string Attempt::names(SlotSet named) const {
  std::string text;
  for (Slot slot = 0; slot < slots(); ++slot) {
    if (named.has(slot)) {
      const Arrival& arrival = arrivals_[slot];
      text += text.empty() ? "" : ", ";
      text += "slot " + std::to_string(slot);
      text += arrival.name.empty() ? "" : " (" + arrival.name + ")";
      text += arrival.drive ? "" : " [" + describe(arrival.reason) + "]";
    }
  }
  return text;
}

std::string Attempt::explain() const {
  std::string text(to_string(plan_.refusal));
  text += ": ";
  text += plan_.missing.empty() ? "no drive of the set can prove what was acknowledged"
                                : "needed: " + names(plan_.missing);
  for (Slot slot = 0; slot < slots(); ++slot) {
    if (logs_[slot] && logs_[slot]->contents().verdict == LogVerdict::damaged) {
      text += "; damaged: " + logs_[slot]->contents().damaged_file;
    }
  }
  return text;
}

Result<PipelineStart> Attempt::finish(std::string& problem) {
  if (context_.only_to_write && plan_.outcome == RecoveryOutcome::read_only) {
    problem = "fewer drives are there than a write needs";
    return Error{Errc::write_quorum, 0, "set.recovery"};
  }
  if (plan_.outcome == RecoveryOutcome::refuse) {
    problem = explain();
    return Error{plan_.refusal == Refusal::log_damaged ? Errc::corrupt : Errc::read_quorum, 0,
                 "set.recovery"};
  }
  PipelineStart start;
  start.configuration = plan_.configuration;
  start.read_only = plan_.outcome == RecoveryOutcome::read_only;
  for (Slot slot = 0; slot < slots(); ++slot) {
    Seat seat;
    seat.drive = arrivals_[slot].drive;
    seat.writer = std::move(writers_[slot]);
    seat.state = plan_.slots[slot].state;
    seat.reason = arrivals_[slot].reason;
    if (seat.state == DriveState::healing) {
      seat.reason = plan_.slots[slot].lost_acknowledged
                        ? Error{Errc::corrupt, 0, "log.lost"}
                        : Error{Errc::drive_failed, 0, "log.behind"};
    }
    start.seats.push_back(std::move(seat));
  }
  return start;
}

}  // namespace

Result<PipelineStart> recover(const RecoveryContext& context, std::vector<Arrival> arrivals,
                              std::string& problem) {
  // Every round but the last loses a drive.
  while (true) {
    Attempt attempt(context, arrivals);
    if (attempt.run()) {
      return attempt.finish(problem);
    }
  }
}

}  // namespace mote::erasure
