// The part of ModelSet that stops and starts; model_set_test.cc has the part that serves.
#include <doctest/doctest.h>

#include "tests/erasure/log/model_set.h"

namespace mote::erasure::test {
namespace {

template <class T>
void shuffle(std::vector<T>& items, auto& choice) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[choice.below(i)]);
  }
}

}  // namespace

void ModelSet::crash(Choice choice) {
  trusted_ = (tracker_->effective().current & tracker_->newest().current) - ghosts_;
  tracker_.reset();
  ghosts_ = {};
  const bool power = choice.below(2) == 0;
  for (ModelDrive& drive : drives_) {
    if (drive.written && (!power || choice.below(2) == 0)) {
      drive.disk.land(*drive.written);
    }
    drive.written.reset();
    drive.forget();
  }
  take_faults(choice);
}

void ModelSet::take_faults(Choice choice) {
  if (geometry_.m == 0) {
    return;
  }
  for (ModelDrive& drive : drives_) {
    drive.present = drive.present || choice.below(3) != 0;
  }
  std::uint64_t count = choice.below(static_cast<std::uint64_t>(geometry_.m) + 1);
  if (choice.below(10) == 0) {
    count += 1 + choice.below(2);
  }
  for (; count > 0; --count) {
    take_fault(choice.slot(*this), Choice(choice.below(1U << 30)));
  }
}

void ModelSet::take_fault(Slot slot, Choice choice) {
  ModelDrive& drive = drives_[slot];
  switch (choice.below(8)) {
    case 0:  // replaced by a blank drive
      drive.disk = {};
      drive.intact = false;
      break;
    case 1:
      if (!drive.disk.log.empty()) {
        drive.disk.damaged = true;
        drive.disk.damaged_at = choice.below(drive.disk.log.size());
        drive.intact = false;
      }
      break;
    case 2:
    case 3:
      if (drive.copy && copy_is_detectable(slot)) {
        drive.disk = *drive.copy;
        drive.intact = false;
        old_copy_ = true;
      }
      break;
    default:
      drive.present = false;
      break;
  }
  drive.forget();
}

/// An old copy shows only by the marks of others: those must be on all of them (a copy that is
/// younger than the last mark cannot be told from a drive that was a little slower).
bool ModelSet::copy_is_detectable(Slot slot) const {
  bool someone = false;
  for (Slot other = 0; other < drives_.size(); ++other) {
    const ModelDrive& drive = drives_[other];
    if (other == slot || !trusted_.has(other)) {
      continue;
    }
    someone = true;
    if (drive.disk.mark() <= drives_[slot].copy->end()) {
      return false;
    }
  }
  return someone;
}

SlotSet ModelSet::intact_slots() const {
  SlotSet intact;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    const ModelDrive& drive = drives_[slot];
    if (drive.present && drive.intact && !drive.disk.damaged && trusted_.has(slot)) {
      intact.add(slot);
    }
  }
  return intact;
}

/// Nothing may be lost: at most m drives are at fault, or all faults are of a kind that shows.
bool ModelSet::in_bounds() const {
  return !old_copy_ || drives_.size() - intact_slots().size() <= geometry_.m;
}

/// A blank drive has no label: recovery sees it only if it is asked to adopt it. (A drive with a
/// label and no log is what a first format leaves that was cut: recovery_test.cc, and tests/crash.)
bool is_there(const ModelDrive& drive) {
  return drive.present && !drive.disk.log.empty();
}

RecoveryInput ModelSet::make_input() const {
  RecoveryInput input;
  input.geometry = geometry_;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    const ModelDisk& disk = drives_[slot].disk;
    SlotInput in;
    if (is_there(drives_[slot])) {
      in = summarize(disk.contents(), disk.applied, slot);
    }
    if (broken_ == Broken::damage_is_torn_tail && in.condition == SlotCondition::damaged &&
        !in.configurations.empty()) {
      in.condition = SlotCondition::readable;
    }
    if (broken_ == Broken::ignore_marks) {
      in.decided = {};
      in.applied = {};
    }
    if (broken_ == Broken::ignore_epoch && !in.configurations.empty()) {
      const std::uint32_t oldest = in.configurations.front().seq.epoch;
      std::erase_if(in.configurations,
                    [oldest](const Configuration& c) { return c.seq.epoch != oldest; });
    }
    input.slots.push_back(std::move(in));
  }
  return input;
}

/// False if the plan does not lead to serving.
bool ModelSet::check_outcome(const RecoveryPlan& plan) {
  const auto present = static_cast<unsigned>(std::count_if(
      drives_.begin(), drives_.end(), [](const ModelDrive& drive) { return is_there(drive); }));
  const bool within = drives_.size() - intact_slots().size() <= geometry_.m;
  if (plan.outcome == RecoveryOutcome::refuse) {
    ++tally_.refused;
    if (within) {
      fail("refused (" + std::string(to_string(plan.refusal)) + ") with intact " +
           to_string(intact_slots()) + ", missing " + to_string(plan.missing));
    }
    return false;
  }
  if (plan.outcome == RecoveryOutcome::read_only) {
    ++tally_.read_only;
    if (present >= write_quorum(geometry_)) {
      fail("read-only with " + std::to_string(present) + " drives");
    }
    return false;
  }
  return true;
}

void ModelSet::recover(Choice choice) {
  const RecoveryPlan plan = plan_recovery(make_input());
  const bool serves = check_outcome(plan);
  if (plan.outcome == RecoveryOutcome::read_only) {
    const std::vector<ModelDrive> before = drives_;
    replay(plan, plan.end, choice);
    SlotSet current;
    for (Slot slot = 0; slot < drives_.size(); ++slot) {
      if (plan.slots[slot].state == DriveState::current) {
        current.add(slot);
      }
    }
    check_content(current, false);
    drives_ = before;
  }
  if (serves && !carry_out(plan, choice)) {
    ++tally_.crashed_inside;
    crash_inside(choice);
  }
}

void ModelSet::crash_inside(Choice& choice) {
  for (ModelDrive& drive : drives_) {
    drive.forget();
  }
  if (choice.below(2) == 0) {
    take_faults(choice);
  }
}

Configuration ModelSet::configuration_of(const RecoveryPlan& plan) const {
  Configuration c = plan.configuration;
  if (broken_ == Broken::rejoin_as_current) {
    c.current = c.current | c.healing;
    c.healing = {};
  }
  if (broken_ == Broken::no_promise) {
    // The highest epoch of any configuration, and one.
    c.seq.epoch = 0;
    for (const ModelDrive& drive : drives_) {
      const LogContents log = drive.disk.contents();
      for (const Configuration& seen : log.configurations) {
        c.seq.epoch = drive.present ? std::max(c.seq.epoch, seen.seq.epoch) : c.seq.epoch;
      }
    }
    ++c.seq.epoch;
  }
  return c;
}

bool ModelSet::carry_out(const RecoveryPlan& plan, Choice choice) {
  const Configuration configuration = configuration_of(plan);
  crash_bound_ = choice.below(2) == 0 ? 10 : 100;
  if (broken_ != Broken::no_promise && !sync_promises(plan, choice)) {
    return false;
  }
  replay(plan, broken_ == Broken::apply_before_decided ? plan.end : plan.floor, choice);
  if (!sync_configuration(plan, configuration, choice)) {
    return false;
  }
  replay(plan, plan.end, choice);
  start_serving(plan, configuration);
  return true;
}

/// One synced group in a start, or the crash instead of it.
bool ModelSet::land_or_crash(Slot slot, const ModelGroup& group, Choice& choice) {
  const std::uint64_t fate = choice.below(crash_bound_);
  if (fate != 0) {
    drives_[slot].disk.land(group);
  }
  return fate > 1;  // 0: lost with the crash, 1: landed before it
}

bool ModelSet::sync_promises(const RecoveryPlan& plan, Choice& choice) {
  std::vector<Slot> order;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (plan.slots[slot].state != DriveState::offline && !plan.slots[slot].fresh_log) {
      order.push_back(slot);
    }
  }
  shuffle(order, choice);
  const ModelGroup group{{ModelEntry::promise(plan.new_epoch)}, plan.floor, false};
  return std::all_of(order.begin(), order.end(),
                     [&](Slot slot) { return land_or_crash(slot, group, choice); });
}

/// Applies the drives' own entries up to `up_to`; some of it may get persisted at once.
void ModelSet::replay(const RecoveryPlan& plan, CommitSeq up_to, Choice& choice) {
  const bool all = broken_ == Broken::forward_voided && up_to == plan.end;
  const auto counts = [&plan, all](CommitSeq seq) { return all || plan.counts(seq); };
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    ModelDrive& drive = drives_[slot];
    const SlotPlan& out = plan.slots[slot];
    // Who gets a fresh log may use the old one up to the floor, while it is there.
    const bool uses_log = !out.fresh_log || (up_to == plan.floor && choice.below(2) == 0);
    if (out.state == DriveState::offline || !uses_log) {
      continue;
    }
    ModelDisk disk = drive.disk;
    disk.applied = drive.applied;
    disk.rows = drive.rows;
    disk.replay(counts, all ? CommitSeq{plan.new_epoch, 0} : up_to);
    drive.rows = disk.rows;
    drive.applied = disk.applied;
    if (out.fresh_log || choice.below(4) == 0) {
      drive.disk.rows = disk.rows;
      drive.disk.applied = disk.applied;
    }
  }
}

bool ModelSet::sync_configuration(const RecoveryPlan& plan, const Configuration& configuration,
                                  Choice& choice) {
  std::vector<Slot> order;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (plan.slots[slot].state != DriveState::offline) {
      order.push_back(slot);
    }
  }
  shuffle(order, choice);
  std::size_t synced = 0;
  for (const Slot slot : order) {
    ModelGroup group;
    group.decided = broken_ == Broken::recovery_marks_end ? plan.end : plan.floor;
    group.begins = plan.slots[slot].fresh_log && broken_ != Broken::rejoin_in_old_log;
    if (broken_ != Broken::no_promise) {
      group.entries.push_back(ModelEntry::promise(configuration.seq.epoch));
    }
    group.entries.push_back(ModelEntry::cfg(configuration));
    if (broken_ == Broken::serve_before_synced && synced * 2 >= order.size()) {
      drives_[slot].written = group;
      continue;
    }
    trusted_ = trusted_ & configuration.current;
    if (!land_or_crash(slot, group, choice)) {
      return false;
    }
    ++synced;
  }
  return true;
}

/// What the current drives have now. Acknowledged and once settled commits must be as they were.
void ModelSet::check_content(SlotSet current, bool settles) {
  const std::set<CommitSeq>* content = nullptr;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (!current.has(slot)) {
      continue;
    }
    if (content != nullptr && *content != drives_[slot].rows && in_bounds()) {
      fail("current drives differ");
    }
    content = &drives_[slot].rows;
  }
  for (const CommitSeq seq : commits_) {
    const bool is_there = content->count(seq) != 0;
    const auto settled = settled_.find(seq);
    if (settled != settled_.end() && settled->second != is_there && in_bounds()) {
      fail((acknowledged_.count(seq) != 0 ? "acknowledged " : "settled ") + to_string(seq) +
           (is_there ? " came back" : " is lost"));
    }
    if (is_there && in_bounds() && drives_.size() - intact_slots().size() <= geometry_.m &&
        shards_of(seq) < geometry_.k) {
      fail(to_string(seq) + " is shown and cannot be decoded");
    }
    if (settles) {
      if (settled == settled_.end()) {
        ++(is_there ? tally_.rolled_forward : tally_.voided);
      }
      settled_[seq] = is_there;
    }
  }
}

void ModelSet::start_serving(const RecoveryPlan& plan, const Configuration& configuration) {
  ++tally_.served;
  over_ = !in_bounds();
  check_content(configuration.current, true);
  old_copy_ = false;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (plan.slots[slot].state != DriveState::offline) {
      drives_[slot].applied = std::max(drives_[slot].applied, configuration.seq);
    }
  }
  acknowledged_up_to_ = configuration.seq;
  tracker_ = std::make_unique<DecisionTracker>(tracker_geometry(), configuration);
}

TEST_CASE("model: with every drive away a start refuses, and serves when they are back") {
  ModelSet set({2, 1}, Broken::nothing);
  set.step({Step::Op::submit, 1});
  set.step({Step::Op::settle, 0});
  std::uint64_t tried = 0;
  while (set.tally().refused == 0 && tried < 2000) {  // crashes take faults, at times too many
    set.step({Step::Op::crash, ++tried});
  }
  CHECK(set.tally().refused > 0);
  const std::uint64_t served = set.tally().served;
  for (std::uint64_t i = 0; i < 200 && set.tally().served == served; ++i) {
    set.step({Step::Op::mark, i});
  }
  CHECK(set.tally().served > served);
  CHECK_MESSAGE(!set.violation(), set.violation().value_or(""));
}

}  // namespace mote::erasure::test
