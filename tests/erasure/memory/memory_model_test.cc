#include <doctest/doctest.h>

#include "tests/erasure/memory/memory_fixture.h"
#include "tests/model/random_run.h"

namespace mote {
namespace {

using contract::RandomRunOptions;
using contract::run_random;

// 20,000 operations each; MOTE_TEST_MODEL_OPS for more.
void check(std::size_t stripes, bool versioning) {
  MemoryFixture fixture(stripes);
  RandomRunOptions options;
  options.seed = contract::test_seed();
  options.operations = contract::test_number("MODEL_OPS", 20'000);
  options.versioning = versioning;
  const contract::RandomRunResult result = run_random(fixture, options);
  CHECK(result.operations == options.operations);
  CHECK(result.succeeded > result.operations / 3);
}

TEST_CASE("memory: random operations agree with the model") {
  check(65536, true);
}
TEST_CASE("memory: random operations agree with the model, one stripe") {
  check(1, true);
}
TEST_CASE("memory: random operations agree with the model, never versioned") {
  check(65536, false);
}

}  // namespace
}  // namespace mote
