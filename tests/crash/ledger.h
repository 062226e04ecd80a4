#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "erasure/store.h"

namespace mote::crash {

/// What a key may hold: an object whose bytes are pattern `seed`, with tags.
struct Value {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::string tags;

  friend bool operator==(const Value&, const Value&) = default;
};
using State = std::optional<Value>;  ///< nullopt: absent

inline std::string to_text(const State& state) {
  if (!state) {
    return "absent";
  }
  return "size " + std::to_string(state->size) + " seed " + std::to_string(state->seed) +
         " tags '" + state->tags + "'";
}

/// True if the store, after this error, may still carry the operation out (store.h).
inline bool is_undecided(Errc code) {
  return code == Errc::timed_out || code == Errc::io_error || code == Errc::write_quorum;
}

/// What the client knows of one key (reliability.md 2.3): the states it was given since the last
/// start, in order, and which of them is the earliest that may still be the truth. Operations on
/// one key follow one another, so a state that was acknowledged or read rules out all before it.
class Track {
 public:
  void begin(State wanted) { states_.push_back(std::move(wanted)); }
  /// The newest operation was acknowledged.
  void acknowledge() { floor_ = states_.size() - 1; }
  /// The newest operation was refused for good: it changed nothing. False if somebody read it.
  bool refuse() {
    const bool seen = floor_ == states_.size() - 1;
    states_.pop_back();
    floor_ = std::min(floor_, states_.size() - 1);
    return !seen;
  }
  /// When a read begins: what it may show at the earliest.
  [[nodiscard]] std::size_t mark() const { return floor_; }
  /// A read that began at `mark` showed this. False if it must not have; else nothing older may be
  /// shown from now on.
  bool saw(std::size_t mark, const State& seen) {
    const auto after = std::find(at(floor_), states_.cend(), seen);
    if (after != states_.cend()) {
      floor_ = static_cast<std::size_t>(after - states_.cbegin());
      return true;
    }
    return std::find(at(mark), at(floor_), seen) != at(floor_);
  }
  /// After a start: one of the states was seen, and it is the only one from now on.
  bool settle(const State& seen) {
    const bool allowed = std::find(at(floor_), states_.cend(), seen) != states_.cend();
    states_ = {seen};
    floor_ = 0;
    return allowed;
  }
  /// Nothing is in doubt: the state is the one acknowledged or read last. A set that recovers while
  /// it runs settles what was in doubt without a start.
  [[nodiscard]] bool certain() const { return floor_ == states_.size() - 1; }
  [[nodiscard]] const State& acknowledged() const { return states_[floor_]; }
  [[nodiscard]] std::string describe() const {
    std::string text = "acknowledged or read " + to_text(states_[floor_]);
    for (std::size_t i = floor_ + 1; i < states_.size(); ++i) {
      text += ", maybe " + to_text(states_[i]);
    }
    return text;
  }

 private:
  [[nodiscard]] std::vector<State>::const_iterator at(std::size_t index) const {
    return states_.cbegin() + static_cast<std::ptrdiff_t>(index);
  }

  std::vector<State> states_{std::nullopt};
  std::size_t floor_ = 0;
};

}  // namespace mote::crash
