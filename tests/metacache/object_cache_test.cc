#include "metacache/object_cache.h"

#include <atomic>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "erasure/base/buffer.h"
#include "tests/contract/store_fixture.h"

namespace mote::metacache {
namespace {

constexpr std::uint64_t kBucket = 7;

std::shared_ptr<Image> make_image(const GenerationTable& generations, const std::string& key,
                                  std::size_t body_bytes) {
  auto image = std::make_shared<Image>();
  image->bucket_id = kBucket;
  image->key = key;
  image->stripe = generations.stripe(GenerationTable::hash(kBucket, key));
  image->generation = generations.load(image->stripe);
  image->kind = Image::Kind::object;
  image->head = std::make_shared<const ObjectHead>();
  image->body = Slice::own(std::string(body_bytes, 'x'));
  return image;
}

TEST_CASE("object cache: never more bytes than its budget, and each image counts fully") {
  const std::uint64_t seed = contract::test_seed();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const GenerationTable generations;
  for (const std::uint64_t budget : {64 * kKiB, kMiB, 256 * kMiB}) {
    ObjectCache cache(generations, budget, 0);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t size = random() % (64 * kKiB);
      cache.publish(make_image(generations, "k" + std::to_string(random() % 2000), size));
      static_cast<void>(cache.find({kBucket, "k" + std::to_string(random() % 2000), nullptr}, 0));
      REQUIRE(cache.stats().bytes <= budget);
    }
    const CacheStats stats = cache.stats();
    CHECK(stats.hits > 0);
    CHECK(stats.misses > 0);
    CHECK(stats.entries > 0);
    CHECK((stats.evictions > 0) == (budget < 256 * kMiB));
    cache.clear();
    CHECK(cache.stats().bytes == 0);
    CHECK(cache.stats().entries == 0);
  }
  CHECK(make_image(generations, "key", 1000)->accounted_bytes() >= 1003 + sizeof(Image));
}

TEST_CASE("object cache: an image is found under its own name only") {
  const GenerationTable generations;
  ObjectCache cache(generations, kMiB, 1);
  REQUIRE(cache.publish(make_image(generations, "k", 10)));
  CHECK(cache.find({kBucket, "k", nullptr}, 0) != nullptr);
  CHECK(cache.find({kBucket, "l", nullptr}, 0) == nullptr);
  CHECK(cache.find({kBucket + 1, "k", nullptr}, 0) == nullptr);
  CHECK(cache.find({kBucket, "k", &kNullVersion}, 0) == nullptr);
  CHECK(cache.find({kBucket, "k", nullptr}, 1) == nullptr);  // another revision of the bucket
  // Two names of one hash: the later has the slot, neither gets the other's image.
  FifoShard shard(kMiB);
  REQUIRE(shard.publish(1, make_image(generations, "a", 10), generations));
  CHECK(shard.find(1, {kBucket, "b", nullptr}) == nullptr);
  REQUIRE(shard.publish(1, make_image(generations, "b", 10), generations));
  CHECK(shard.find(1, {kBucket, "a", nullptr}) == nullptr);
  CHECK(shard.find(1, {kBucket, "b", nullptr}) != nullptr);
  CHECK(shard.stats().entries == 1);
}

TEST_CASE("object cache: INV-7: an image of an older generation is neither taken nor served") {
  GenerationTable generations(1);
  ObjectCache cache(generations, kMiB, 1);
  const auto early = make_image(generations, "k", 10);
  REQUIRE(cache.publish(early));
  generations.begin_write(0);
  CHECK(cache.find({kBucket, "k", nullptr}, 0) == nullptr);
  CHECK_FALSE(
      cache.publish(make_image(generations, "k", 10)));  // taken while a write was under way
  generations.end_write(0);
  CHECK(cache.find({kBucket, "k", nullptr}, 0) == nullptr);
  CHECK_FALSE(cache.publish(early));
  CHECK(cache.stats().fills_refused == 2);
  cache.drop_stale({kBucket, "k", nullptr});
  CHECK(cache.stats().entries == 0);
  REQUIRE(cache.publish(make_image(generations, "k", 10)));
  cache.drop_stale({kBucket, "k", nullptr});  // is true: stays
  CHECK(cache.find({kBucket, "k", nullptr}, 0) != nullptr);
}

TEST_CASE("object cache: a scan does not displace what is used") {
  const GenerationTable generations;
  ObjectCache cache(generations, kMiB, 1);
  const auto name = [](const char* prefix, int i) { return prefix + std::to_string(i); };
  for (int round = 0; round < 3; ++round) {  // a working set of half the budget, used a few times
    for (int i = 0; i < 100; ++i) {
      if (cache.find({kBucket, name("hot", i), nullptr}, 0) == nullptr) {
        cache.publish(make_image(generations, name("hot", i), 4096));
      }
    }
  }
  for (int i = 0; i < 5000; ++i) {  // 20 times the budget, each once
    CHECK(cache.find({kBucket, name("scan", i), nullptr}, 0) == nullptr);
    cache.publish(make_image(generations, name("scan", i), 4096));
  }
  int left = 0;
  for (int i = 0; i < 100; ++i) {
    left += cache.find({kBucket, name("hot", i), nullptr}, 0) != nullptr ? 1 : 0;
  }
  CHECK(left >= 95);
}

TEST_CASE("object cache: what comes back soon after it fell out is kept longer") {
  const GenerationTable generations;
  FifoShard shard(100 * kKiB);
  const auto publish = [&](std::uint64_t hash) {
    REQUIRE(shard.publish(hash, make_image(generations, std::to_string(hash), 2048), generations));
  };
  for (std::uint64_t hash = 0; hash < 60; ++hash) {
    publish(hash);
  }
  CHECK(shard.find(0, {kBucket, "0", nullptr}) == nullptr);  // fell out of the small queue
  publish(0);
  for (std::uint64_t hash = 100; hash < 140; ++hash) {
    publish(hash);
  }
  CHECK(shard.find(0, {kBucket, "0", nullptr}) != nullptr);
}

TEST_CASE("object cache: an image too large for a shard is not taken") {
  const GenerationTable generations;
  ObjectCache cache(generations, 64 * kKiB, 1);
  CHECK_FALSE(cache.publish(make_image(generations, "k", 40 * kKiB)));
  CHECK(cache.publish(make_image(generations, "k", 20 * kKiB)));
  CHECK(cache.stats().entries == 1);
}

TEST_CASE("object cache: a head does not displace the object of the same moment") {
  const GenerationTable generations;
  ObjectCache cache(generations, kMiB, 1);
  REQUIRE(cache.publish(make_image(generations, "k", 10)));
  auto head = make_image(generations, "k", 0);
  head->kind = Image::Kind::head;
  CHECK(cache.publish(head));
  CHECK(cache.find({kBucket, "k", nullptr}, 0)->kind == Image::Kind::object);
}

}  // namespace
}  // namespace mote::metacache
