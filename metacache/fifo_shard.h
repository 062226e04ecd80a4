#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "metacache/image.h"
#include "metacache/spin_lock.h"

namespace mote::metacache {

/// One shard of the object cache: images by 64-bit hash, evicted by S3-FIFO (Yang et al., "FIFO
/// queues are all you need for cache eviction", SOSP 2023). New images enter a small queue that
/// holds a tenth of the bytes; only those asked for again move on to the main one, so a scan passes
/// through without displacing it. Hashes that fell out of the small queue are remembered: on their
/// return they enter the main queue.
///
/// Two names with the same hash share a slot, the later one wins; a hit compares the full name.
/// Thread-safe.
class FifoShard {
 public:
  struct Stats {
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t evictions = 0;
  };

  explicit FifoShard(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  /// The image in the slot, whether fresh or not; null if there is none of that name. Counts as a
  /// use.
  [[nodiscard]] std::shared_ptr<const Image> find(std::uint64_t hash, const ImageKey& wanted);
  /// Puts an image into its slot if the generation it was read under still stands, and evicts what
  /// no longer fits. False if a write came between (INV-7), or the image is larger than this shard
  /// takes.
  bool publish(std::uint64_t hash, std::shared_ptr<const Image> image,
               const GenerationTable& generations);
  /// Empties the slot if it holds an image that is no longer true.
  void drop_stale(std::uint64_t hash, const GenerationTable& generations);
  void clear();
  [[nodiscard]] Stats stats();

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;
    std::uint8_t uses = 0;  // since it entered its queue, at most kUsesMax
    bool in_main = false;
    std::shared_ptr<const Image> image;
  };
  using Queue = std::list<Entry>;

  static constexpr std::uint8_t kUsesMax = 3;

  void unlink(Queue::iterator entry, Queue& dead);
  void evict(Queue& dead);
  void evict_from_small(Queue& dead);
  void evict_from_main(Queue& dead);
  void remember(std::uint64_t hash);

  const std::uint64_t bytes_max_;
  SpinLock lock_;
  std::unordered_map<std::uint64_t, Queue::iterator> slots_;
  Queue small_;  // newest at the front
  Queue main_;
  std::uint64_t small_bytes_ = 0;
  std::uint64_t main_bytes_ = 0;
  std::deque<std::uint64_t> ghost_order_;
  std::unordered_set<std::uint64_t> ghosts_;
  std::uint64_t evictions_ = 0;
};

}  // namespace mote::metacache
