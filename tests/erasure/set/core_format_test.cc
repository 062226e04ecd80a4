#include <algorithm>

#include <doctest/doctest.h>

#include "tests/erasure/set/core_fixture.h"
#include "tests/sim/seeds.h"
#include "tests/support/check_result.h"

using namespace mote;
using namespace mote::erasure;
using namespace mote::erasure::test;

namespace {

struct Blank : SimSet {
  Blank(std::uint8_t k, std::uint8_t m) : SimSet(k, m, sim::test_seed(23)) {}
};

}  // namespace

TEST_CASE("format: blank drives become a set, once") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  CHECK_ERR(set.format(), Errc::already_exists);
  REQUIRE_OK(set.open());
  CHECK(set.members()->complete());
  REQUIRE(set.put_now("a", "1"));
  set.close();
  CHECK_ERR(set.format(), Errc::already_exists);
  REQUIRE_OK(set.open());
  CHECK_EQ(set.read("a"), "1");
}

TEST_CASE("format: missing directories are made") {
  Blank set(1, 0);
  set.paths = {"/d0/below"};
  REQUIRE_OK(set.format());
  REQUIRE_OK(set.open());
  CHECK(set.put_now("a", "1"));
}

TEST_CASE("format: a crash anywhere in the first format is redone") {
  bool finished = false;
  for (std::uint64_t cut = 1; !finished; cut += 11) {
    CAPTURE(cut);
    Blank set(1, 1);
    set.fs.faults().cut_at(cut);
    const bool formatted = set.format().has_value();
    finished = set.fs.faults().powered();
    CHECK((formatted || !finished));
    set.fs.restart(cut, sim::CutMode::random);
    const Status second = set.format();
    CHECK((second || second.error().code == Errc::already_exists));
    const Status opened = set.open();
    CAPTURE(set.problem);
    REQUIRE_OK(opened);
    CHECK(set.members()->complete());
    CHECK(set.put_now("a", "1"));
    REQUIRE(cut < 100'000);
  }
}

TEST_CASE("format: a blank drive among formatted ones is not taken") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  set.fs.replace_with_blank("/d1");
  CHECK_ERR(set.format(), Errc::already_exists);
  REQUIRE_OK(set.open());
  CHECK_EQ(set.state(1), DriveState::offline);
  CHECK(set.put_now("a", "1"));
}

TEST_CASE("format: somebody's files are left alone") {
  Blank set(1, 1);
  OpenOptions create;
  create.write = create.create = true;
  REQUIRE_OK(set.fs.open("/d1/thesis.txt", create));
  CHECK_ERR(set.format(), Errc::wrong_drive);
  const auto names = set.fs.list("/d0");
  REQUIRE_OK(names);
  CHECK(names->empty());
}

TEST_CASE("format: the number of drives has to fit") {
  Blank set(2, 1);
  set.paths.pop_back();
  CHECK_ERR(set.format(), Errc::invalid_argument);
}

TEST_CASE("open: the order of the arguments does not matter") {
  Blank set(2, 2);
  REQUIRE_OK(set.format());
  REQUIRE_OK(set.open());
  REQUIRE(set.put_now("a", "1"));
  set.close();
  std::reverse(set.paths.begin(), set.paths.end());
  REQUIRE_OK(set.open());
  CHECK(set.members()->complete());
  CHECK_EQ(set.read("a"), "1");
}

TEST_CASE("open: a drive of another deployment is refused by name") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  const std::vector<std::string> mine = set.paths;
  set.fs.add_drive("/other");
  set.fs.add_drive("/other1");
  set.fs.add_drive("/other2");
  set.paths = {"/other", "/other1", "/other2"};
  REQUIRE_OK(set.format());
  set.paths = {mine[0], mine[1], "/other"};
  CHECK_ERR(set.open(), Errc::wrong_drive);
  CHECK_NE(set.problem.find("/other"), std::string::npos);
}

TEST_CASE("open: a drive that is listed twice is refused by name") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  set.paths[2] = set.paths[0];
  CHECK_ERR(set.open(), Errc::wrong_drive);
  CHECK_NE(set.problem.find("/d0"), std::string::npos);
}

TEST_CASE("open: another shape is refused") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  set.options.k = 1;
  CHECK_ERR(set.open(), Errc::wrong_drive);
  CHECK_NE(set.problem.find("2+1"), std::string::npos);
}

TEST_CASE("open: nothing formatted is an error, not an empty store") {
  Blank set(2, 1);
  CHECK_ERR(set.open(), Errc::no_such_file);
}

TEST_CASE("open: a drive that is not mounted any more is absent") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  set.fs.unmount("/d2");
  REQUIRE_OK(set.open());
  CHECK_EQ(set.state(2), DriveState::offline);
  const auto names = set.fs.list("/d2");
  REQUIRE_OK(names);
  CHECK(names->empty());
}

TEST_CASE("open: a set that is served is not served twice") {
  Blank set(1, 1);
  REQUIRE_OK(set.format());
  REQUIRE_OK(set.open());
  std::string problem;
  const auto second = DriveSet::open(set.environment(), set.options, set.paths, {}, &problem);
  CHECK_ERR(second, Errc::drive_locked);
  CHECK_NE(problem.find("/d0"), std::string::npos);
}

TEST_CASE("status: names every drive and says why one is away") {
  Blank set(2, 1);
  REQUIRE_OK(set.format());
  set.fs.replace_with_blank("/d1");
  REQUIRE_OK(set.open());
  REQUIRE(set.put_now("a", "1"));
  StoreStatus status;
  set.set->add_status(status);
  CHECK(status.ready);
  CHECK(status.readable);
  CHECK(status.degraded);
  REQUIRE_EQ(status.drives.size(), 3);
  CHECK_EQ(status.drives[1].path, "/d1");
  CHECK_EQ(status.drives[1].state, DriveState::offline);
  CHECK_NE(status.drives[1].reason, "");
  CHECK_EQ(status.drives[0].reason, "");
  CHECK_GT(status.drives[0].total_bytes, 0);
  CHECK_EQ(status.commits, 1);
}
