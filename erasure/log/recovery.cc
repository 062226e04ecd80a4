#include "erasure/log/recovery.h"

#include <algorithm>
#include <optional>

#include "erasure/base/check.h"

namespace mote::erasure {
namespace {

bool holds_configuration(const SlotInput& slot, CommitSeq seq) {
  return std::any_of(slot.configurations.begin(), slot.configurations.end(),
                     [seq](const Configuration& c) { return c.seq == seq; });
}

/// Last sequence of `epoch` in the log; n == 0 if it has none.
CommitSeq last_of_epoch(const SlotInput& slot, std::uint32_t epoch) {
  for (const EpochRange& range : slot.entries) {
    if (range.epoch == epoch) {
      return {epoch, range.last};
    }
  }
  return {epoch, 0};
}

/// The newest thing that the drive has, of epochs up to `epoch`.
CommitSeq end_of(const SlotInput& slot, std::uint32_t epoch) {
  CommitSeq end = slot.applied;
  for (const EpochRange& range : slot.entries) {
    if (range.epoch <= epoch) {
      end = std::max(end, CommitSeq{range.epoch, range.last});
    }
  }
  return end;
}

bool holds_entry(const SlotInput& slot, CommitSeq seq) {
  return std::any_of(slot.entries.begin(), slot.entries.end(), [seq](const EpochRange& r) {
    return r.epoch == seq.epoch && r.first <= seq.n && seq.n <= r.last;
  });
}

/// One run of the rules over one input.
class Planner {
 public:
  explicit Planner(const RecoveryInput& input)
      : input_(input), slots_(static_cast<Slot>(input.slots.size())) {
    plan_.slots.resize(input.slots.size());
  }
  RecoveryPlan run();

 private:
  [[nodiscard]] bool is_unbegun() const;
  [[nodiscard]] bool is_readable(Slot slot) const;
  [[nodiscard]] bool proves_about(Slot slot, const Configuration& c) const;
  [[nodiscard]] SlotSet provers(const Configuration& c) const;
  [[nodiscard]] bool is_possible(const Configuration& c) const;
  [[nodiscard]] bool is_decodable() const;
  [[nodiscard]] SlotSet find_usable(const Configuration& governing) const;
  RecoveryPlan begin();
  void find_marks();
  void find_configurations();
  bool find_epoch();
  void find_end();
  void find_ends();
  void assign_slots(const Configuration& governing, SlotSet usable);
  RecoveryPlan refuse(Refusal refusal, SlotSet missing);

  const RecoveryInput& input_;
  const Slot slots_;
  RecoveryPlan plan_;
  SlotSet proving_;                      ///< readable and not lost
  std::uint32_t highest_epoch_ = 0;      ///< seen anywhere, in whatever role
  std::vector<Configuration> seen_;      ///< on proving drives, distinct, rising
  std::vector<Configuration> in_force_;  ///< of seen_, those of the epoch in force
  CommitSeq settled_;                    ///< floor, or the end of earlier epochs if that is later
};

RecoveryPlan Planner::refuse(Refusal refusal, SlotSet missing) {
  plan_.outcome = RecoveryOutcome::refuse;
  plan_.refusal = refusal;
  plan_.missing = missing;
  for (SlotPlan& slot : plan_.slots) {
    slot = {};
  }
  return std::move(plan_);
}

/// The first format was cut off behind its labels: every drive is there, some have no log, the
/// others have the first configuration in it and nothing else happened to them.
bool Planner::is_unbegun() const {
  const auto is_blank = [](const SlotInput& slot) {
    return slot.condition == SlotCondition::blank;
  };
  const std::vector<Configuration> first = {first_configuration(input_.geometry)};
  const auto is_untouched = [&](const SlotInput& slot) {
    const bool begun = slot.condition == SlotCondition::readable && slot.configurations == first &&
                       slot.entries == std::vector<EpochRange>{{1, 1, 1}} && slot.promise <= 1;
    return slot.applied.is_zero() && slot.decided.is_zero() &&
           (begun || (is_blank(slot) && slot.promise == 0));
  };
  return std::any_of(input_.slots.begin(), input_.slots.end(), is_blank) &&
         std::all_of(input_.slots.begin(), input_.slots.end(), is_untouched);
}

RecoveryPlan Planner::begin() {
  plan_.outcome = RecoveryOutcome::serve;
  plan_.configuration = first_configuration(input_.geometry);
  plan_.new_epoch = plan_.configuration.seq.epoch;
  for (SlotPlan& slot : plan_.slots) {
    slot.state = DriveState::current;
    slot.fresh_log = true;
  }
  return std::move(plan_);
}

bool Planner::is_readable(Slot slot) const {
  const SlotCondition condition = input_.slots[slot].condition;
  return condition == SlotCondition::readable ||
         (condition == SlotCondition::damaged && input_.accept_log_loss && input_.geometry.m == 0);
}

/// Rule 1: the floor, and who ends below it.
void Planner::find_marks() {
  for (const SlotInput& slot : input_.slots) {
    if (slot.condition == SlotCondition::absent) {
      continue;
    }
    plan_.floor = std::max({plan_.floor, slot.decided, slot.applied});
    highest_epoch_ =
        std::max({highest_epoch_, slot.promise, slot.decided.epoch, slot.applied.epoch});
    for (const EpochRange& range : slot.entries) {
      highest_epoch_ = std::max(highest_epoch_, range.epoch);
    }
    for (const Configuration& c : slot.configurations) {
      highest_epoch_ = std::max(highest_epoch_, c.seq.epoch);
    }
  }
  plan_.new_epoch = highest_epoch_ + 1;
  for (Slot slot = 0; slot < slots_; ++slot) {
    const SlotInput& in = input_.slots[slot];
    if (is_readable(slot) && !in.configurations.empty() &&
        end_of(in, highest_epoch_) >= plan_.floor) {
      proving_.add(slot);
    }
  }
}

void Planner::find_configurations() {
  for (Slot slot = 0; slot < slots_; ++slot) {
    if (proving_.has(slot)) {
      const auto& of_slot = input_.slots[slot].configurations;
      seen_.insert(seen_.end(), of_slot.begin(), of_slot.end());
    }
  }
  const auto by_seq = [](const Configuration& a, const Configuration& b) { return a.seq < b.seq; };
  const auto same_seq = [](const Configuration& a, const Configuration& b) {
    return a.seq == b.seq;
  };
  std::sort(seen_.begin(), seen_.end(), by_seq);
  seen_.erase(std::unique(seen_.begin(), seen_.end(), same_seq), seen_.end());
}

bool Planner::proves_about(Slot slot, const Configuration& c) const {
  return proving_.has(slot) && input_.slots[slot].configurations.front().seq <= c.seq;
}

SlotSet Planner::provers(const Configuration& c) const {
  SlotSet result;
  for (Slot slot = 0; slot < slots_; ++slot) {
    if (c.members().has(slot) && proves_about(slot, c)) {
      result.add(slot);
    }
  }
  return result;
}

bool Planner::is_possible(const Configuration& c) const {
  const SlotSet witnesses = provers(c);
  for (Slot slot = 0; slot < slots_; ++slot) {
    if (witnesses.has(slot) && !holds_configuration(input_.slots[slot], c.seq)) {
      return false;
    }
  }
  return !witnesses.empty();
}

/// Rule 3, last but one sentence: among possible configurations the highest epoch wins.
bool Planner::find_epoch() {
  for (auto c = seen_.rbegin(); c != seen_.rend(); ++c) {
    if (is_possible(*c)) {
      const std::uint32_t epoch = c->seq.epoch;
      std::copy_if(seen_.begin(), seen_.end(), std::back_inserter(in_force_),
                   [epoch](const Configuration& s) { return s.seq.epoch == epoch; });
      settled_ = std::max(plan_.floor, c->end);
      return true;
    }
  }
  return false;
}

/// Rule 2: the last sequence of the epoch in force that may have been acknowledged.
void Planner::find_end() {
  plan_.end = settled_;
  for (std::size_t i = 0; i < in_force_.size(); ++i) {
    const Configuration& c = in_force_[i];
    if (!is_possible(c)) {
      continue;
    }
    // Later configurations govern from their own number on.
    std::optional<CommitSeq> reach;
    if (i + 1 < in_force_.size()) {
      reach = in_force_[i + 1].seq.prior();
    }
    const SlotSet witnesses = provers(c);
    for (Slot slot = 0; slot < slots_; ++slot) {
      if (witnesses.has(slot)) {
        const CommitSeq last = last_of_epoch(input_.slots[slot], c.seq.epoch);
        reach = reach ? std::min(*reach, last) : last;
      }
    }
    plan_.end = std::max({plan_.end, *reach, c.seq});
  }
}

/// True if every sequence in (settled, end] is on at least k present drives. The count changes only
/// where a range begins or ends.
bool Planner::is_decodable() const {
  const std::uint32_t epoch = plan_.end.epoch;
  std::vector<CommitSeq> points = {settled_.epoch == epoch ? settled_.next() : CommitSeq{epoch, 1}};
  for (const SlotInput& slot : input_.slots) {
    for (const EpochRange& range : slot.entries) {
      points.push_back({range.epoch, range.first});
      points.push_back({range.epoch, range.last + 1});
    }
  }
  return std::all_of(points.begin(), points.end(), [&](CommitSeq point) {
    if (point.epoch != epoch || point <= settled_ || point > plan_.end) {
      return true;
    }
    const auto holders =
        std::count_if(input_.slots.begin(), input_.slots.end(), [point](const SlotInput& slot) {
          return slot.condition != SlotCondition::absent && holds_entry(slot, point);
        });
    return holders >= input_.geometry.k;
  });
}

SlotSet Planner::find_usable(const Configuration& governing) const {
  SlotSet usable;
  for (Slot slot = 0; slot < slots_; ++slot) {
    if (governing.members().has(slot) && proves_about(slot, governing) &&
        end_of(input_.slots[slot], plan_.end.epoch) >= plan_.end) {
      usable.add(slot);
    }
  }
  return usable;
}

/// What counts of each epoch, newest first, as far back as configurations are known.
void Planner::find_ends() {
  CommitSeq end = plan_.end;
  while (!end.is_zero()) {
    plan_.ends.push_back(end);
    const auto c = std::find_if(seen_.begin(), seen_.end(),
                                [end](const Configuration& s) { return s.seq.epoch == end.epoch; });
    end = c == seen_.end() ? CommitSeq{} : c->end;
  }
}

void Planner::assign_slots(const Configuration& governing, SlotSet usable) {
  Configuration& next = plan_.configuration;
  next.seq = {plan_.new_epoch, 1};
  next.end = plan_.end;
  for (Slot slot = 0; slot < slots_; ++slot) {
    SlotPlan& out = plan_.slots[slot];
    const bool present = input_.slots[slot].condition != SlotCondition::absent;
    if (!present) {
      next.away.add(slot);
    } else if (usable.has(slot) && governing.current.has(slot)) {
      out.state = DriveState::current;
      out.fresh_log = input_.slots[slot].condition == SlotCondition::damaged;  // accept_log_loss
      next.current.add(slot);
    } else {
      out.state = DriveState::healing;
      out.fresh_log = !usable.has(slot);
      out.lost_acknowledged = out.fresh_log && governing.members().has(slot);
      next.healing.add(slot);
    }
  }
}

RecoveryPlan Planner::run() {
  SlotSet absent;
  SlotSet damaged;
  for (Slot slot = 0; slot < slots_; ++slot) {
    if (input_.slots[slot].condition == SlotCondition::absent) {
      absent.add(slot);
    } else if (input_.slots[slot].condition == SlotCondition::damaged) {
      damaged.add(slot);
    }
  }
  if (input_.geometry.m == 0 && !damaged.empty() && !input_.accept_log_loss) {
    return refuse(Refusal::log_damaged, damaged);
  }
  if (is_unbegun()) {
    return begin();
  }
  find_marks();
  find_configurations();
  if (!find_epoch()) {
    return refuse(Refusal::no_configuration, absent);
  }
  find_end();
  const auto governing =
      std::find_if(in_force_.rbegin(), in_force_.rend(),
                   [this](const Configuration& c) { return c.seq <= plan_.end; });
  // A mark of a later epoch, or one beyond what the epoch in force admits of the earlier ones.
  if (governing == in_force_.rend() || plan_.floor.epoch > governing->seq.epoch ||
      (plan_.floor.epoch < governing->seq.epoch && plan_.floor > governing->end)) {
    return refuse(Refusal::contradiction, absent);
  }
  const SlotSet usable = find_usable(*governing);
  const SlotSet missing = governing->members() - usable;
  if (!is_decodable()) {
    return refuse(Refusal::undecodable, missing);
  }
  if (usable.size() < input_.geometry.k || (usable & governing->current).empty()) {
    return refuse(Refusal::too_few_drives, missing);
  }
  find_ends();
  assign_slots(*governing, usable);
  plan_.outcome = RecoveryOutcome::serve;
  if (plan_.configuration.members().size() < write_quorum(input_.geometry)) {
    plan_.outcome = RecoveryOutcome::read_only;
    plan_.missing = absent;
    plan_.configuration = {};
    for (SlotPlan& slot : plan_.slots) {
      slot.fresh_log = false;
    }
  }
  return std::move(plan_);
}

/// What the index must have applied for the drive to be what its log says it is.
CommitSeq applied_min(const LogContents& contents, Slot slot) {
  const Configuration& first = contents.configurations.front();
  if (!contents.begins) {
    // Recycled up to here: the first entry that is not a repetition follows on what was applied.
    for (const EntryRef& entry : contents.entries) {
      if (!entry.restated && entry.kind != EntryKind::promise) {
        const bool same_epoch = entry.seq.epoch == first.seq.epoch;
        return same_epoch ? std::max(first.seq, entry.seq.prior()) : first.seq;
      }
    }
    return first.seq;
  }
  if (first.current.has(slot)) {
    return first.end;
  }
  return contents.configurations.back().current.has(slot) ? first.seq : CommitSeq{};
}

}  // namespace

std::string_view to_string(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::none:
      return "none";
    case Refusal::no_configuration:
      return "no_configuration";
    case Refusal::too_few_drives:
      return "too_few_drives";
    case Refusal::undecodable:
      return "undecodable";
    case Refusal::log_damaged:
      return "log_damaged";
    case Refusal::contradiction:
      return "contradiction";
  }
  return "?";
}

SlotInput summarize(const LogContents& contents, CommitSeq applied, Slot slot) {
  SlotInput out;
  out.condition = SlotCondition::readable;
  out.configurations = contents.configurations;
  out.decided = contents.decided;
  out.applied = applied;
  out.promise = contents.promise;
  for (const EntryRef& entry : contents.entries) {
    if (entry.restated || entry.kind == EntryKind::promise) {
      continue;
    }
    if (out.entries.empty() || out.entries.back().epoch < entry.seq.epoch) {
      out.entries.push_back({entry.seq.epoch, entry.seq.n, entry.seq.n});
    } else if (out.entries.back().epoch == entry.seq.epoch &&
               out.entries.back().last + 1 == entry.seq.n) {
      out.entries.back().last = entry.seq.n;
    } else {
      out.condition = SlotCondition::damaged;
      break;
    }
  }
  const bool never_begun = contents.groups == 0 && contents.verdict != LogVerdict::damaged;
  if (never_begun && applied.is_zero()) {
    out.condition = SlotCondition::blank;
  } else if (never_begun || contents.verdict == LogVerdict::damaged ||
             contents.configurations.empty() || applied < applied_min(contents, slot)) {
    out.condition = SlotCondition::damaged;
  }
  return out;
}

bool RecoveryPlan::counts(CommitSeq seq) const {
  return std::any_of(ends.begin(), ends.end(),
                     [seq](CommitSeq last) { return last.epoch == seq.epoch && seq.n <= last.n; });
}

RecoveryPlan plan_recovery(const RecoveryInput& input) {
  MOTE_CHECK(is_valid(input.geometry) && input.slots.size() == input.geometry.drives());
  return Planner(input).run();
}

}  // namespace mote::erasure
