#include "erasure/log/decision.h"

#include <algorithm>

#include "erasure/base/check.h"

namespace mote::erasure {

DecisionTracker::DecisionTracker(SetGeometry geometry, const Configuration& start)
    : geometry_(geometry), configurations_{start}, last_(start.seq), decided_(start.seq) {
  MOTE_CHECK(start.members().size() >= write_quorum(geometry));
  for (Slot slot = 0; slot < kSlotsMax; ++slot) {
    if (start.members().has(slot)) {
      positions_[slot] = start.seq;
    }
  }
}

CommitSeq DecisionTracker::assign() {
  last_ = last_.next();
  return last_;
}

bool DecisionTracker::synced(Slot slot, CommitSeq up_to) {
  MOTE_CHECK(slot < kSlotsMax && up_to <= last_);
  positions_[slot] = std::max(positions_[slot], up_to);
  return advance();
}

Result<Configuration> DecisionTracker::expel(Slot slot) {
  if (!newest().members().has(slot)) {
    return Error{Errc::invalid_argument, 0, "decision.expel"};
  }
  if (!may_expel(geometry_, newest(), slot)) {
    return Error{Errc::write_quorum, 0, "decision.expel"};
  }
  return add(next_configuration_expel(newest(), last_.next(), slot));
}

Result<Configuration> DecisionTracker::join(Slot slot) {
  if (!newest().away.has(slot)) {
    return Error{Errc::invalid_argument, 0, "decision.join"};
  }
  if (!drained()) {
    return Error{Errc::overloaded, 0, "decision.join"};
  }
  positions_[slot] = {};  // of an earlier life: that log is gone
  return add(next_configuration_join(newest(), last_.next(), slot));
}

Result<Configuration> DecisionTracker::promote(Slot slot) {
  if (!newest().healing.has(slot)) {
    return Error{Errc::invalid_argument, 0, "decision.promote"};
  }
  return add(next_configuration_promote(newest(), last_.next(), slot));
}

const Configuration& DecisionTracker::effective() const {
  return configurations_.front();
}

Configuration DecisionTracker::add(Configuration next) {
  last_ = next.seq;
  configurations_.push_back(next);
  return next;
}

/// A configuration decides what lies before its successor, as far as the slowest of its members has
/// synced, and only once all of them have synced the configuration itself.
bool DecisionTracker::advance() {
  CommitSeq decided = decided_;
  for (std::size_t i = 0; i < configurations_.size(); ++i) {
    CommitSeq reach = i + 1 < configurations_.size() ? configurations_[i + 1].seq.prior() : last_;
    for (Slot slot = 0; slot < kSlotsMax; ++slot) {
      if (configurations_[i].members().has(slot)) {
        reach = std::min(reach, positions_[slot]);
      }
    }
    if (reach >= configurations_[i].seq) {
      decided = std::max(decided, reach);
    }
  }
  if (decided == decided_) {
    return false;
  }
  decided_ = decided;
  while (configurations_.size() > 1 && configurations_[1].seq <= decided_) {
    configurations_.erase(configurations_.begin());
  }
  return true;
}

}  // namespace mote::erasure
