#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "erasure/meta/keys.h"

namespace mote::erasure {

/// Shard files that an open reader may still read: garbage removal leaves them alone. Thread-safe.
/// Outlives its pins.
class PinTable {
 public:
  /// Keeps files from being removed until destroyed.
  class Pin {
   public:
    Pin() = default;
    ~Pin() { release(); }
    Pin(Pin&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), files_(std::move(other.files_)) {}
    Pin& operator=(Pin&& other) noexcept;
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    friend class PinTable;
    void release();
    PinTable* table_ = nullptr;
    std::vector<Uuid> files_;
  };

  [[nodiscard]] Pin pin(std::vector<Uuid> files);
  [[nodiscard]] bool is_pinned(const Uuid& file) const;

 private:
  struct UuidHash {
    std::size_t operator()(const Uuid& uuid) const noexcept;
  };

  mutable std::mutex mutex_;
  std::unordered_map<Uuid, std::uint32_t, UuidHash> pins_;
};

}  // namespace mote::erasure
