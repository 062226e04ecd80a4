#include "erasure/log/membership.h"

#include <doctest/doctest.h>

namespace mote::erasure {
namespace {

TEST_CASE("membership: the write quorum leaves one that remembers and k that decode") {
  struct Row {
    int k, m, quorum;
  };
  static constexpr Row kRows[] = {
      // clang-format off
      // k  m  W
      {1, 0, 1}, {1, 1, 2}, {2, 1, 2}, {2, 2, 3}, {3, 1, 3},  {3, 2, 3},
      {4, 1, 4}, {4, 2, 4}, {5, 1, 5}, {3, 3, 4}, {12, 4, 12}, {8, 8, 9},
      // clang-format on
  };
  for (const Row& row : kRows) {
    CAPTURE(row.k);
    CAPTURE(row.m);
    const SetGeometry geometry{static_cast<std::uint8_t>(row.k), static_cast<std::uint8_t>(row.m)};
    CHECK(is_valid(geometry));
    CHECK(write_quorum(geometry) == static_cast<unsigned>(row.quorum));
    // Two quorums meet, so that a promise is seen by whoever starts next.
    CHECK(2 * write_quorum(geometry) > geometry.drives());
    CHECK(write_quorum(geometry) > geometry.m);
  }
  CHECK_FALSE(is_valid({1, 2}));
  CHECK_FALSE(is_valid({0, 0}));
  CHECK_FALSE(is_valid({9, 8}));
}

TEST_CASE("membership: who may be expelled") {
  struct Row {
    SetGeometry geometry;
    SlotSet current, healing;
    Slot slot;
    bool may;
  };
  static const Row kRows[] = {
      // clang-format off
      // k  m   current       healing  slot  may
      {{1, 0}, {0},           {},      0,    false},  // the only one
      {{1, 1}, {0, 1},        {},      1,    false},  // W is both
      {{2, 1}, {0, 1, 2},     {},      2,    true},
      {{2, 1}, {0, 1},        {},      1,    false},  // below W
      {{2, 1}, {0, 1},        {2},     1,    true},   // one current is enough
      {{2, 1}, {0},           {1, 2},  0,    false},  // the last one that knows what is not there
      {{2, 1}, {0},           {1, 2},  2,    true},
      {{2, 1}, {0, 1},        {},      2,    false},  // no member
      {{2, 2}, {0, 1, 2, 3},  {},      0,    true},
      {{2, 2}, {1, 2, 3},     {},      1,    false},
      {{4, 2}, {0, 1, 2, 3},  {4},     4,    true},
      {{4, 2}, {0, 1, 2, 3},  {},      3,    false},
      // clang-format on
  };
  for (const Row& row : kRows) {
    const Configuration c{{1, 9},
                          {},
                          row.current,
                          row.healing,
                          SlotSet::first(row.geometry.drives()) - row.current - row.healing};
    CAPTURE(to_string(c));
    CAPTURE(static_cast<int>(row.slot));
    CHECK(may_expel(row.geometry, c, row.slot) == row.may);
  }
}

TEST_CASE("membership: a drive goes away, comes back healing, becomes current") {
  const Configuration first = first_configuration({2, 1});
  CHECK(first.current == SlotSet{0, 1, 2});
  const Configuration without = next_configuration_expel(first, {1, 5}, 1);
  CHECK(without == Configuration{{1, 5}, {}, {0, 2}, {}, {1}});
  const Configuration back = next_configuration_join(without, {1, 8}, 1);
  CHECK(back == Configuration{{1, 8}, {}, {0, 2}, {1}, {}});
  CHECK(back.members() == SlotSet{0, 1, 2});
  const Configuration whole = next_configuration_promote(back, {1, 9}, 1);
  CHECK(whole == Configuration{{1, 9}, {}, {0, 1, 2}, {}, {}});
}

TEST_CASE("membership: configurations keep their bytes") {
  const Configuration c{{0x01020304, 0x1122334455667788}, {7, 9}, {0, 15}, {1}, {2, 3}};
  const std::string bytes = encode(c);
  const unsigned char expected[] = {
      // clang-format off
      1, 0,                                                    // version
      0x01, 0x80, 0x02, 0x00, 0x0C, 0x00,                      // current, healing, away
      0x04, 0x03, 0x02, 0x01, 7, 0, 0, 0,                      // seq.epoch, end.epoch
      0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,          // seq.n
      9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,          // end.n, zero
      // clang-format on
  };
  REQUIRE(bytes.size() == sizeof expected);
  CHECK(std::memcmp(bytes.data(), expected, sizeof expected) == 0);
  const Result<Configuration> decoded = decode_configuration(as_bytes(bytes));
  REQUIRE(decoded.has_value());
  CHECK(*decoded == c);
}

TEST_CASE("membership: what is no configuration is refused") {
  const Configuration good{{2, 1}, {1, 4}, {0}, {1}, {2}};
  const std::string bytes = encode(good);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK(decode_configuration(as_bytes(bytes).first(size)).error().code == Errc::corrupt);
  }
  CHECK(decode_configuration(as_bytes(bytes + "x")).error().code == Errc::corrupt);
  std::string newer = bytes;
  newer[0] = 2;
  CHECK(decode_configuration(as_bytes(newer)).error().code == Errc::unsupported);
  static const Configuration kBad[] = {
      // clang-format off
      {{2, 1}, {1, 4}, {},     {1},    {2}},     // nobody current
      {{2, 1}, {1, 4}, {0, 1}, {1},    {2}},     // in two sets
      {{2, 1}, {1, 4}, {0},    {1},    {0, 2}},
      {{2, 0}, {1, 4}, {0},    {1},    {2}},     // no number
      {{2, 1}, {2, 4}, {0},    {1},    {2}},     // ends in its own epoch
      // clang-format on
  };
  for (const Configuration& bad : kBad) {
    CAPTURE(to_string(bad));
    CHECK(decode_configuration(as_bytes(encode(bad))).error().code == Errc::corrupt);
  }
}

TEST_CASE("commit sequence: the order of the keys is the order of the commits") {
  const CommitSeq rising[] = {{0, 0}, {1, 0}, {1, 1}, {1, 255}, {1, 256}, {2, 1}, {256, 1}};
  for (const CommitSeq& a : rising) {
    std::string key_a;
    append_commit_seq(key_a, a);
    CHECK(key_a.size() == kCommitSeqKeyBytes);
    CHECK(read_commit_seq(key_a) == a);
    for (const CommitSeq& b : rising) {
      std::string key_b;
      append_commit_seq(key_b, b);
      CHECK((key_a < key_b) == (a < b));
    }
  }
}

}  // namespace
}  // namespace mote::erasure
