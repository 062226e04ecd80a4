#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "erasure/base/rng.h"
#include "tests/erasure/log/model_set.h"

namespace mote::erasure::test {
namespace {

using History = std::vector<Step>;
using Op = Step::Op;

constexpr SetGeometry kGeometries[] = {{1, 0}, {1, 1}, {2, 1}, {2, 2}, {3, 1},
                                       {3, 2}, {4, 1}, {4, 2}, {5, 1}, {3, 3}};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t histories_wanted() {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  return from_environment("MOTE_HISTORIES", 50'000);
#else
  return from_environment("MOTE_HISTORIES", 5'000);
#endif
}

const char* name_of(Op op) {
  static constexpr const char* kNames[] = {"submit",      "write", "sync",   "hang",
                                           "answer_late", "mark",  "flush",  "join",
                                           "heal",        "copy",  "settle", "crash"};
  return kNames[static_cast<std::size_t>(op)];
}

struct Weight {
  Op op;
  unsigned calm, restless;
};

/// How often each step comes, of 100. In a restless history the set is hardly ever up for long.
constexpr Weight kWeights[] = {
    // clang-format off
    {Op::submit, 14, 12}, {Op::write, 24, 18}, {Op::sync, 24, 18}, {Op::hang,   4,  4},
    {Op::answer_late, 4, 4}, {Op::mark, 5, 4}, {Op::flush, 4, 4},  {Op::join,   3,  3},
    {Op::heal,   4,  4},  {Op::copy,   3,  3}, {Op::settle, 6, 6}, {Op::crash,  5, 20},
    // clang-format on
};

Op random_op(SeededRng& rng, bool restless) {
  std::uint64_t draw = rng.below(100);
  for (const Weight& row : kWeights) {
    const unsigned weight = restless ? row.restless : row.calm;
    if (draw < weight) {
      return row.op;
    }
    draw -= weight;
  }
  return Op::submit;
}

struct Case {
  SetGeometry geometry;
  History history;
};

Case make_case(std::uint64_t seed) {
  SeededRng rng(seed);
  Case made;
  made.geometry = kGeometries[rng.below(std::size(kGeometries))];
  const bool restless = rng.below(3) == 0;
  const std::uint64_t length = 20 + rng.below(120);
  for (std::uint64_t i = 0; i < length; ++i) {
    const Op op = random_op(rng, restless);
    made.history.push_back({op, rng.next()});
  }
  // At the end everybody comes back and the last start is seen.
  made.history.push_back({Op::crash, rng.next()});
  for (int i = 0; i < 12; ++i) {
    made.history.push_back({Op::settle, rng.next()});
  }
  return made;
}

std::optional<std::string> run(SetGeometry geometry, const History& history, Broken broken,
                               ModelSet::Tally* sum = nullptr) {
  ModelSet set(geometry, broken);
  for (const Step& step : history) {
    set.step(step);
    if (set.violation()) {
      return set.violation();
    }
  }
  if (sum != nullptr) {
    const ModelSet::Tally& t = set.tally();
    sum->acknowledged += t.acknowledged;
    sum->served += t.served;
    sum->read_only += t.read_only;
    sum->refused += t.refused;
    sum->expelled += t.expelled;
    sum->rolled_forward += t.rolled_forward;
    sum->voided += t.voided;
    sum->crashed_inside += t.crashed_inside;
    sum->healed += t.healed;
    sum->frozen += t.frozen;
  }
  return std::nullopt;
}

/// Leaves out whatever can be left out so that some rule is still violated.
History shrink(SetGeometry geometry, History history, Broken broken) {
  for (std::size_t chunk = history.size() / 2; chunk > 0; chunk /= 2) {
    for (std::size_t at = 0; at + chunk <= history.size();) {
      History shorter = history;
      const auto from = shorter.begin() + static_cast<std::ptrdiff_t>(at);
      shorter.erase(from, from + static_cast<std::ptrdiff_t>(chunk));
      if (run(geometry, shorter, broken)) {
        history = std::move(shorter);
      } else {
        at += chunk;
      }
    }
  }
  return history;
}

std::string describe_failure(const Case& failed, Broken broken, std::uint64_t seed) {
  const History history = shrink(failed.geometry, failed.history, broken);
  std::string text = "seed " + std::to_string(seed) + ", " + std::to_string(failed.geometry.k) +
                     "+" + std::to_string(failed.geometry.m) + ": " +
                     run(failed.geometry, history, broken).value_or("") + "\n";
  ModelSet set(failed.geometry, broken);
  for (const Step& step : history) {
    set.step(step);
    text += std::string("  {Op::") + name_of(step.op) + ", " + std::to_string(step.arg) + "U}, " +
            set.describe();
  }
  return text;
}

std::uint64_t first_seed() {
  return from_environment("MOTE_TEST_SEED", 1);
}

TEST_CASE("model: random histories lose nothing, change nothing and refuse nothing needlessly") {
  const std::uint64_t first = first_seed();
  const std::uint64_t count = histories_wanted();
  MESSAGE("seeds " << first << " to " << first + count - 1);
  ModelSet::Tally sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Case made = make_case(seed);
    if (run(made.geometry, made.history, Broken::nothing, &sum)) {
      FAIL(describe_failure(made, Broken::nothing, seed));
    }
  }
  MESSAGE("acknowledged " << sum.acknowledged << " served " << sum.served << " read-only "
                          << sum.read_only << " refused " << sum.refused << " expelled "
                          << sum.expelled << " rolled forward " << sum.rolled_forward << " voided "
                          << sum.voided << " crashed in start " << sum.crashed_inside << " healed "
                          << sum.healed << " frozen " << sum.frozen);
  // A model that never comes to the hard places proves nothing.
  CHECK(sum.acknowledged > count);
  CHECK(sum.served > count);
  CHECK(sum.expelled > count / 10);
  CHECK(sum.rolled_forward > count / 10);
  CHECK(sum.voided > count / 10);
  CHECK(sum.crashed_inside > count / 10);
  CHECK(sum.healed > count / 20);
  CHECK(sum.read_only > 0);
  CHECK(sum.refused > 0);
  CHECK(sum.frozen > 0);
}

TEST_CASE("model: each rule that is broken on purpose is found") {
  struct Row {
    Broken broken;
    std::string_view name;
    std::uint64_t from = 1;  ///< seed to search from, near one that is known to find it
  };
  static constexpr Row kRows[] = {
      // clang-format off
      {Broken::quorum_off_by_one,   "quorum_off_by_one"},
      {Broken::expel_without_cfg,   "expel_without_cfg"},
      {Broken::ack_before_synced,   "ack_before_synced"},
      {Broken::late_mark_in_doubt,  "late_mark_in_doubt"},
      {Broken::recovery_marks_end,  "recovery_marks_end", 49'090},
      {Broken::apply_before_decided, "apply_before_decided", 75'260},
      {Broken::forward_voided,      "forward_voided"},
      {Broken::ignore_marks,        "ignore_marks"},
      {Broken::ignore_epoch,        "ignore_epoch"},
      {Broken::no_promise,          "no_promise"},
      {Broken::serve_before_synced, "serve_before_synced"},
      {Broken::rejoin_as_current,   "rejoin_as_current"},
      {Broken::rejoin_in_old_log,   "rejoin_in_old_log"},
      {Broken::damage_is_torn_tail, "damage_is_torn_tail"},
      // clang-format on
  };
  static_assert(std::size(kRows) + 1 == static_cast<std::size_t>(Broken::count_));
  for (const Row& row : kRows) {
    const std::string name(row.name);
    CAPTURE(name);
    std::optional<std::string> found;
    std::uint64_t seed = row.from;
    for (; seed < row.from + 200'000 && !found; ++seed) {
      const Case made = make_case(seed);
      found = run(made.geometry, made.history, row.broken);
    }
    REQUIRE(found.has_value());
    MESSAGE(std::string(row.name) << ": found after " << seed - row.from
                                  << " histories: " << *found);
  }
}

}  // namespace
}  // namespace mote::erasure::test
