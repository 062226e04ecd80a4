#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
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

/// What the client knows of one key (reliability.md 2.3): what was acknowledged last, and what an
/// operation without an answer may have made of it since.
class Track {
 public:
  void begin(State wanted) { maybe_.push_back(std::move(wanted)); }
  /// The newest operation was acknowledged.
  void acknowledge() {
    acknowledged_ = std::move(maybe_.back());
    maybe_.clear();
  }
  /// The newest operation was refused for good: it changed nothing.
  void refuse() { maybe_.pop_back(); }
  /// After a start: one of the states was seen, and it is the only one from now on.
  bool settle(const State& seen) {
    const bool allowed =
        seen == acknowledged_ || std::find(maybe_.begin(), maybe_.end(), seen) != maybe_.end();
    acknowledged_ = seen;
    maybe_.clear();
    return allowed;
  }
  [[nodiscard]] const State& acknowledged() const { return acknowledged_; }
  [[nodiscard]] bool in_doubt() const { return !maybe_.empty(); }
  [[nodiscard]] std::string describe() const {
    std::string text = "acknowledged " + to_text(acknowledged_);
    for (const State& state : maybe_) {
      text += ", maybe " + to_text(state);
    }
    return text;
  }

 private:
  State acknowledged_;
  std::vector<State> maybe_;
};

}  // namespace mote::crash
