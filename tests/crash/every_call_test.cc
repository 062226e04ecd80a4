#include <array>
#include <chrono>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crash/crash_world.h"

using namespace mote;
using namespace mote::crash;

namespace {

/// A few operations on a store that has a bucket and some objects.
struct Scenario {
  std::string name;
  void (*prepare)(World&);
  void (*run)(World&);
};

void nothing(World&) {}

const std::array kScenarios = {
    Scenario{"put in the record", nothing, [](World& world) { world.put("a", 700); }},
    Scenario{"put in the payload family", nothing, [](World& world) { world.put("a", 6000); }},
    Scenario{"put in a small file", nothing, [](World& world) { world.put("a", 20'000); }},
    Scenario{"put of two stripes", nothing, [](World& world) { world.put("a", kMiB + 5000); }},
    Scenario{"overwrite of a file by a record", [](World& world) { world.put("a", 20'000); },
             [](World& world) { world.put("a", 700); }},
    Scenario{"overwrite of a payload by a file", [](World& world) { world.put("a", 6000); },
             [](World& world) { world.put("a", 20'000); }},
    Scenario{"delete", [](World& world) { world.put("a", 20'000); },
             [](World& world) { world.remove("a"); }},
    Scenario{"tags", [](World& world) { world.put("a", 6000); },
             [](World& world) { world.tag("a"); }},
    Scenario{"part", [](World& world) { world.create_upload("a"); },
             [](World& world) { world.put_part("a", 1, 20'000); }},
    Scenario{"complete",
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
    Scenario{"bucket create", nothing, [](World& world) { world.create_bucket("other"); }},
    Scenario{"bucket delete", [](World& world) { world.create_bucket("other"); },
             [](World& world) { world.delete_bucket("other"); }},
};

/// MOTE_TEST_STRIDE: every how many calls the power is cut.
std::uint64_t stride(std::uint64_t otherwise) {
  return contract::test_number("STRIDE", otherwise);
}

void make_world(World& world) {
  REQUIRE(world.open().has_value());
  world.create_bucket(World::kBucket);
  world.finish();
}

/// Opens after a cut and compares with the ledger; once more after another cut.
void look_twice(World& world, std::uint64_t seed) {
  REQUIRE_MESSAGE(world.open().has_value(), world.problem);
  REQUIRE_EQ(world.verify(), "");
  world.cut_power(seed, sim::CutMode::drop_all);
  REQUIRE_MESSAGE(world.open().has_value(), world.problem);
  REQUIRE_EQ(world.verify(), "");
}

/// Runs a scenario up to its `index`th call to the file system (0: to its end), loses the power
/// there, again in the start after it, and looks. Returns the calls that were made.
std::uint64_t run_with_cut(const Scenario& scenario, unsigned k, unsigned m, std::uint64_t index) {
  CAPTURE(index);
  World world(k, m, 1);
  make_world(world);
  scenario.prepare(world);
  world.finish();
  world.fs.faults().reset_calls();
  world.fs.faults().cut_at(index);
  scenario.run(world);
  world.finish();
  const std::uint64_t calls = world.fs.faults().calls();
  CHECK(world.fs.faults().powered() == (index == 0));
  world.cut_power(index, static_cast<sim::CutMode>(index % 4));
  world.fs.faults().cut_at(1 + index * 7 % 500);
  const Status opened = world.open();
  if (!opened || !world.fs.faults().powered()) {
    world.cut_power(index + 1, sim::CutMode::random);
  } else {
    world.fs.faults().cut_at(0);
    REQUIRE_EQ(world.verify(), "");
    world.cut_power(index + 1, sim::CutMode::drop_all);
  }
  look_twice(world, index + 2);
  return calls;
}

void every_call(unsigned k, unsigned m) {
  for (const Scenario& scenario : kScenarios) {
    CAPTURE(scenario.name);
    const std::uint64_t calls = run_with_cut(scenario, k, m, 0);
    CHECK(calls > 0);
    std::uint64_t cuts = 0;
    for (std::uint64_t index = 1; index <= calls; index += stride(1)) {
      run_with_cut(scenario, k, m, index);
      ++cuts;
    }
    MESSAGE(scenario.name, ": ", calls, " calls, ", cuts, " cuts");
  }
}

/// Leaves a store whose power went in the middle of `scenario`, and loses it again at the `index`th
/// call of the start (0: not). Returns the calls of a start.
std::uint64_t start_with_cut(const Scenario& scenario, unsigned k, unsigned m,
                             std::uint64_t index) {
  CAPTURE(index);
  World world(k, m, 1);
  make_world(world);
  scenario.prepare(world);
  world.finish();
  // With this call done the first drive has the commit in its log and the others may not.
  world.fs.faults().cut_at(2, true);
  scenario.run(world);
  world.finish();
  world.cut_power(index, sim::CutMode::random);
  world.fs.faults().reset_calls();
  world.fs.faults().cut_at(index);
  const Status opened = world.open();
  const std::uint64_t calls = world.fs.faults().calls();
  if (index == 0) {
    REQUIRE_MESSAGE(opened.has_value(), world.problem);
    REQUIRE_EQ(world.verify(), "");
  }
  world.cut_power(index + 1, static_cast<sim::CutMode>(index % 4));
  look_twice(world, index + 2);
  return calls;
}

void every_call_of_a_start(unsigned k, unsigned m) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{6}}) {
    const Scenario& scenario = kScenarios[at];
    CAPTURE(scenario.name);
    const std::uint64_t calls = start_with_cut(scenario, k, m, 0);
    CHECK(calls > 50);
    std::uint64_t cuts = 0;
    for (std::uint64_t index = 1; index <= calls; index += stride(3)) {
      start_with_cut(scenario, k, m, index);
      ++cuts;
    }
    MESSAGE("start after ", scenario.name, ": ", calls, " calls, ", cuts, " cuts");
  }
}

/// Loses the power at the `index`th call of the very first start (0: not), and again in the one
/// after it, before there is anything to lose: the store has to come to serve all the same. Returns
/// the calls of that start.
std::uint64_t first_start_with_cut(unsigned k, unsigned m, std::uint64_t index) {
  CAPTURE(index);
  World world(k, m, 1);
  world.fs.faults().reset_calls();
  world.fs.faults().cut_at(index);
  const Status opened = world.open();
  const std::uint64_t calls = world.fs.faults().calls();
  if (index == 0) {
    REQUIRE_MESSAGE(opened.has_value(), world.problem);
  }
  world.cut_power(index, static_cast<sim::CutMode>(index % 4));
  if (index % 3 == 0) {
    world.fs.faults().cut_at(1 + index * 7 % 300);
    static_cast<void>(world.open().has_value());
    world.cut_power(index + 1, sim::CutMode::random);
  }
  REQUIRE_MESSAGE(world.open().has_value(), world.problem);
  world.create_bucket(World::kBucket);
  world.finish();
  world.put("a", 700);
  world.finish();
  CHECK_EQ(world.acknowledged, 2);
  world.cut_power(index + 2, sim::CutMode::drop_all);
  look_twice(world, index + 3);
  return calls;
}

void every_call_of_the_first_start(unsigned k, unsigned m) {
  CAPTURE(k);
  CAPTURE(m);
  const std::uint64_t calls = first_start_with_cut(k, m, 0);
  CHECK(calls > 100);
  std::uint64_t cuts = 0;
  for (std::uint64_t index = 1; index <= calls; index += stride(m == 0 ? 3 : 11)) {
    first_start_with_cut(k, m, index);
    ++cuts;
  }
  MESSAGE("first start of ", k, "+", m, ": ", calls, " calls, ", cuts, " cuts");
}

std::size_t current_drives(const World& world) {
  std::size_t count = 0;
  for (const DriveStatus& drive : world.store->status().drives) {
    count += drive.state == DriveState::current ? 1U : 0U;
  }
  return count;
}

bool heal_all(World& world) {
  return world.scheduler.run_until(
      [&] {
        return current_drives(world) == world.options.drives.size() || !world.fs.faults().powered();
      },
      std::chrono::seconds(60));
}

/// A drive misses an overwrite, a delete and a new key, comes back (blank or as it was), and the
/// power goes at the `index`th call of its return and heal (0: not). Afterwards it heals, and any m
/// others can be missing. Returns the calls of return and heal.
std::uint64_t heal_with_cut(unsigned k, unsigned m, bool blank, std::uint64_t index) {
  CAPTURE(index);
  World world(k, m, 1);
  make_world(world);
  for (const auto& [key, size] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"a", 700}, {"b", 6000}, {"c", 20'000}}) {
    world.put(key, size);
  }
  world.finish();
  const std::string& path = world.options.drives[1];
  world.fs.disappear(path);
  world.scheduler.run_for(std::chrono::milliseconds(1500));
  world.put("a", 20'000);
  world.remove("b");
  world.put("d", 6000);
  world.finish();
  world.fs.reappear(path);
  world.fs.faults().reset_calls();
  if (blank) {
    world.fs.replace_with_blank(path);
    world.store->replace_drive(path, [](const Status&) {});
  }
  world.fs.faults().cut_at(index);
  REQUIRE(heal_all(world));
  const std::uint64_t calls = world.fs.faults().calls();
  world.cut_power(index, static_cast<sim::CutMode>(index % 4));
  look_twice(world, index + 1);
  if (current_drives(world) != k + m && blank) {  // the format was cut: the operator asks again
    world.store->replace_drive(path, [](const Status&) {});
  }
  REQUIRE(heal_all(world));
  REQUIRE_EQ(world.verify(), "");
  world.cut_power(index + 3, sim::CutMode::random);
  world.fs.disappear(world.options.drives[0]);
  look_twice(world, index + 4);
  return calls;
}

void every_call_of_a_heal(unsigned k, unsigned m) {
  for (const bool blank : {false, true}) {
    CAPTURE(blank);
    const std::uint64_t calls = heal_with_cut(k, m, blank, 0);
    CHECK(calls > 50);
    std::uint64_t cuts = 0;
    for (std::uint64_t index = 1; index <= calls; index += stride(3)) {
      heal_with_cut(k, m, blank, index);
      ++cuts;
    }
    MESSAGE("heal of a drive that returns ", std::string(blank ? "blank" : "as it was"), ": ",
            calls, " calls, ", cuts, " cuts");
  }
}

/// The other shapes run when MOTE_TEST_CRASH_SHAPES is set.
bool all_shapes() {
  return contract::test_number("CRASH_SHAPES", 0) != 0;
}

}  // namespace

TEST_CASE("crash: INV-2, INV-6: 1+0, power cut at every call of small scenarios") {
  every_call(1, 0);
}
TEST_CASE("crash: INV-2, INV-6: 2+1, power cut at every call of small scenarios") {
  every_call(2, 1);
}
TEST_CASE("crash: INV-2, INV-6: 1+1, 2+2 and 4+2, power cut at every call of small scenarios" *
          doctest::skip(!all_shapes())) {
  every_call(1, 1);
  every_call(2, 2);
  every_call(4, 2);
}
TEST_CASE("crash: INV-6: power cut at the calls of the first start") {
  every_call_of_the_first_start(1, 0);
  every_call_of_the_first_start(1, 1);
  every_call_of_the_first_start(2, 1);
}
TEST_CASE("crash: INV-6: power cut at the calls of a start after a power cut") {
  every_call_of_a_start(1, 0);
  every_call_of_a_start(2, 1);
}
TEST_CASE("crash: INV-6, INV-8: 2+1, power cut at the calls of a return and its heal") {
  every_call_of_a_heal(2, 1);
}
