#include <doctest/doctest.h>

#include "tests/metacache/cached_fixture.h"
#include "tests/model/random_run.h"

namespace mote::metacache {
namespace {

// 20,000 operations each; MOTE_TEST_MODEL_OPS for more.
void check(const CachedFixture::Shape& shape) {
  CachedFixture fixture(shape);
  contract::RandomRunOptions options;
  options.seed = contract::test_seed();
  options.operations = contract::test_number("MODEL_OPS", 20'000);
  const contract::RandomRunResult result = contract::run_random(fixture, options);
  CHECK(result.operations == options.operations);
  CHECK(result.succeeded > result.operations / 3);
  CHECK(fixture.store().stats().hits > 0);
}

TEST_CASE("INV-7: random operations through the cache agree with the model") {
  check({});
}
TEST_CASE("INV-7: random operations through the cache agree with the model, with write-through") {
  check({64 * kMiB, 128 * kKiB, 65536});
}
TEST_CASE("INV-7: random operations through the cache agree with the model, with hardly any room") {
  check({16 * kKiB, 4 * kKiB, 64});
}

}  // namespace
}  // namespace mote::metacache
