#include "tests/erasure/log/model_set.h"

#include <doctest/doctest.h>

namespace mote::erasure::test {
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
  tracker_ = std::make_unique<DecisionTracker>(tracker_geometry(), first);
}

/// With Broken::quorum_off_by_one, what makes the tracker take one less than W for enough.
SetGeometry ModelSet::tracker_geometry() const {
  if (broken_ != Broken::quorum_off_by_one) {
    return geometry_;
  }
  return {static_cast<std::uint8_t>(std::max(1, geometry_.k - 1)),
          static_cast<std::uint8_t>(std::max(0, geometry_.m - 1))};
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
