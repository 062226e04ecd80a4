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
constexpr std::array<Shape, 4> kShapes{Shape{1, 0}, Shape{1, 1}, Shape{2, 1}, Shape{4, 2}};

bool is_caught(erasure::SetBug bug, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    StoreStorm storm(2, 1, seed, bug);
    if (!storm.run(6).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("crash: INV-1, INV-6: random operations and power cuts lose nothing acknowledged") {
  const std::uint64_t first = sim::test_seed(1);
  const std::uint64_t seeds = sim::test_seed_count(contract::test_number("SEEDS", 50));
  std::uint64_t cuts = 0;
  std::uint64_t starts = 0;
  std::uint64_t heals = 0;
  std::uint64_t acknowledged = 0;
  for (const Shape shape : kShapes) {
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      CAPTURE(shape.k);
      CAPTURE(shape.m);
      CAPTURE(seed);
      StoreStorm storm(shape.k, shape.m, seed);
      storm.world.verbose = seeds == 1;
      CHECK_EQ(storm.run(10), "");
      cuts += storm.cuts;
      starts += storm.starts;
      heals += storm.heals;
      acknowledged += storm.world.acknowledged;
    }
  }
  MESSAGE("cuts ", cuts, ", starts ", starts, ", heals ", heals, ", acknowledged ", acknowledged);
  if (seeds >= 50) {
    CHECK(cuts >= 2000);
    CHECK(heals > 0);
  }
}

TEST_CASE("crash: an acknowledgement before the sync is caught") {
  CHECK(is_caught(erasure::SetBug::ack_before_sync, 50));
}
TEST_CASE("crash: an apply before the decision is caught") {
  CHECK(is_caught(erasure::SetBug::apply_before_decided, 200));
}
TEST_CASE("crash: an expulsion without a record is caught") {
  CHECK(is_caught(erasure::SetBug::expel_without_cfg, 200));
}
TEST_CASE("crash: rolling forward what is void is caught") {
  CHECK(is_caught(erasure::SetBug::forward_voided, 200));
}
