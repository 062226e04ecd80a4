#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

namespace mote {

/// The seed of this run: MOTE_TEST_SEED, else fixed. Printed, so that a failure can be replayed.
inline std::uint64_t test_seed() {
  const char* const set =
      std::getenv("MOTE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  const std::uint64_t seed = set == nullptr ? 20130524U : std::stoull(set);
  MESSAGE("MOTE_TEST_SEED=", seed);
  return seed;
}

}  // namespace mote
