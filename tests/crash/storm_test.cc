#include "tests/crash/storm.h"

#include <doctest/doctest.h>

#include "tests/sim/seeds.h"

using namespace mote;
using namespace mote::crash;

namespace {

struct Shape {
  unsigned k;
  unsigned m;
};
constexpr std::array<Shape, 5> kShapes{Shape{1, 0}, Shape{1, 1}, Shape{2, 1}, Shape{2, 2},
                                       Shape{4, 2}};
constexpr std::uint64_t kSeeds = 45;  // per shape: more than 2,000 cuts in all

/// What the storms of a test did together.
struct Totals {
  std::uint64_t cuts = 0;
  std::uint64_t in_start = 0;
  std::uint64_t in_heal = 0;
  std::uint64_t starts = 0;
  std::uint64_t heals = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t looks = 0;

  void add(const StoreStorm& storm) {
    cuts += storm.cuts;
    in_start += storm.cuts_in_start;
    in_heal += storm.cuts_in_heal;
    starts += storm.starts;
    heals += storm.heals;
    acknowledged += storm.world.acknowledged;
    looks += storm.world.looks;
  }
};

/// The first seed that catches the bug, 0 if none of them does.
std::uint64_t caught_by(erasure::SetBug bug, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    StoreStorm storm(2, 1, seed, bug);
    if (const std::string problem = storm.run(6); !problem.empty()) {
      MESSAGE("seed ", seed, ": ", problem);
      return seed;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("crash: INV-1, INV-6: random operations and power cuts lose nothing acknowledged") {
  const std::uint64_t first = sim::test_seed(1);
  const std::uint64_t seeds = sim::test_seed_count(contract::test_number("SEEDS", kSeeds));
  Totals totals;
  for (const Shape shape : kShapes) {
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      CAPTURE(shape.k);
      CAPTURE(shape.m);
      CAPTURE(seed);
      StoreStorm storm(shape.k, shape.m, seed);
      storm.world.verbose = seeds == 1;
      CHECK_EQ(storm.run(10), "");
      totals.add(storm);
    }
  }
  MESSAGE("cuts ", totals.cuts, " (in start-up ", totals.in_start, ", in heals ", totals.in_heal,
          "), starts ", totals.starts, ", heals ", totals.heals, ", acknowledged ",
          totals.acknowledged, ", reads under way ", totals.looks);
  if (seeds >= kSeeds) {
    CHECK(totals.cuts >= 2000);
    CHECK(totals.in_start > 100);
    CHECK(totals.in_heal > 20);
    CHECK(totals.heals > 100);
    CHECK(totals.looks > 1000);
  }
}

TEST_CASE("crash: an acknowledgement before the sync is caught") {
  CHECK(caught_by(erasure::SetBug::ack_before_sync, 50) != 0);
}
TEST_CASE("crash: an apply before the decision is caught") {
  CHECK(caught_by(erasure::SetBug::apply_before_decided, 300) != 0);
}
TEST_CASE("crash: an expulsion without a record is caught") {
  CHECK(caught_by(erasure::SetBug::expel_without_cfg, 200) != 0);
}
TEST_CASE("crash: rolling forward what is void is caught") {
  CHECK(caught_by(erasure::SetBug::forward_voided, 200) != 0);
}

TEST_CASE("crash: one seed is one run") {
  for (const Shape shape : kShapes) {
    for (std::uint64_t seed = 1; seed <= contract::test_number("SEEDS", 2); ++seed) {
      CAPTURE(shape.k);
      CAPTURE(shape.m);
      CAPTURE(seed);
      std::array<std::uint64_t, 2> traces{};
      for (std::uint64_t& trace : traces) {
        StoreStorm storm(shape.k, shape.m, seed);
        CHECK_EQ(storm.run(5), "");
        trace = storm.world.scheduler.trace_hash();
      }
      CHECK_EQ(traces[0], traces[1]);
    }
  }
}
