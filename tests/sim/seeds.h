#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace mote::sim {

/// The seed that a test starts from: MOTE_TEST_SEED if it is set, else `fallback`. Print it with
/// INFO or CAPTURE, so that a failure can be run again.
inline std::uint64_t test_seed(std::uint64_t fallback) {
  const char* text =
      std::getenv("MOTE_TEST_SEED");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 0);
}

/// How many seeds a loop runs: `count`, or the one named by MOTE_TEST_SEED.
inline std::uint64_t test_seed_count(std::uint64_t count) {
  return std::getenv("MOTE_TEST_SEED") == nullptr ? count : 1;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace mote::sim
