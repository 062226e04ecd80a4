#include "erasure/log/decision.h"

#include <doctest/doctest.h>

namespace mote::erasure {
namespace {

/// Numbers `count` commits and returns the last.
CommitSeq assign(DecisionTracker& tracker, int count) {
  CommitSeq last;
  for (; count > 0; --count) {
    last = tracker.assign();
  }
  return last;
}

/// Slots 0 to count-1 have synced up to `seq`.
void sync_first(DecisionTracker& tracker, unsigned count, CommitSeq seq) {
  for (unsigned slot = 0; slot < count; ++slot) {
    tracker.synced(static_cast<Slot>(slot), seq);
  }
}

TEST_CASE("decision: a commit is decided when the slowest member has synced it") {
  struct Row {
    std::uint64_t a, b, c, decided;
  };
  static constexpr Row kRows[] = {
      // clang-format off
      // a  b  c   decided      (2+1; the configuration is 1, commits are 2 to 9)
      {1, 1, 1, 1},
      {9, 9, 1, 1},  // two of three are W and yet not all
      {9, 2, 9, 2},
      {3, 4, 5, 3},
      {9, 9, 9, 9},
      // clang-format on
  };
  for (const Row& row : kRows) {
    DecisionTracker tracker({2, 1}, first_configuration({2, 1}));
    assign(tracker, 8);
    tracker.synced(0, {1, row.a});
    tracker.synced(1, {1, row.b});
    tracker.synced(2, {1, row.c});
    CAPTURE(row.a);
    CAPTURE(row.b);
    CAPTURE(row.c);
    CHECK(tracker.decided() == CommitSeq{1, row.decided});
    CHECK(tracker.drained() == (row.decided == 9));
  }
}

TEST_CASE("decision: an expelled drive is not waited for once all others have the record") {
  DecisionTracker tracker({2, 1}, first_configuration({2, 1}));
  assign(tracker, 4);  // 2 to 5
  tracker.synced(2, {1, 2});
  tracker.synced(0, {1, 5});
  tracker.synced(1, {1, 5});
  CHECK(tracker.decided() == CommitSeq{1, 2});
  const Result<Configuration> without = tracker.expel(2);
  REQUIRE(without.has_value());
  CHECK(without->seq == CommitSeq{1, 6});
  CHECK(tracker.members() == SlotSet{0, 1});
  CHECK(tracker.effective().members() == SlotSet{0, 1, 2});
  CHECK(tracker.synced(0, {1, 6}) == false);
  CHECK(tracker.decided() == CommitSeq{1, 2});
  CHECK(tracker.synced(1, {1, 6}));
  CHECK(tracker.decided() == CommitSeq{1, 6});
  CHECK(tracker.effective().members() == SlotSet{0, 1});
}

TEST_CASE("decision: a late answer decides what came before the record, no more") {
  DecisionTracker tracker({2, 1}, first_configuration({2, 1}));
  assign(tracker, 2);                     // 2, 3
  REQUIRE(tracker.expel(2).has_value());  // 4
  assign(tracker, 1);                     // 5
  tracker.synced(0, {1, 3});
  tracker.synced(1, {1, 3});
  CHECK(tracker.decided() == CommitSeq{1, 1});
  CHECK(tracker.synced(2, {1, 3}));
  CHECK(tracker.decided() == CommitSeq{1, 3});
  tracker.synced(0, {1, 5});
  CHECK(tracker.decided() == CommitSeq{1, 3});
  tracker.synced(1, {1, 5});
  CHECK(tracker.drained());
}

TEST_CASE("decision: below W the set freezes and a late answer thaws it") {
  DecisionTracker tracker({1, 1}, first_configuration({1, 1}));
  const CommitSeq last = assign(tracker, 1);
  tracker.synced(0, last);
  CHECK(tracker.expel(1).error().code == Errc::write_quorum);
  CHECK(tracker.decided() == CommitSeq{1, 1});
  CHECK(tracker.synced(1, last));
  CHECK(tracker.drained());
}

TEST_CASE("decision: two expelled one after the other, the later record alone is enough") {
  DecisionTracker tracker({3, 3}, first_configuration({3, 3}));
  assign(tracker, 1);                     // 2
  REQUIRE(tracker.expel(5).has_value());  // 3
  assign(tracker, 1);                     // 4
  REQUIRE(tracker.expel(4).has_value());  // 5
  CHECK(tracker.expel(3).error().code == Errc::write_quorum);
  sync_first(tracker, 4, {1, 4});
  CHECK(tracker.decided() == CommitSeq{1, 1});  // slot 4 and 5 have nothing
  sync_first(tracker, 4, {1, 5});
  CHECK(tracker.drained());
  CHECK(tracker.effective() == tracker.newest());
}

TEST_CASE("decision: a drive joins a drained set only, and then has to sync what follows") {
  DecisionTracker tracker({2, 1}, first_configuration({2, 1}));
  REQUIRE(tracker.expel(2).has_value());  // 2
  CHECK(tracker.join(2).error().code == Errc::overloaded);
  tracker.synced(0, {1, 2});
  tracker.synced(1, {1, 2});
  CHECK(tracker.join(1).error().code == Errc::invalid_argument);
  const Result<Configuration> with = tracker.join(2);  // 3
  REQUIRE(with.has_value());
  CHECK(with->healing == SlotSet{2});
  CHECK(tracker.position(2).is_zero());
  tracker.synced(0, {1, 3});
  tracker.synced(1, {1, 3});
  CHECK(tracker.decided() == CommitSeq{1, 2});
  tracker.synced(2, {1, 3});
  CHECK(tracker.decided() == CommitSeq{1, 3});
  CHECK(tracker.promote(1).error().code == Errc::invalid_argument);
  const Result<Configuration> promoted = tracker.promote(2);  // 4
  REQUIRE(promoted.has_value());
  CHECK(promoted->current == SlotSet{0, 1, 2});
  CHECK(tracker.effective().healing == SlotSet{2});
  sync_first(tracker, 3, {1, 4});
  CHECK(tracker.effective().current == SlotSet{0, 1, 2});
}

TEST_CASE("decision: a joining drive that fails at once is expelled again") {
  DecisionTracker tracker({2, 1}, first_configuration({2, 1}));
  REQUIRE(tracker.expel(2).has_value());  // 2
  tracker.synced(0, {1, 2});
  tracker.synced(1, {1, 2});
  REQUIRE(tracker.join(2).has_value());   // 3
  assign(tracker, 1);                     // 4
  REQUIRE(tracker.expel(2).has_value());  // 5
  tracker.synced(0, {1, 5});
  tracker.synced(1, {1, 5});
  CHECK(tracker.drained());
}

}  // namespace
}  // namespace mote::erasure
