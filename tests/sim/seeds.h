#pragma once

#include <algorithm>
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

/// How much less a run does where a sanitizer makes every step several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kSanitizerShare = 10;
#else
inline constexpr std::uint64_t kSanitizerShare = 1;
#endif

/// How many seeds a loop runs: `count` (a tenth of it under a sanitizer), or the one named by
/// MOTE_TEST_SEED.
inline std::uint64_t test_seed_count(std::uint64_t count) {
  const bool named = std::getenv("MOTE_TEST_SEED") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  return named ? 1 : std::max<std::uint64_t>(1, count / kSanitizerShare);
}

}  // namespace mote::sim
