#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace mote {

/// A seqlock per key stripe: the whole of cache coherence (INV-7, INV-8; storage.md 4.2). The
/// commit function alone moves it, from even to odd before a commit can be seen and from odd to the
/// next even after it is applied (or given up) and before it is acknowledged. A reader that fills a
/// cache takes the generation before it reads and publishes only if it is even and still the same.
class GenerationTable {
 public:
  /// `stripes` is a power of two; 1 in the build that provokes collisions.
  explicit GenerationTable(std::size_t stripes = kStripes)
      : mask_(stripes - 1), slots_(std::make_unique<std::atomic<std::uint64_t>[]>(stripes)) {}

  [[nodiscard]] static std::uint64_t hash(std::uint64_t bucket_id, std::string_view key) noexcept;

  [[nodiscard]] std::size_t stripe(std::uint64_t key_hash) const noexcept {
    return key_hash & mask_;
  }
  [[nodiscard]] std::uint64_t load(std::size_t stripe) const noexcept {
    return slots_[stripe].load(std::memory_order_acquire);
  }
  [[nodiscard]] static bool is_stable(std::uint64_t generation) noexcept {
    return (generation & 1U) == 0;
  }

  /// For the commit function only, under the lock of the whole stripe (key locks are striped as
  /// this table is or coarser), so a stripe has one writer at a time.
  void begin_write(std::size_t stripe) noexcept;
  void end_write(std::size_t stripe) noexcept;
  /// Every stripe moves by two: what was read before is not published, what is cached is not
  /// trusted. For a set that settled what was in doubt (DriveSet).
  void move_all() noexcept;

 private:
  static constexpr std::size_t kStripes = 65536;
  std::size_t mask_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> slots_;
};

}  // namespace mote
