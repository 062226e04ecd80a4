#pragma once

#include <cstdint>

#include "tests/contract/store_fixture.h"

namespace mote::contract {

struct RandomRunOptions {
  std::uint64_t seed = 0;
  std::uint64_t operations = 20'000;
  std::uint64_t object_bytes_max = 400 * kKiB;  ///< of the occasional larger object
  bool versioning = true;                       ///< turn versioning on and off meanwhile
};

struct RandomRunResult {
  std::uint64_t operations = 0;
  std::uint64_t succeeded = 0;  ///< of these; the others were refused as they had to be
};

/// Random operations on a few buckets and keys of a fresh store, one at a time, each answer
/// compared with an oracle's. Fails the running test case, naming the seed and the operation, at
/// the first difference.
RandomRunResult run_random(StoreFixture& fixture, const RandomRunOptions& options);

}  // namespace mote::contract
