#include <doctest/doctest.h>

#include "tests/erasure/set/core_fixture.h"
#include "tests/sim/seeds.h"
#include "tests/support/check_result.h"

using namespace mote;
using namespace mote::erasure;
using namespace mote::erasure::test;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A formatted, open, warm set.
struct Running : SimSet {
  Running(std::uint8_t k, std::uint8_t m, std::uint64_t segment_bytes = 64 * kKiB)
      : SimSet(k, m, sim::test_seed(7)) {
    options.segment_bytes = segment_bytes;
    REQUIRE_OK(format());
    REQUIRE_OK(open());
    REQUIRE(put_now("warm", "up"));
  }
  std::uint64_t syncs(Slot slot) { return fs.faults().syncs(paths[slot]).data; }
  void fail_log(Slot slot, sim::VfsCall call) {
    fs.faults().fail({call, paths[slot] + "/log", 1, true, false, {}});
  }
};

}  // namespace

TEST_CASE("pipeline: a commit is visible on every member when it is acknowledged (INV-1)") {
  Running set(4, 2);
  const auto outcome = set.put("k", "v");
  CHECK_FALSE(outcome->done);
  bool visible = false;
  CHECK(set.scheduler.run_until(
      [&] {
        if (outcome->done) {
          visible = true;
          for (const Member& member : set.members()->slots) {
            visible = visible && read_row(*member.drive, "k") == "v";
          }
        }
        return outcome->done;
      },
      seconds(5)));
  CHECK(outcome->acknowledged());
  CHECK(visible);
}

TEST_CASE("pipeline: a lone writer costs one sync a drive and commit") {
  Running set(2, 1, kMiB);  // a change of segments has syncs of its own
  const std::uint64_t before = set.syncs(0);
  for (int i = 0; i < 20; ++i) {
    REQUIRE(set.put_now("k", std::to_string(i)));
  }
  CHECK(set.syncs(0) - before <= 20);
}

TEST_CASE("pipeline: what queues up during a sync is one group") {
  Running set(2, 1);
  const std::uint64_t before = set.syncs(1);
  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int i = 0; i < 50; ++i) {
    outcomes.push_back(set.put("k" + std::to_string(i), "v"));
  }
  CHECK(set.run_until_done(outcomes.back()));
  // The first task takes whatever is there when it starts.
  CHECK(set.syncs(1) - before <= 2);
}

TEST_CASE("pipeline: submitting order is sequence order and order of acknowledgement") {
  Running set(2, 2);
  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int i = 0; i < 30; ++i) {
    outcomes.push_back(set.put("k", std::to_string(i)));
    for (int steps = 0; steps < i % 7; ++steps) {
      set.scheduler.step();
    }
    bool open_end = false;
    for (const auto& outcome : outcomes) {
      CHECK_FALSE((open_end && outcome->done));
      open_end = open_end || !outcome->done;
    }
  }
  REQUIRE(set.run_until_done(outcomes.back()));
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    CHECK_EQ(outcomes[i]->seq, outcomes[i - 1]->seq.next());
  }
  CHECK_EQ(set.read("k"), "29");
}

TEST_CASE("pipeline: nothing is visible before it is synced on all members (INV-6)") {
  Running set(2, 1);
  set.hang(2, "log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_until_idle();
  CHECK_FALSE(outcome->done);
  for (const Member& member : set.members()->slots) {
    CHECK_FALSE(read_row(*member.drive, "k").has_value());
  }
  set.unhang(2, "log");
  CHECK(set.run_until_done(outcome));
}

TEST_CASE("pipeline: the list drive applies last") {
  Running set(4, 2);
  const Slot list = *set.members()->list_slot;
  const auto outcome = set.put("k", "v");
  while (!outcome->done && set.scheduler.step()) {
    if (read_row(*set.members()->slots[list].drive, "k")) {
      for (const Member& member : set.members()->slots) {
        CHECK(read_row(*member.drive, "k").has_value());
      }
    }
  }
  CHECK(outcome->acknowledged());
}

TEST_CASE("pipeline: a drive whose sync fails is expelled and the write goes on (INV-5)") {
  Running set(2, 1);
  set.fail_log(1, sim::VfsCall::sync_data);
  const auto outcome = set.put("k", "v");
  CHECK(set.run_until_done(outcome));
  CHECK(outcome->acknowledged());
  CHECK_EQ(set.state(1), DriveState::faulty);
  CHECK_FALSE(set.members()->is_current(1));
  CHECK_EQ(set.set->pipeline().stats().expelled, 1);
  const std::uint64_t calls = set.fs.faults().calls(sim::VfsCall::sync_data);
  CHECK(set.put_now("k", "w"));
  // Two members, one sync each: the failed one is not tried again.
  CHECK(set.fs.faults().calls(sim::VfsCall::sync_data) - calls <= 2);
}

TEST_CASE("pipeline: a drive that hangs for over two seconds is expelled") {
  Running set(2, 1);
  set.hang(0, "log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_for(milliseconds(1900));
  CHECK_FALSE(outcome->done);
  CHECK(set.members()->is_current(0));
  set.scheduler.run_for(milliseconds(300));
  CHECK(outcome->acknowledged());
  CHECK_EQ(set.state(0), DriveState::offline);
  CHECK_EQ(set.members()->slots[0].drive, nullptr);
  set.unhang(0, "log");
}

TEST_CASE("pipeline: an expelled drive is no reader when its absence matters") {
  Running set(4, 2);
  const Slot list = *set.members()->list_slot;
  set.hang(list, "log");
  const auto outcome = set.put("k", "v");
  bool clean = true;
  CHECK(set.scheduler.run_until(
      [&] {
        clean = clean && (!outcome->done || !set.members()->is_current(list));
        return outcome->done;
      },
      seconds(10)));
  CHECK(clean);
  CHECK_NE(*set.members()->list_slot, list);
  CHECK_EQ(set.read("k"), "v");
  set.unhang(list, "log");
}

TEST_CASE("pipeline: below W nobody is expelled; the set freezes and a late answer thaws it") {
  Running set(1, 1);
  set.hang(1, "log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_for(seconds(5));
  CHECK_FALSE(outcome->done);
  CHECK(set.members()->frozen);
  CHECK_EQ(set.members()->current, 3);  // both still readers, with the last decided state
  CHECK_FALSE(set.read("k").has_value());
  const auto refused = set.put("other", "v");
  CHECK(refused->done);
  CHECK_EQ(refused->error->code, Errc::write_quorum);
  set.unhang(1, "log");
  CHECK(set.run_until_done(outcome));
  CHECK(outcome->acknowledged());
  CHECK_FALSE(set.members()->frozen);
  CHECK(set.put_now("k", "w"));
}

TEST_CASE("pipeline: when all drives are late at once none is expelled") {
  Running set(4, 2);
  set.hang_all("log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_for(seconds(10));
  CHECK(set.members()->frozen);
  set.unhang_all("log");
  CHECK(set.run_until_done(outcome));
  CHECK(outcome->acknowledged());
  CHECK_EQ(set.set->pipeline().stats().expelled, 0);
  CHECK_FALSE(set.members()->frozen);
}

TEST_CASE("pipeline: a broken drive below W ends the writes in doubt with an unknown outcome") {
  Running set(1, 0);
  set.fail_log(0, sim::VfsCall::sync_data);
  const auto outcome = set.put("k", "v");
  CHECK(set.run_until_done(outcome));
  CHECK_EQ(outcome->error->code, Errc::io_error);
  const auto refused = set.put("k", "w");
  CHECK_EQ(refused->error->code, Errc::write_quorum);
  CHECK_EQ(set.read("warm"), "up");  // reads go on
  set.fs.faults().clear_faults();
  set.crash();
  REQUIRE_OK(set.open());
  const auto settled = set.read("k");
  CHECK((!settled || settled == "v"));
  CHECK(set.put_now("k", "x"));
}

TEST_CASE("pipeline: what was given up is not shown when it is decided late") {
  Running set(1, 1);
  set.hang(0, "log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_until_idle();  // synced on drive 1 alone
  set.fs.unmount("/d1");
  CHECK(set.scheduler.run_until([&] { return outcome->done; }, seconds(5)));
  CHECK_EQ(outcome->error->code, Errc::io_error);
  set.unhang(0, "log");
  set.scheduler.run_for(milliseconds(100));
  CHECK_FALSE(read_row(*set.members()->slots[0].drive, "k").has_value());
  CHECK_FALSE(set.read("k").has_value());
}

TEST_CASE("pipeline: holders decide whether a commit counts") {
  Running set(2, 2);
  auto commit = std::make_shared<OneRow>("k", "v");
  commit->holders_ = 0b0011;  // W is 3
  const auto outcome = set.submit(commit);
  CHECK(outcome->done);
  CHECK_EQ(outcome->error->code, Errc::write_quorum);
  auto enough = std::make_shared<OneRow>("k", "v");
  enough->holders_ = 0b0111;
  const auto second = set.submit(enough);
  CHECK(set.run_until_done(second));
  CHECK(second->acknowledged());
}

TEST_CASE("pipeline: no drive is expelled whose leaving would leave a commit short of holders") {
  Running set(2, 2);
  set.hang(3, "log");
  auto commit = std::make_shared<OneRow>("k", "v");
  commit->holders_ = 0b1011;
  const auto outcome = set.submit(commit);
  set.scheduler.run_for(seconds(3));
  CHECK_FALSE(outcome->done);
  CHECK(set.members()->frozen);
  set.unhang(3, "log");
  CHECK(set.run_until_done(outcome));
  CHECK(outcome->acknowledged());
  CHECK_EQ(set.set->pipeline().stats().expelled, 0);
}

TEST_CASE("pipeline: a reported shard failure expels, but never below W") {
  Running set(2, 1);
  set.set->pipeline().report_failure(2, {Errc::io_error, 5, "shard.write"});
  CHECK_EQ(set.state(2), DriveState::faulty);
  CHECK(set.put_now("k", "v"));
  set.set->pipeline().report_failure(1, {Errc::io_error, 5, "shard.write"});
  CHECK_EQ(set.state(1), DriveState::current);
  CHECK_FALSE(set.members()->frozen);
  CHECK(set.put_now("k", "w"));
}

TEST_CASE(
    "pipeline: a full drive leaves while W have room; then the set is full and takes deletes") {
  Running set(2, 1);
  set.set->pipeline().report_no_space(2);
  CHECK_EQ(set.state(2), DriveState::faulty);
  CHECK(set.put_now("k", "v"));
  set.set->pipeline().report_no_space(1);
  CHECK(set.members()->full);
  const auto refused = set.put("k", "w");
  CHECK_EQ(refused->error->code, Errc::no_space);
  auto removal = std::make_shared<OneRow>("k", "gone");
  removal->frees_ = true;
  const auto taken = set.submit(removal);
  CHECK(set.run_until_done(taken));
  CHECK(taken->acknowledged());
}

TEST_CASE("pipeline: queues are bounded in bytes (INV-12)") {
  SimSet set(2, 1, 3);
  set.options.queue_bytes_max = 40 * kKiB;
  REQUIRE_OK(set.format());
  REQUIRE_OK(set.open());
  std::vector<std::shared_ptr<Outcome>> outcomes;
  std::size_t refused = 0;
  for (int i = 0; i < 20; ++i) {
    outcomes.push_back(set.put("k" + std::to_string(i), "v", 4000));
    refused += outcomes.back()->done ? 1U : 0U;
  }
  CHECK_GE(refused, 10);
  CHECK_LT(refused, 15);
  CHECK_EQ(outcomes.back()->error->code, Errc::overloaded);
  set.scheduler.run_until_idle();
  CHECK(outcomes.front()->acknowledged());
  CHECK(set.put_now("k", "v"));
  const auto huge = set.put("k", "v", 10 * kMiB);
  CHECK_EQ(huge->error->code, Errc::too_large);
}

TEST_CASE("pipeline: idleness writes the decided mark, once") {
  Running set(2, 1);
  set.scheduler.run_for(milliseconds(900));
  const std::uint64_t before = set.syncs(0);
  set.scheduler.run_for(milliseconds(900));
  CHECK_EQ(set.syncs(0), before);
  CHECK(set.put_now("k", "v"));
  set.scheduler.run_for(milliseconds(900));
  CHECK_EQ(set.syncs(0), before + 2);  // the commit, the mark
}

TEST_CASE("pipeline: the log is flushed and recycled") {
  Running set(1, 1);
  for (int i = 0; i < 300; ++i) {
    REQUIRE(set.put_now("k" + std::to_string(i % 50), std::string(2000, 'x')));
  }
  set.scheduler.run_for(seconds(1));
  const auto files = set.fs.list("/d0/log");
  REQUIRE_OK(files);
  // 1.2 MB went through; the bound is 128 KiB of live log and what recycling keeps at hand.
  CHECK_LE(files->size(), 8);
}

TEST_CASE("pipeline: close refuses, drains and leaves a log that needs no replay") {
  Running set(2, 1);
  const auto last = set.put("k", "v");
  set.close();
  CHECK(last->acknowledged());
  REQUIRE_OK(set.open());
  CHECK_EQ(set.read("k"), "v");
}

TEST_CASE("pipeline: closing a frozen set ends what is in doubt") {
  Running set(1, 1);
  set.hang(1, "log");
  const auto outcome = set.put("k", "v");
  set.scheduler.run_for(seconds(3));
  set.set->close();
  CHECK(outcome->done);
  CHECK_EQ(outcome->error->code, Errc::timed_out);
  set.unhang(1, "log");
}
