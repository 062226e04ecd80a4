#include "metacache/object_cache.h"

#include <algorithm>
#include <bit>

#include "erasure/base/check.h"

namespace mote::metacache {
namespace {

// Fewer, larger shards for small budgets: a shard takes images up to half its size.
constexpr std::uint64_t kShardBytesMin = 4 * kMiB;
constexpr std::uint64_t kShardsMax = 64;

std::size_t choose_shards(std::uint64_t bytes_max) {
  return std::bit_floor(static_cast<std::size_t>(
      std::clamp<std::uint64_t>(bytes_max / kShardBytesMin, 1, kShardsMax)));
}

void bump(std::atomic<std::uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

ObjectCache::ObjectCache(const GenerationTable& generations, std::uint64_t bytes_max,
                         std::size_t shards)
    : generations_(generations) {
  if (bytes_max == 0) {
    return;
  }
  const std::size_t count = shards == 0 ? choose_shards(bytes_max) : shards;
  MOTE_CHECK(std::has_single_bit(count));
  for (std::size_t i = 0; i < count; ++i) {
    shards_.push_back(std::make_unique<Shard>(bytes_max / count));
  }
}

std::uint64_t ObjectCache::slot_hash(const ImageKey& wanted) noexcept {
  const std::uint64_t hash = wanted.key_hash();
  if (wanted.version == nullptr) {
    return hash;
  }
  const auto* bytes = reinterpret_cast<const char*>(wanted.version->data());
  return GenerationTable::hash(hash, {bytes, wanted.version->size()});
}

std::shared_ptr<const Image> ObjectCache::find(const ImageKey& wanted,
                                               std::uint64_t bucket_revision) {
  if (!enabled()) {
    return nullptr;
  }
  const std::uint64_t hash = slot_hash(wanted);
  Shard& shard = shard_of(hash);
  std::shared_ptr<const Image> image = shard.images.find(hash, wanted);
  // The generation is loaded after the image was found: if it is still the image's own, no write
  // has begun since before the image was read.
  if (!image || image->bucket_revision != bucket_revision ||
      generations_.load(image->stripe) != image->generation) {
    bump(shard.misses);
    return nullptr;
  }
  bump(shard.hits);
  if (image->kind == Image::Kind::absent) {
    bump(shard.negative_hits);
  }
  return image;
}

bool ObjectCache::publish(std::shared_ptr<const Image> image) {
  if (!enabled()) {
    return false;
  }
  const VersionId* version = image->version ? &*image->version : nullptr;
  const std::uint64_t hash = slot_hash({image->bucket_id, image->key, version});
  Shard& shard = shard_of(hash);
  const bool published = shard.images.publish(hash, std::move(image), generations_);
  bump(published ? shard.fills : shard.fills_refused);
  return published;
}

void ObjectCache::drop_stale(const ImageKey& wanted) {
  if (enabled()) {
    const std::uint64_t hash = slot_hash(wanted);
    shard_of(hash).images.drop_stale(hash, generations_);
  }
}

void ObjectCache::clear() {
  for (const auto& shard : shards_) {
    shard->images.clear();
  }
}

CacheStats ObjectCache::stats() const {
  CacheStats total;
  for (const auto& shard : shards_) {
    total.hits += shard->hits.load(std::memory_order_relaxed);
    total.negative_hits += shard->negative_hits.load(std::memory_order_relaxed);
    total.misses += shard->misses.load(std::memory_order_relaxed);
    total.fills += shard->fills.load(std::memory_order_relaxed);
    total.fills_refused += shard->fills_refused.load(std::memory_order_relaxed);
    const FifoShard::Stats images = shard->images.stats();
    total.evictions += images.evictions;
    total.bytes += images.bytes;
    total.entries += images.entries;
  }
  total.joined = joined_.load(std::memory_order_relaxed);
  return total;
}

}  // namespace mote::metacache
