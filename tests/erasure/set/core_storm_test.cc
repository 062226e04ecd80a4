#include "tests/erasure/set/core_storm.h"

#include <doctest/doctest.h>

#include "tests/sim/seeds.h"

using namespace mote;
using namespace mote::erasure;
using namespace mote::erasure::test;

namespace {

struct Shape {
  std::uint8_t k;
  std::uint8_t m;
};
constexpr std::array<Shape, 5> kShapes{Shape{1, 0}, Shape{1, 1}, Shape{2, 1}, Shape{2, 2},
                                       Shape{4, 2}};

/// Seeds until one catches the bug; 0 if none does.
std::uint64_t caught_after(SetBug bug, Shape shape, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Storm storm(shape.k, shape.m, seed, bug);
    if (!storm.run(4).empty()) {
      return seed;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("storm: power cuts lose nothing acknowledged or read (INV-1, INV-6)") {
  const std::uint64_t first = sim::test_seed(1);
  const std::uint64_t seeds = sim::test_seed_count(75);
  std::uint64_t cuts = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t expelled = 0;
  std::uint64_t healed = 0;
  for (const Shape shape : kShapes) {
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      CAPTURE(unsigned{shape.k});
      CAPTURE(unsigned{shape.m});
      CAPTURE(seed);
      Storm storm(shape.k, shape.m, seed);
      storm.verbose = seeds == 1;
      CHECK_EQ(storm.run(8), "");
      cuts += storm.cuts;
      acknowledged += storm.acknowledged;
      expelled += storm.expelled;
      healed += storm.healed;
    }
  }
  MESSAGE("cuts ", cuts, ", acknowledged ", acknowledged, ", expelled ", expelled, ", healed ",
          healed);
  if (seeds > 1) {
    CHECK(cuts >= 2000);
    CHECK(acknowledged >= 2000);
    CHECK(expelled > 0);
    CHECK(healed > 0);
  }
}

TEST_CASE("storm: an acknowledgement before the sync is caught") {
  CHECK(caught_after(SetBug::ack_before_sync, {2, 1}, 100) != 0);
}
TEST_CASE("storm: an apply before the decision is caught") {
  CHECK(caught_after(SetBug::apply_before_decided, {2, 1}, 300) != 0);
}
TEST_CASE("storm: an expulsion without a record is caught") {
  CHECK(caught_after(SetBug::expel_without_cfg, {2, 1}, 300) != 0);
}
TEST_CASE("storm: rolling forward what is void is caught") {
  CHECK(caught_after(SetBug::forward_voided, {2, 1}, 300) != 0);
}

TEST_CASE("storm: one seed is one run") {
  const std::uint64_t seed = sim::test_seed(42);
  CAPTURE(seed);
  std::array<std::uint64_t, 2> traces{};
  for (std::uint64_t& trace : traces) {
    Storm storm(2, 1, seed);
    CHECK_EQ(storm.run(6), "");
    trace = storm.sim.scheduler.trace_hash();
  }
  CHECK_EQ(traces[0], traces[1]);
}
