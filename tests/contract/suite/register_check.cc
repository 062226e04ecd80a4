#include "tests/contract/suite/register_check.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace mote::contract {
namespace {

/// The state after `op`, or nullopt if it could not happen in `state`.
std::optional<std::uint64_t> apply(const RegisterOp& op, std::uint64_t state) {
  switch (op.kind) {
    case RegisterOp::Kind::read:
      return op.value == state ? std::optional(state) : std::nullopt;
    case RegisterOp::Kind::write:
      return op.value;
    case RegisterOp::Kind::write_if_absent:
      return state == 0 ? std::optional(op.value) : std::nullopt;
    case RegisterOp::Kind::refused:
      return state != 0 ? std::optional(state) : std::nullopt;
    case RegisterOp::Kind::erase:
      return 0;
  }
  return std::nullopt;
}

/// What is left to order: all operations from `first` on, except those in `done` (indices by call
/// time). Everything before `first` is ordered.
struct Frontier {
  std::size_t first = 0;
  std::vector<std::size_t> done;
  std::uint64_t state = 0;

  friend bool operator<(const Frontier& a, const Frontier& b) {
    return std::tie(a.first, a.state, a.done) < std::tie(b.first, b.state, b.done);
  }
};

Frontier advance(const Frontier& from, std::size_t chosen, std::uint64_t state) {
  Frontier next = from;
  next.state = state;
  next.done.insert(std::lower_bound(next.done.begin(), next.done.end(), chosen), chosen);
  while (!next.done.empty() && next.done.front() == next.first) {
    next.done.erase(next.done.begin());
    ++next.first;
  }
  return next;
}

}  // namespace

bool is_linearizable(std::vector<RegisterOp> history) {
  std::sort(history.begin(), history.end(),
            [](const RegisterOp& a, const RegisterOp& b) { return a.invoked < b.invoked; });
  std::set<Frontier> seen;
  std::vector<Frontier> open{Frontier{}};
  while (!open.empty()) {
    const Frontier at = std::move(open.back());
    open.pop_back();
    if (at.first == history.size()) {
      return true;
    }
    // Candidates: operations called before the first return among those left.
    std::uint64_t first_return = UINT64_MAX;
    for (std::size_t i = at.first; i < history.size() && history[i].invoked < first_return; ++i) {
      if (std::binary_search(at.done.begin(), at.done.end(), i)) {
        continue;
      }
      first_return = std::min(first_return, history[i].returned);
      const std::optional<std::uint64_t> state = apply(history[i], at.state);
      if (!state) {
        continue;
      }
      Frontier next = advance(at, i, *state);
      if (seen.insert(next).second) {
        open.push_back(std::move(next));
      }
    }
  }
  return false;
}

}  // namespace mote::contract
