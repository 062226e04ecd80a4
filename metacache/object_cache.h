#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "metacache/fifo_shard.h"
#include "metacache/image.h"

namespace mote::metacache {

struct CacheStats {
  std::uint64_t hits = 0;           ///< fresh images found, absent ones included
  std::uint64_t negative_hits = 0;  ///< those that said "absent"
  std::uint64_t misses = 0;         ///< nothing there, or no longer true
  std::uint64_t fills = 0;          ///< images published
  std::uint64_t fills_refused = 0;  ///< not published: a write came between, or too large
  std::uint64_t evictions = 0;
  std::uint64_t bytes = 0;    ///< held now, never above the budget
  std::uint64_t entries = 0;  ///< held now
  std::uint64_t joined = 0;   ///< reads that waited for another's read of the same object
};

/// A byte-budgeted cache of images. It never says what was not true at some moment during the call:
/// every hit compares the image's generation with the store's (INV-7), so nothing has to be told to
/// the cache when an object changes. Thread-safe; a hit takes one spin lock of one shard and
/// allocates nothing.
class ObjectCache {
 public:
  /// `generations` outlives the cache. `shards` is a power of two; 0: chosen by the budget.
  ObjectCache(const GenerationTable& generations, std::uint64_t bytes_max, std::size_t shards);

  [[nodiscard]] bool enabled() const noexcept { return !shards_.empty(); }
  /// An image that is true now and was made under `bucket_revision`; null if there is none. Counts
  /// a hit or a miss.
  [[nodiscard]] std::shared_ptr<const Image> find(const ImageKey& wanted,
                                                  std::uint64_t bucket_revision);
  /// REQUIRES image->generation was taken before what is in it was read.
  bool publish(std::shared_ptr<const Image> image);
  /// Frees the current version's image if a write has made it untrue. For memory only, never needed
  /// for correctness.
  void drop_stale(const ImageKey& wanted);
  void clear();
  void count_joined() noexcept { joined_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] CacheStats stats() const;

  /// Of bucket, key and version: selects shard and slot.
  [[nodiscard]] static std::uint64_t slot_hash(const ImageKey& wanted) noexcept;

 private:
  struct alignas(64) Shard {
    explicit Shard(std::uint64_t bytes_max) : images(bytes_max) {}
    FifoShard images;
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> negative_hits{0};
    std::atomic<std::uint64_t> misses{0};
    std::atomic<std::uint64_t> fills{0};
    std::atomic<std::uint64_t> fills_refused{0};
  };
  [[nodiscard]] Shard& shard_of(std::uint64_t hash) noexcept {
    return *shards_[(hash >> 32) & (shards_.size() - 1)];
  }

  const GenerationTable& generations_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::uint64_t> joined_{0};
};

}  // namespace mote::metacache
