#include "tests/erasure/log/model_set.h"

#include <doctest/doctest.h>

namespace mote::erasure::test {
namespace {

/// What the tracker is told, so that W is one less than it has to be.
SetGeometry weakened(SetGeometry geometry) {
  return {static_cast<std::uint8_t>(std::max(1, geometry.k - 1)),
          static_cast<std::uint8_t>(std::max(0, geometry.m - 1))};
}

template <class T>
void shuffle(std::vector<T>& items, auto& choice) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[choice.below(i)]);
  }
}

}  // namespace

ModelSet::ModelSet(SetGeometry geometry, Broken broken)
    : geometry_(geometry), broken_(broken), drives_(geometry.drives()) {
  const Configuration first = first_configuration(geometry);
  ModelGroup group;
  group.entries = {ModelEntry::cfg(first)};
  group.begins = true;
  for (ModelDrive& drive : drives_) {
    drive.disk.land(group);
    drive.applied = first.seq;
  }
  acknowledged_up_to_ = first.seq;
  tracker_ = std::make_unique<DecisionTracker>(
      broken == Broken::quorum_off_by_one ? weakened(geometry) : geometry, first);
}

std::string ModelSet::describe() const {
  std::string text = tracker_ ? "serving, decided " + to_string(tracker_->decided()) : "down";
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    const ModelDrive& drive = drives_[slot];
    text += "\n      " + std::to_string(slot) + (drive.present ? "" : " absent") +
            (drive.intact ? "" : " not intact") + (drive.disk.damaged ? " damaged" : "") +
            (drive.hung ? " hung" : "") + (drive.disk.begins ? " [" : " ...[");
    for (const ModelGroup& group : drive.disk.log) {
      for (const ModelEntry& entry : group.entries) {
        text += entry.kind == EntryKind::cfg       ? "<" + to_string(entry.configuration) + "> "
                : entry.kind == EntryKind::promise ? "!" + std::to_string(entry.seq.epoch) + " "
                                                   : to_string(entry.seq) + " ";
      }
      text += "(" + to_string(group.decided) + ") ";
    }
    text += "] applied " + to_string(drive.disk.applied) + "/" + to_string(drive.applied);
  }
  return text + "\n";
}

void ModelSet::fail(const std::string& what) {
  if (!violation_) {
    violation_ = what;
  }
}

void ModelSet::step(const Step& step) {
  Choice choice(step.arg);
  if (over_) {
    return;
  }
  if (!tracker_) {
    if (choice.below(3) == 0) {
      drives_[choice.slot(*this)].present = true;
    }
    recover(choice);
    return;
  }
  const Slot slot = choice.slot(*this);
  switch (step.op) {
    case Step::Op::submit:
      return submit(choice);
    case Step::Op::write:
      return write(slot, choice);
    case Step::Op::sync:
      return sync(slot);
    case Step::Op::hang:
      return hang(slot, choice);
    case Step::Op::answer_late:
      return answer_late(slot);
    case Step::Op::mark:
      return mark(slot);
    case Step::Op::flush:
      if (tracker_->members().has(slot) && !drives_[slot].fresh && !drives_[slot].hung) {
        drives_[slot].flush();
      }
      return;
    case Step::Op::join:
      return join(slot);
    case Step::Op::heal:
      return heal(slot);
    case Step::Op::copy:
      drives_[slot].copy = drives_[slot].disk;
      return;
    case Step::Op::settle:
      return settle();
    case Step::Op::crash:
      return crash(choice);
    case Step::Op::count_:
      return;
  }
}

void ModelSet::enqueue(const ModelEntry& entry) {
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (tracker_->members().has(slot) && !ghosts_.has(slot)) {
      drives_[slot].queue.push_back(entry);
    }
  }
}

void ModelSet::submit(Choice choice) {
  for (std::uint64_t count = 1 + choice.below(3); count > 0; --count) {
    const CommitSeq seq = tracker_->assign();
    commits_.insert(seq);
    enqueue(ModelEntry::commit(seq));
  }
}

CommitSeq ModelSet::mark_now() const {
  return broken_ == Broken::late_mark_in_doubt ? tracker_->last() : tracker_->decided();
}

void ModelSet::write(Slot slot, Choice choice) {
  ModelDrive& drive = drives_[slot];
  if (!tracker_->members().has(slot) || drive.hung || drive.written || drive.queue.empty()) {
    return;
  }
  ModelGroup group;
  group.begins = drive.fresh;
  if (drive.fresh) {
    group.entries.push_back(ModelEntry::promise(drive.queue.front().seq.epoch));
    drive.fresh = false;
  }
  const auto count = static_cast<std::ptrdiff_t>(1 + choice.below(drive.queue.size()));
  group.entries.insert(group.entries.end(), drive.queue.begin(), drive.queue.begin() + count);
  drive.queue.erase(drive.queue.begin(), drive.queue.begin() + count);
  group.decided = mark_now();
  drive.written = group;
  if (broken_ == Broken::ack_before_synced) {
    report_synced(slot, group);
  }
}

void ModelSet::mark(Slot slot) {
  ModelDrive& drive = drives_[slot];
  if (tracker_->members().has(slot) && !drive.hung && !drive.written && !drive.fresh &&
      drive.queue.empty()) {
    drive.written = ModelGroup{{}, mark_now(), false};
  }
}

void ModelSet::sync(Slot slot) {
  ModelDrive& drive = drives_[slot];
  if (!tracker_->members().has(slot) || drive.hung || !drive.written) {
    return;
  }
  const ModelGroup group = *drive.written;
  drive.written.reset();
  drive.disk.land(group);
  report_synced(slot, group);
}

void ModelSet::report_synced(Slot slot, const ModelGroup& group) {
  if (!group.entries.empty()) {
    tracker_->synced(slot, group.entries.back().seq);
  }
  for (Slot ghost = 0; ghost < drives_.size(); ++ghost) {
    if (ghosts_.has(ghost)) {
      tracker_->synced(ghost, tracker_->last());
    }
  }
  acknowledge();
}

/// Everything newly decided is applied on all members and answered.
void ModelSet::acknowledge() {
  const CommitSeq decided = tracker_->decided();
  for (auto seq = commits_.upper_bound(acknowledged_up_to_);
       seq != commits_.end() && *seq <= decided; ++seq) {
    unsigned synced = 0;
    for (Slot slot = 0; slot < drives_.size(); ++slot) {
      ModelDrive& drive = drives_[slot];
      synced += drive.disk.logged(*seq) ? 1U : 0U;
      if (tracker_->members().has(slot) && tracker_->position(slot) >= *seq) {
        drive.rows.insert(*seq);
      }
    }
    if (synced < write_quorum(geometry_)) {
      fail("acknowledged " + to_string(*seq) + " on " + std::to_string(synced) + " drives");
    }
    acknowledged_.insert(*seq);
    settled_[*seq] = true;
    ++tally_.acknowledged;
  }
  acknowledged_up_to_ = std::max(acknowledged_up_to_, decided);
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    if (tracker_->members().has(slot) && tracker_->position(slot) >= decided) {
      drives_[slot].applied = std::max(drives_[slot].applied, decided);
    }
  }
}

/// The drive fails or takes too long: out it goes, or the set freezes. What it had begun to write
/// may still land.
void ModelSet::hang(Slot slot, Choice choice) {
  ModelDrive& drive = drives_[slot];
  if (!tracker_->members().has(slot) || ghosts_.has(slot)) {
    return;
  }
  if (broken_ == Broken::expel_without_cfg) {
    if (may_expel(geometry_, tracker_->newest(), slot) && ghosts_.size() < geometry_.m) {
      ghosts_.add(slot);
      drive.queue.clear();
      drive.hung = true;
    }
    return;
  }
  const Result<Configuration> next = tracker_->expel(slot);
  if (!next) {
    drive.hung = true;
    ++tally_.frozen;
    return;
  }
  ++tally_.expelled;
  drive.queue.clear();
  drive.fresh = false;
  if (choice.below(2) == 0) {
    drive.written.reset();  // it will not land
  }
  enqueue(ModelEntry::cfg(*next));
}

void ModelSet::answer_late(Slot slot) {
  ModelDrive& drive = drives_[slot];
  if (ghosts_.has(slot)) {
    return;
  }
  drive.hung = false;
  if (drive.written && !tracker_->members().has(slot)) {
    const ModelGroup group = *drive.written;
    drive.written.reset();
    drive.disk.land(group);
    report_synced(slot, group);
  }
}

void ModelSet::join(Slot slot) {
  ModelDrive& drive = drives_[slot];
  if (!tracker_->newest().away.has(slot) || drive.written || !drive.present) {
    return;
  }
  const Result<Configuration> next = tracker_->join(slot);
  if (!next) {
    return;
  }
  drive.forget();
  drive.fresh = true;
  enqueue(ModelEntry::cfg(*next));
}

std::set<CommitSeq> ModelSet::visible() const {
  std::set<CommitSeq> result;
  for (const auto& [seq, is_there] : settled_) {
    if (is_there) {
      result.insert(seq);
    }
  }
  return result;
}

unsigned ModelSet::shards_of(CommitSeq seq) const {
  return static_cast<unsigned>(std::count_if(
      drives_.begin(), drives_.end(),
      [seq](const ModelDrive& drive) { return drive.present && drive.rows.count(seq) != 0; }));
}

/// The whole heal in one step; with or without the record that makes the drive current.
void ModelSet::heal(Slot slot) {
  ModelDrive& drive = drives_[slot];
  if (!tracker_->newest().healing.has(slot) || !tracker_->effective().healing.has(slot) ||
      drive.hung || tracker_->position(slot) < tracker_->effective().seq) {
    return;
  }
  const std::set<CommitSeq> all = visible();
  for (const CommitSeq seq : all) {
    if (drive.rows.count(seq) == 0 && shards_of(seq) < geometry_.k) {
      return;
    }
  }
  drive.rows = all;
  drive.applied = std::max(drive.applied, tracker_->decided());
  drive.flush();
  const Result<Configuration> next = tracker_->promote(slot);
  if (next) {
    drive.intact = true;
    ++tally_.healed;
    enqueue(ModelEntry::cfg(*next));
  }
}

/// Everybody answers: then everything must get decided.
void ModelSet::settle() {
  bool someone_hangs = false;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    someone_hangs = someone_hangs || (tracker_->members().has(slot) && drives_[slot].hung);
  }
  for (int round = 0; round < 100; ++round) {
    for (Slot slot = 0; slot < drives_.size(); ++slot) {
      sync(slot);
      write(slot, Choice(static_cast<std::uint64_t>(round)));
    }
  }
  if (!someone_hangs && !tracker_->drained()) {
    fail("everybody answered and " + to_string(tracker_->last()) + " is not decided");
  }
}

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

RecoveryInput ModelSet::make_input() const {
  RecoveryInput input;
  input.geometry = geometry_;
  for (Slot slot = 0; slot < drives_.size(); ++slot) {
    const ModelDisk& disk = drives_[slot].disk;
    SlotInput in;
    if (drives_[slot].present) {
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
      drives_.begin(), drives_.end(), [](const ModelDrive& drive) { return drive.present; }));
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
  tracker_ = std::make_unique<DecisionTracker>(
      broken_ == Broken::quorum_off_by_one ? weakened(geometry_) : geometry_, configuration);
}

TEST_CASE("model: a plain run acknowledges everything and survives a start") {
  ModelSet set({2, 1}, Broken::nothing);
  for (int i = 0; i < 5; ++i) {
    set.step({Step::Op::submit, 1});
    set.step({Step::Op::settle, 0});
  }
  const std::uint64_t acknowledged = set.tally().acknowledged;
  CHECK(acknowledged >= 5);
  set.step({Step::Op::crash, 2});
  for (std::uint64_t i = 0; i < 20; ++i) {
    set.step({Step::Op::mark, i});
  }
  CHECK(set.tally().served >= 1);
  CHECK_MESSAGE(!set.violation(), set.violation().value_or(""));
}

}  // namespace mote::erasure::test
