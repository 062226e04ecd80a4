#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "erasure/base/bytes.h"

namespace mote::erasure {

inline constexpr unsigned kShardsMax = 16;  ///< k+m of one set
inline constexpr std::uint32_t kStripeBytes =
    1024 * 1024;  ///< of object data per stripe; recorded per object
inline constexpr std::uint64_t kShardFileAlign =
    4096;  ///< header size and alignment of each stripe shard
/// Shard files of more stripes than this keep their table of sums in a trailer of the file, not in
/// the record.
inline constexpr std::uint64_t kRecordSumsMax = 64;

/// Where one drive's slice of an object (or part) lives; the numbers are on disk. storage.md 3.2.
/// `none`: it has no bytes.
enum class ShardPlace : std::uint8_t { none = 0, record = 1, pay = 2, file = 3 };

/// Largest shard, in bytes, for the two places inside the index. Both are to be measured.
struct StorageBorders {
  std::uint64_t record_max = 4 * kKiB;
  std::uint64_t pay_max = 64 * kKiB;
};

[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}
[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) noexcept {
  return ceil_div(value, align) * align;
}

/// The piece of one stripe that a ranged read needs. All in bytes.
struct StripeSpan {
  std::uint64_t stripe = 0;        ///< index of the stripe
  std::uint64_t stripe_bytes = 0;  ///< object bytes in the whole stripe
  std::uint64_t begin = 0;         ///< first wanted byte, within the stripe
  std::uint64_t bytes = 0;         ///< wanted bytes, > 0
  friend bool operator==(const StripeSpan&, const StripeSpan&) = default;
};

/// k data + m parity shards over stripes of `stripe_bytes`. The last stripe of an object is
/// shorter; the shards of a stripe of L bytes are ceil(L / k) bytes each, the last data shards
/// zero-padded.
struct Geometry {
  std::uint8_t k = 1;
  std::uint8_t m = 0;
  std::uint32_t stripe_bytes = kStripeBytes;

  [[nodiscard]] constexpr bool valid() const noexcept {
    return k >= 1 && m <= k && unsigned{k} + m <= kShardsMax && stripe_bytes > 0;
  }
  [[nodiscard]] constexpr unsigned shards() const noexcept { return unsigned{k} + m; }
  /// Drives that must have synced a commit: max(k, m+1) (storage.md 3.3).
  [[nodiscard]] constexpr unsigned write_quorum() const noexcept {
    return std::max<unsigned>(k, unsigned{m} + 1);
  }

  [[nodiscard]] constexpr std::uint64_t stripe_count(std::uint64_t object_bytes) const noexcept {
    return ceil_div(object_bytes, stripe_bytes);
  }
  /// Object bytes in stripe `index`. REQUIRES index < stripe_count(object_bytes).
  [[nodiscard]] constexpr std::uint64_t stripe_length(std::uint64_t object_bytes,
                                                      std::uint64_t index) const noexcept {
    return std::min<std::uint64_t>(stripe_bytes, object_bytes - index * stripe_bytes);
  }
  /// Bytes of each shard of a stripe that holds `length` object bytes.
  [[nodiscard]] constexpr std::uint64_t shard_bytes(std::uint64_t length) const noexcept {
    return ceil_div(length, k);
  }
  /// Bytes of one drive's shards of all stripes, without alignment: what bind_sum() binds for a
  /// file.
  [[nodiscard]] constexpr std::uint64_t shard_total(std::uint64_t object_bytes) const noexcept {
    const std::uint64_t full = object_bytes / stripe_bytes;
    return full * shard_bytes(stripe_bytes) + shard_bytes(object_bytes % stripe_bytes);
  }

  /// Offset of a stripe's shard in its shard file: behind the header, aligned.
  [[nodiscard]] constexpr std::uint64_t shard_offset(std::uint64_t stripe) const noexcept {
    return kShardFileAlign + stripe * align_up(shard_bytes(stripe_bytes), kShardFileAlign);
  }
  /// Where the data of a shard file ends. REQUIRES object_bytes > 0.
  [[nodiscard]] constexpr std::uint64_t shard_data_end(std::uint64_t object_bytes) const noexcept {
    const std::uint64_t last = stripe_count(object_bytes) - 1;
    return shard_offset(last) + shard_bytes(stripe_length(object_bytes, last));
  }
  [[nodiscard]] constexpr bool has_trailer(std::uint64_t object_bytes) const noexcept {
    return stripe_count(object_bytes) > kRecordSumsMax;
  }
  [[nodiscard]] constexpr std::uint64_t trailer_offset(std::uint64_t object_bytes) const noexcept {
    return align_up(shard_data_end(object_bytes), kShardFileAlign);
  }
  /// Exact length of a shard file, trailer included (16 bytes a stripe + 8).
  [[nodiscard]] constexpr std::uint64_t shard_file_bytes(
      std::uint64_t object_bytes) const noexcept {
    return has_trailer(object_bytes)
               ? trailer_offset(object_bytes) + stripe_count(object_bytes) * 16 + 8
               : shard_data_end(object_bytes);
  }

  /// How many stripes the bytes [offset, offset + count) touch, and the i-th of them.
  /// REQUIRES count > 0, offset + count <= object_bytes, i < span_count().
  [[nodiscard]] constexpr std::uint64_t span_count(std::uint64_t offset,
                                                   std::uint64_t count) const noexcept {
    return (offset + count - 1) / stripe_bytes - offset / stripe_bytes + 1;
  }
  [[nodiscard]] constexpr StripeSpan span(std::uint64_t object_bytes, std::uint64_t offset,
                                          std::uint64_t count, std::uint64_t i) const noexcept {
    const std::uint64_t stripe = offset / stripe_bytes + i;
    const std::uint64_t start = stripe * stripe_bytes;
    const std::uint64_t length = stripe_length(object_bytes, stripe);
    const std::uint64_t begin = std::max(offset, start) - start;
    const std::uint64_t end = std::min(offset + count, start + length) - start;
    return {stripe, length, begin, end - begin};
  }

  /// Where the shards of an object (or part) live.
  [[nodiscard]] constexpr ShardPlace place(std::uint64_t object_bytes,
                                           const StorageBorders& borders) const noexcept {
    if (object_bytes == 0) {
      return ShardPlace::none;
    }
    if (object_bytes > stripe_bytes) {
      return ShardPlace::file;
    }
    const std::uint64_t shard = shard_bytes(object_bytes);
    if (shard <= borders.record_max) {
      return ShardPlace::record;
    }
    return shard <= borders.pay_max ? ShardPlace::pay : ShardPlace::file;
  }

  /// Rotation: shard i of a key with rotation `start` is on the drive in slot (start + i) mod
  /// (k+m).
  [[nodiscard]] constexpr std::uint8_t start_of(std::uint64_t key_hash) const noexcept {
    return static_cast<std::uint8_t>(key_hash % shards());
  }
  [[nodiscard]] constexpr std::uint8_t shard_of_slot(unsigned slot, unsigned start) const noexcept {
    return static_cast<std::uint8_t>((slot + shards() - start % shards()) % shards());
  }
  [[nodiscard]] constexpr std::uint8_t slot_of_shard(unsigned shard,
                                                     unsigned start) const noexcept {
    return static_cast<std::uint8_t>((start + shard) % shards());
  }

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

}  // namespace mote::erasure
