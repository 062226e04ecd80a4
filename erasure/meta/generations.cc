#include "erasure/meta/generations.h"

#include <xxhash.h>

#include "erasure/base/check.h"

namespace mote {

std::uint64_t GenerationTable::hash(std::uint64_t bucket_id, std::string_view key) noexcept {
  return XXH3_64bits_withSeed(key.data(), key.size(), bucket_id);
}

void GenerationTable::begin_write(std::size_t stripe) noexcept {
  const std::uint64_t before = slots_[stripe].fetch_add(1, std::memory_order_acq_rel);
  MOTE_CHECK(is_stable(before));
}

void GenerationTable::end_write(std::size_t stripe) noexcept {
  const std::uint64_t before = slots_[stripe].fetch_add(1, std::memory_order_acq_rel);
  MOTE_CHECK(!is_stable(before));
}

void GenerationTable::move_all() noexcept {
  for (std::size_t stripe = 0; stripe <= mask_; ++stripe) {
    slots_[stripe].fetch_add(2, std::memory_order_acq_rel);
  }
}

}  // namespace mote
