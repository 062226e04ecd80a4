#include "erasure/base/rng.h"

#include <array>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace mote {
namespace {

std::vector<std::uint64_t> first_numbers(std::uint64_t seed) {
  SeededRng rng(seed);
  std::vector<std::uint64_t> numbers(32);
  for (std::uint64_t& number : numbers) {
    number = rng.next();
  }
  return numbers;
}

TEST_CASE("seeded rng: one seed, one sequence; other seeds, other sequences") {
  CHECK(first_numbers(1) == first_numbers(1));
  CHECK(first_numbers(1) != first_numbers(2));
  CHECK(first_numbers(0) != std::vector<std::uint64_t>(32));
}

TEST_CASE("seeded rng: is xoshiro256** seeded by splitmix64") {
  // Computed from the published recurrences (https://prng.di.unimi.it/), independently of rng.cc.
  const std::vector<std::uint64_t> numbers = first_numbers(42);
  CHECK(numbers[0] == 0x15780b2e0c2ec716U);
  CHECK(numbers[1] == 0x6104d9866d113a7eU);
  CHECK(numbers[2] == 0xae17533239e499a1U);
}

TEST_CASE("rng: below stays below and reaches every number") {
  SeededRng rng(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t number = rng.below(7);
    CHECK(number < 7);
    seen.insert(number);
  }
  CHECK(seen.size() == 7);
  CHECK(rng.below(1) == 0);
}

TEST_CASE("rng: fill writes every byte of an odd length and none beyond") {
  SeededRng rng(4);
  std::array<bool, 13> changed{};
  for (int round = 0; round < 50; ++round) {
    std::array<std::byte, 16> bytes{};
    rng.fill(ByteSpan(bytes).first(13));
    for (std::size_t i = 0; i < 13; ++i) {
      changed.at(i) = changed.at(i) || bytes.at(i) != std::byte{0};
    }
    CHECK(bytes[13] == std::byte{0});
    CHECK(bytes[15] == std::byte{0});
  }
  for (const bool each : changed) {
    CHECK(each);
  }
}

TEST_CASE("system rng: identifiers do not repeat") {
  SystemRng rng;
  std::set<std::array<std::byte, 16>> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(rng.uuid());
  }
  CHECK(seen.size() == 1000);
}

}  // namespace
}  // namespace mote
