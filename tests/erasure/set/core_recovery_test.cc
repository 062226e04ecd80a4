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

struct Running : SimSet {
  Running(std::uint8_t k, std::uint8_t m) : SimSet(k, m, sim::test_seed(11)) {
    REQUIRE_OK(format());
    REQUIRE_OK(open());
  }
  void reopen(sim::CutMode mode) {
    cut_power(5, mode);
    const Status opened = open();
    CAPTURE(problem);
    REQUIRE_OK(opened);
  }
};

}  // namespace

TEST_CASE("recovery: a clean stop comes back as it was, in a new epoch") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  const CommitSeq before = set.members()->configuration;
  set.close();
  REQUIRE_OK(set.open());
  CHECK_EQ(set.read("a"), "1");
  CHECK_GT(set.members()->configuration.epoch, before.epoch);
  CHECK(set.members()->complete());
}

TEST_CASE(
    "recovery: what was acknowledged survives a power cut that loses all that was not synced") {
  Running set(4, 2);
  for (int i = 0; i < 20; ++i) {
    REQUIRE(set.put_now("k" + std::to_string(i), "v"));
  }
  set.reopen(sim::CutMode::drop_all);
  for (int i = 0; i < 20; ++i) {
    CHECK_EQ(set.read("k" + std::to_string(i)), "v");
  }
  CHECK(set.members()->complete());
}

TEST_CASE("recovery: a torn tail is void on all drives alike, and stays void") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  const auto torn = set.put("a", "2");
  set.fs.faults().fail({sim::VfsCall::sync_data, "/", 1, true, false, {}});
  set.scheduler.run_for(milliseconds(10));
  CHECK_FALSE(torn->acknowledged());
  set.reopen(sim::CutMode::torn_last_write);
  const auto first = set.read("a");
  set.reopen(sim::CutMode::drop_all);
  CHECK_EQ(set.read("a"), first);
}

TEST_CASE("recovery: a commit that one member lacks is void on all") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  set.scheduler.run_for(milliseconds(500));  // marks are written
  set.hang(2, "log");
  const auto lagging = set.put("a", "2");
  set.scheduler.run_until_idle();
  CHECK_FALSE(lagging->done);
  set.reopen(sim::CutMode::keep_all);
  for (const Member& member : set.members()->slots) {
    CHECK_EQ(read_row(*member.drive, "a"), "1");
  }
  CHECK(set.members()->complete());
  set.unhang(2, "log");
}

TEST_CASE("recovery: a commit that is on all members is rolled forward") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  set.hang_all("apply");
  const auto decided = set.put("a", "2");
  set.scheduler.run_until_idle();
  CHECK_FALSE(decided->done);
  set.reopen(sim::CutMode::drop_all);
  for (const Member& member : set.members()->slots) {
    CHECK_EQ(read_row(*member.drive, "a"), "2");
  }
  set.unhang_all("apply");
}

TEST_CASE("recovery: with m drives lost everything acknowledged is there and writes go on") {
  Running set(4, 2);
  REQUIRE(set.put_now("a", "1"));
  set.crash();
  set.fs.disappear("/d1");
  set.fs.disappear("/d4");
  REQUIRE_OK(set.open());
  CHECK_EQ(set.read("a"), "1");
  CHECK_EQ(set.state(1), DriveState::offline);
  CHECK(set.put_now("a", "2"));
}

TEST_CASE("recovery: with more than m drives lost the set refuses and names them") {
  Running set(4, 2);
  REQUIRE(set.put_now("a", "1"));
  set.crash();
  for (const char* path : {"/d1", "/d3", "/d4"}) {
    set.fs.disappear(path);
  }
  const Status opened = set.open();
  REQUIRE_FALSE(opened.has_value());
  CHECK_EQ(opened.error().code, Errc::read_quorum);
  CHECK_NE(set.problem.find("slot 1"), std::string::npos);
  CHECK_NE(set.problem.find("slot 3"), std::string::npos);
  set.fs.reappear("/d1");
  REQUIRE_OK(set.open());
  CHECK_EQ(set.read("a"), "1");
}

TEST_CASE("recovery: k = m with half of the drives is read-only and writes nothing") {
  Running set(1, 1);
  REQUIRE(set.put_now("a", "1"));
  set.crash();
  set.fs.disappear("/d1");
  REQUIRE_OK(set.open());
  CHECK(set.members()->read_only);
  CHECK_EQ(set.read("a"), "1");
  const auto refused = set.put("a", "2");
  CHECK_EQ(refused->error->code, Errc::write_quorum);
  set.close();
  set.fs.reappear("/d1");
  REQUIRE_OK(set.open());
  CHECK_FALSE(set.members()->read_only);
  CHECK(set.members()->complete());
  CHECK(set.put_now("a", "3"));
}

TEST_CASE("recovery: a drive that was away comes back as healing, and its heal is asked for") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  set.crash();
  set.fs.disappear("/d0");
  REQUIRE_OK(set.open());
  REQUIRE(set.put_now("a", "2"));
  set.crash();
  set.fs.reappear("/d0");
  REQUIRE_OK(set.open());
  CHECK_EQ(set.state(0), DriveState::healing);
  CHECK_EQ(set.healing, std::vector<Slot>{0});
  CHECK_EQ(set.read("a"), "2");
  CHECK_FALSE(set.members()->is_current(0));
  CHECK(set.put_now("a", "3"));
  CHECK_EQ(read_row(*set.members()->slots[0].drive, "a"), "3");  // it takes commits
}

TEST_CASE("recovery: a drive restored from an old copy proves nothing") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  set.scheduler.run_for(milliseconds(500));
  // Drive 2 stops taking part in durability: what is synced there from now on is lost.
  set.fs.faults().fail({sim::VfsCall::sync_data, "/d2/log", 1, true, false, {}});
  REQUIRE(set.put_now("a", "2"));
  set.fs.faults().clear_faults();
  set.reopen(sim::CutMode::drop_all);
  CHECK_EQ(set.state(2), DriveState::healing);
  CHECK_EQ(set.read("a"), "2");
}

TEST_CASE("recovery: a damaged log of acknowledged commits is rebuilt, at m = 0 refused") {
  const auto damage = [](SimSet& set) {
    for (int i = 0; i < 10; ++i) {
      REQUIRE(set.put_now("k" + std::to_string(i), "v"));
    }
    set.crash();
    const auto names = set.fs.list("/d0/log");
    REQUIRE_OK(names);
    std::size_t hit = 0;
    for (const std::string& name : *names) {
      // A page in the middle of the groups of a segment.
      hit += set.fs.damage("/d0/log/" + name, 3 * 4096 + 40) ? 1U : 0U;
    }
    REQUIRE_GT(hit, 0);
  };
  SUBCASE("2+1 goes on without it") {
    Running set(2, 1);
    damage(set);
    REQUIRE_OK(set.open());
    CHECK_EQ(set.state(0), DriveState::healing);
    CHECK_EQ(set.read("k9"), "v");
  }
  SUBCASE("1+0 refuses and names the file") {
    Running set(1, 0);
    damage(set);
    const Status opened = set.open();
    REQUIRE_FALSE(opened.has_value());
    CHECK_EQ(opened.error().code, Errc::corrupt);
    CHECK_NE(set.problem.find("/d0/log/"), std::string::npos);
    set.options.accept_log_loss = true;
    CHECK_OK(set.open());
  }
}

TEST_CASE("recovery: a crash at each of its steps changes nothing") {
  for (std::uint64_t cut = 1; cut < 400; cut += 7) {
    CAPTURE(cut);
    SimSet set(1, 1, 17);
    REQUIRE_OK(set.format());
    REQUIRE_OK(set.open());
    REQUIRE(set.put_now("a", "1"));
    set.hang_all("apply");
    set.put("a", "2");
    set.scheduler.run_until_idle();
    set.unhang_all("apply");
    set.cut_power(cut, sim::CutMode::drop_all);
    set.fs.faults().cut_at(cut);
    const Status opened = set.open();
    if (!opened || !set.fs.faults().powered()) {
      set.crash();
      set.fs.restart(cut, sim::CutMode::random);
      REQUIRE_OK(set.open());
    }
    CHECK_EQ(set.read("a"), "2");
    CHECK(set.members()->complete());
  }
}

TEST_CASE("return: an expelled drive that works again joins as healing and can be promoted") {
  Running set(2, 1);
  set.hang(1, "log");
  REQUIRE(set.put_now("a", "1"));
  CHECK_EQ(set.state(1), DriveState::offline);
  set.unhang(1, "log");
  CHECK(set.scheduler.run_until([&] { return !set.healing.empty(); }, seconds(120)));
  CHECK_EQ(set.healing.front(), 1);
  CHECK_EQ(set.state(1), DriveState::healing);
  REQUIRE(set.put_now("a", "2"));
  CHECK_EQ(read_row(*set.members()->slots[1].drive, "a"), "2");
  REQUIRE_OK(set.members()->slots[1].drive->index().flush());
  bool promoted = false;
  set.set->pipeline().promote(1, set.set->members()->configuration.epoch,
                              [&](Status status) { promoted = status.has_value(); });
  set.scheduler.run_until_idle();
  CHECK(promoted);
  CHECK(set.members()->complete());
  set.reopen(sim::CutMode::drop_all);
  CHECK(set.members()->complete());
  CHECK_EQ(set.read("a"), "2");
}

TEST_CASE("return: a faulty drive is read until it works again, then reopened and healed") {
  Running set(2, 1);
  set.fs.faults().fail({sim::VfsCall::sync_data, "/d1/log", 1, false, false, {}});
  REQUIRE(set.put_now("a", "1"));
  CHECK_EQ(set.state(1), DriveState::faulty);
  CHECK_NE(set.members()->slots[1].drive, nullptr);
  CHECK(set.scheduler.run_until([&] { return !set.healing.empty(); }, seconds(200)));
  CHECK_EQ(set.state(1), DriveState::healing);
}

TEST_CASE("return: commits that come while a drive joins wait and are not lost") {
  Running set(2, 1);
  set.hang(1, "log");
  REQUIRE(set.put_now("a", "0"));
  set.unhang(1, "log");
  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int i = 0; i < 4000 && set.healing.empty(); ++i) {
    outcomes.push_back(set.put("a", std::to_string(i)));
    set.scheduler.run_for(milliseconds(10));
  }
  CHECK_FALSE(set.healing.empty());
  set.run_until_done(outcomes.back());
  for (const auto& outcome : outcomes) {
    CHECK(outcome->acknowledged());
  }
}

TEST_CASE("watch: a drive whose directory is gone is expelled although old handles work") {
  Running set(2, 1);
  set.fs.unmount("/d2");
  CHECK(set.scheduler.run_until([&] { return set.state(2) == DriveState::offline; }, seconds(5)));
  CHECK(set.put_now("a", "1"));
  set.fs.reappear("/d2");
  CHECK(set.scheduler.run_until([&] { return set.state(2) == DriveState::healing; }, seconds(120)));
}

TEST_CASE("watch: drives that fill up together make the set full; one alone leaves") {
  SUBCASE("together") {
    Running set(2, 1);
    for (const std::string& path : set.paths) {
      set.fs.limit_space(path, set.fs.used_bytes(path) + 1000);
    }
    CHECK(set.scheduler.run_until([&] { return set.members()->full; }, seconds(5)));
    CHECK_EQ(set.set->pipeline().stats().expelled, 0);
    const auto refused = set.put("a", "1");
    CHECK_EQ(refused->error->code, Errc::no_space);
    for (const std::string& path : set.paths) {
      set.fs.limit_space(path, kGiB);
    }
    CHECK(set.scheduler.run_until([&] { return !set.members()->full; }, seconds(5)));
    CHECK(set.put_now("a", "1"));
  }
  SUBCASE("alone") {
    Running set(2, 1);
    set.fs.limit_space("/d0", kGiB);
    set.fs.limit_space("/d1", kGiB);
    set.fs.limit_space("/d2", set.fs.used_bytes("/d2") + 1000);
    CHECK(set.scheduler.run_until([&] { return set.state(2) == DriveState::faulty; }, seconds(5)));
    CHECK(set.put_now("a", "1"));
  }
}

TEST_CASE("replace: a blank drive takes the slot of one that is gone") {
  Running set(2, 1);
  REQUIRE(set.put_now("a", "1"));
  set.crash();
  set.fs.replace_with_blank("/d1");
  REQUIRE_OK(set.open());
  CHECK_EQ(set.state(1),
           DriveState::offline);  // blank among formatted: absent until it is replaced
  std::optional<Status> replaced;
  set.set->replace("/d0", [&](Status status) { replaced = status; });  // a member
  set.scheduler.run_until([&] { return replaced.has_value(); }, seconds(5));
  REQUIRE(replaced.has_value());
  CHECK_EQ(replaced->error().code, Errc::invalid_argument);
  replaced.reset();
  set.set->replace("/d1", [&](Status status) { replaced = status; });
  set.scheduler.run_until([&] { return replaced.has_value(); }, seconds(5));
  REQUIRE(replaced.has_value());
  CHECK_OK(*replaced);
  CHECK_EQ(set.state(1), DriveState::healing);
  CHECK_EQ(set.healing, std::vector<Slot>{1});
  CHECK(set.put_now("a", "2"));
  set.reopen(sim::CutMode::drop_all);
  CHECK_EQ(set.state(1), DriveState::healing);
  CHECK_EQ(set.read("a"), "2");
}
