#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace mote::test {

/// The seed of a random test: MOTE_TEST_SEED if it is set, else a fresh one. Printed when the test
/// fails.
inline std::uint64_t random_seed() {
  if (const char* text = std::getenv("MOTE_TEST_SEED"); text != nullptr) {
    return std::stoull(text);
  }
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace mote::test

/// Declares `name`, a SeededRng, and makes doctest print its seed with any failure in the scope.
#define MOTE_SEEDED_RNG(name)                                    \
  const std::uint64_t name##_seed = ::mote::test::random_seed(); \
  INFO("MOTE_TEST_SEED=" << name##_seed);                        \
  ::mote::SeededRng name(name##_seed)
