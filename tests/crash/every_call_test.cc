#include <chrono>

#include <doctest/doctest.h>

#include "tests/crash/crash_world.h"
#include "tests/sim/seeds.h"

using namespace mote;
using namespace mote::crash;

namespace {

/// A few operations on a store that has a bucket and some objects.
struct Scenario {
  const char* name;
  void (*prepare)(World&);
  void (*run)(World&);
};

void nothing(World&) {}

const Scenario kScenarios[] = {
    {"put in the record", nothing, [](World& world) { world.put("a", 700); }},
    {"put in the payload family", nothing, [](World& world) { world.put("a", 6000); }},
    {"put in a small file", nothing, [](World& world) { world.put("a", 20'000); }},
    {"put of two stripes", nothing, [](World& world) { world.put("a", kMiB + 5000); }},
    {"overwrite of a file by a record", [](World& world) { world.put("a", 20'000); },
     [](World& world) { world.put("a", 700); }},
    {"overwrite of a payload by a file", [](World& world) { world.put("a", 6000); },
     [](World& world) { world.put("a", 20'000); }},
    {"delete", [](World& world) { world.put("a", 20'000); },
     [](World& world) { world.remove("a"); }},
    {"tags", [](World& world) { world.put("a", 6000); }, [](World& world) { world.tag("a"); }},
    {"part", [](World& world) { world.create_upload("a"); },
     [](World& world) { world.put_part("a", 1, 20'000); }},
    {"complete",
     [](World& world) {
       world.put("a", 20'000);
       world.finish();
       world.create_upload("a");
       world.finish();
       world.put_part("a", 1, 40'000);
       world.finish();
       world.put_part("a", 2, 3000);
     },
     [](World& world) { world.complete("a"); }},
    {"bucket create", nothing, [](World& world) { world.create_bucket("other"); }},
    {"bucket delete", [](World& world) { world.create_bucket("other"); },
     [](World& world) { world.delete_bucket("other"); }},
};

/// Runs a scenario up to its `index`th call to the file system, loses the power there, starts again
/// and looks; then loses it once more, at the same call of the start. Returns the calls that were
/// made, 0 if the scenario ended before the cut.
std::uint64_t run_with_cut(const Scenario& scenario, unsigned k, unsigned m, std::uint64_t index) {
  CAPTURE(index);
  World world(k, m, 1);
  REQUIRE(world.open().has_value());
  world.create_bucket(World::kBucket);
  world.finish();
  scenario.prepare(world);
  world.finish();
  world.fs.faults().reset_calls();
  if (index != 0) {
    world.fs.faults().cut_at(index);
  }
  scenario.run(world);
  world.finish();
  const std::uint64_t calls = world.fs.faults().calls();
  const bool cut = !world.fs.faults().powered();
  if (!cut && index != 0) {
    return 0;
  }
  const auto mode = static_cast<sim::CutMode>(index % 4);
  world.cut_power(index, mode);
  world.fs.faults().cut_at(1 + index * 7 % 500);
  if (!world.open() || !world.fs.faults().powered()) {
    world.cut_power(index + 1, sim::CutMode::random);
    REQUIRE_MESSAGE(world.open().has_value(), world.problem);
  }
  world.fs.faults().power_on();
  REQUIRE_EQ(world.verify(), "");
  world.cut_power(index + 2, sim::CutMode::drop_all);
  REQUIRE_MESSAGE(world.open().has_value(), world.problem);
  REQUIRE_EQ(world.verify(), "");
  return calls;
}

void every_call(unsigned k, unsigned m) {
  const std::uint64_t stride = contract::test_number("STRIDE", 1);
  for (const Scenario& scenario : kScenarios) {
    CAPTURE(std::string(scenario.name));
    const std::uint64_t calls = run_with_cut(scenario, k, m, 0);
    CHECK(calls > 0);
    std::uint64_t cuts = 0;
    for (std::uint64_t index = 1; index <= calls; index += stride) {
      cuts += run_with_cut(scenario, k, m, index) != 0 ? 1U : 0U;
    }
    CHECK(cuts > 0);
    MESSAGE(scenario.name, ": ", calls, " calls, ", cuts, " cuts");
  }
}

}  // namespace

TEST_CASE("crash: INV-6: 1+0, power cut at every call of small scenarios") {
  every_call(1, 0);
}
TEST_CASE("crash: INV-6: 2+1, power cut at every call of small scenarios") {
  every_call(2, 1);
}
