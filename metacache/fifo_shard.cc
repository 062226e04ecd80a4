#include "metacache/fifo_shard.h"

#include <algorithm>

namespace mote::metacache {
namespace {

// The small queue's share of the bytes (S3-FIFO: 10 %).
constexpr std::uint64_t kSmallShare = 10;
// An image larger than this share of a shard would evict too much of it.
constexpr std::uint64_t kImageShareMax = 2;
// Remembered hashes: as many as there are entries, within these bounds.
constexpr std::size_t kGhostsMin = 64;
constexpr std::size_t kGhostsMax = 16'384;

}  // namespace

std::shared_ptr<const Image> FifoShard::find(std::uint64_t hash, const ImageKey& wanted) {
  const std::lock_guard lock(lock_);
  const auto slot = slots_.find(hash);
  if (slot == slots_.end() || !slot->second->image->is_of(wanted)) {
    return nullptr;
  }
  Entry& entry = *slot->second;
  entry.uses = std::min<std::uint8_t>(static_cast<std::uint8_t>(entry.uses + 1), kUsesMax);
  return entry.image;
}

bool FifoShard::publish(std::uint64_t hash, std::shared_ptr<const Image> image,
                        const GenerationTable& generations) {
  const std::uint64_t bytes = image->accounted_bytes();
  if (bytes > bytes_max_ / kImageShareMax) {
    return false;
  }
  Queue dead;  // freed after the lock
  Queue fresh;
  const std::size_t stripe = image->stripe;
  const std::uint64_t generation = image->generation;
  fresh.push_front(Entry{hash, bytes, 0, false, std::move(image)});
  const std::lock_guard lock(lock_);
  if (!GenerationTable::is_stable(generation) || generations.load(stripe) != generation) {
    return false;
  }
  Entry& entry = fresh.front();
  if (const auto slot = slots_.find(hash); slot != slots_.end()) {
    const Image& held = *slot->second->image;
    if (held.generation == generation && held.kind == Image::Kind::object &&
        entry.image->kind == Image::Kind::head && held.key == entry.image->key) {
      return true;  // the same moment, and more of it
    }
    // A name that is written and read in turns keeps the place it has earned.
    entry.in_main = slot->second->in_main;
    entry.uses = slot->second->uses;
    unlink(slot->second, dead);
  } else if (ghosts_.contains(hash)) {
    entry.in_main = true;
  }
  (entry.in_main ? main_bytes_ : small_bytes_) += bytes;
  Queue& queue = entry.in_main ? main_ : small_;
  slots_[hash] = fresh.begin();
  queue.splice(queue.begin(), fresh);
  evict(dead);
  return true;
}

void FifoShard::drop_stale(std::uint64_t hash, const GenerationTable& generations) {
  Queue dead;
  const std::lock_guard lock(lock_);
  const auto slot = slots_.find(hash);
  if (slot == slots_.end()) {
    return;
  }
  const Image& image = *slot->second->image;
  if (generations.load(image.stripe) != image.generation) {
    unlink(slot->second, dead);
  }
}

void FifoShard::clear() {
  Queue small;
  Queue main;
  const std::lock_guard lock(lock_);
  slots_.clear();
  ghosts_.clear();
  ghost_order_.clear();
  small.swap(small_);
  main.swap(main_);
  small_bytes_ = main_bytes_ = 0;
}

FifoShard::Stats FifoShard::stats() {
  const std::lock_guard lock(lock_);
  return {small_bytes_ + main_bytes_, slots_.size(), evictions_};
}

void FifoShard::unlink(Queue::iterator entry, Queue& dead) {
  slots_.erase(entry->hash);
  (entry->in_main ? main_bytes_ : small_bytes_) -= entry->bytes;
  dead.splice(dead.begin(), entry->in_main ? main_ : small_, entry);
}

void FifoShard::evict(Queue& dead) {
  while (small_bytes_ + main_bytes_ > bytes_max_) {
    if (main_.empty() || small_bytes_ > bytes_max_ / kSmallShare) {
      evict_from_small(dead);
    } else {
      evict_from_main(dead);
    }
  }
}

void FifoShard::evict_from_small(Queue& dead) {
  const auto oldest = std::prev(small_.end());
  if (oldest->uses == 0) {
    remember(oldest->hash);
    ++evictions_;
    unlink(oldest, dead);
    return;
  }
  oldest->uses = 0;
  oldest->in_main = true;
  small_bytes_ -= oldest->bytes;
  main_bytes_ += oldest->bytes;
  main_.splice(main_.begin(), small_, oldest);
}

void FifoShard::evict_from_main(Queue& dead) {
  const auto oldest = std::prev(main_.end());
  if (oldest->uses > 0) {
    --oldest->uses;
    main_.splice(main_.begin(), main_, oldest);
    return;
  }
  ++evictions_;
  unlink(oldest, dead);
}

void FifoShard::remember(std::uint64_t hash) {
  if (!ghosts_.insert(hash).second) {
    return;
  }
  ghost_order_.push_back(hash);
  const std::size_t most = std::clamp(slots_.size(), kGhostsMin, kGhostsMax);
  while (ghost_order_.size() > most) {
    ghosts_.erase(ghost_order_.front());
    ghost_order_.pop_front();
  }
}

}  // namespace mote::metacache
