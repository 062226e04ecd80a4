#pragma once

#include <array>
#include <vector>

#include "erasure/log/membership.h"

namespace mote::erasure {

/// Which commits of one epoch of a running set are decided (storage.md 3.4 rules 5 and 6; INV-1).
/// Pure: no I/O, no time, no thread of its own; the set's sequencer owns it.
///
///     DecisionTracker tracker(geometry, plan.configuration);   // its members have synced it
///     seq = tracker.assign();            // in the same step: enqueue to all of tracker.members()
///     if (tracker.synced(slot, last seq of the group whose sync returned ok)) {
///       apply and acknowledge everything up to tracker.decided();
///     }
///     // a drive failed or took too long; its queue is dropped whole:
///     if (auto cfg = tracker.expel(slot)) { enqueue *cfg to all of tracker.members(); }
///     else { the set is frozen: refuse new writes, keep waiting }
class DecisionTracker {
 public:
  /// `start` governs from the beginning and is effective: every member has synced it.
  DecisionTracker(SetGeometry geometry, const Configuration& start);

  /// The next number, for a commit that goes to all members() in this same step.
  CommitSeq assign();
  /// Slot's log is on stable storage up to and including `up_to`. A late answer of an expelled
  /// drive counts for what it says. Returns true if decided() advanced.
  bool synced(Slot slot, CommitSeq up_to);
  /// Takes `slot` out with a new configuration, already numbered; or nothing if that would leave
  /// fewer than W members or no current one (freeze). Enqueue the record to members() in the same
  /// step. The drive must leave the readers before anything decided without it is acknowledged.
  Result<Configuration> expel(Slot slot);
  /// Admits an away drive as healing. Errors: overloaded if not drained() (hold back new commits,
  /// wait); invalid_argument if it is no away drive. The drive's fresh log begins with this record.
  Result<Configuration> join(Slot slot);
  /// Makes a healing drive current. Errors: invalid_argument if it is not healing.
  Result<Configuration> promote(Slot slot);

  /// Everything up to here is decided: what the next group's decided mark says.
  [[nodiscard]] CommitSeq decided() const { return decided_; }
  /// The newest number given out.
  [[nodiscard]] CommitSeq last() const { return last_; }
  /// Everything that was numbered is decided.
  [[nodiscard]] bool drained() const { return decided_ == last_; }
  /// The newest configuration (perhaps not yet effective): who gets the next commit.
  [[nodiscard]] const Configuration& newest() const { return configurations_.back(); }
  /// The newest configuration that is decided: who may be read.
  [[nodiscard]] const Configuration& effective() const;
  [[nodiscard]] SlotSet members() const { return newest().members(); }
  /// Slot's last reported position.
  [[nodiscard]] CommitSeq position(Slot slot) const { return positions_[slot]; }

 private:
  Configuration add(Configuration next);
  bool advance();

  SetGeometry geometry_;
  /// Not yet superseded by an effective one, oldest first.
  std::vector<Configuration> configurations_;
  std::array<CommitSeq, kSlotsMax> positions_{};
  CommitSeq last_;
  CommitSeq decided_;
};

}  // namespace mote::erasure
