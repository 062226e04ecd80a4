#pragma once

#include <array>
#include <cstdint>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"

namespace mote::erasure {

/// An XXH3-128 value in canonical (big-endian) byte order. It finds accidents, not forgers.
using Sum128 = std::array<std::byte, 16>;

/// What a shard's checksum is bound to (INV-3): the commit that wrote the bytes and the shard's
/// index in 0 .. k+m-1. A shard of another commit or another index never verifies.
struct ShardBinding {
  std::uint32_t epoch = 0;
  std::uint64_t n = 0;
  std::uint8_t shard_index = 0;
};

/// XXH3-128 of the bytes alone; may be computed before the commit has its number.
[[nodiscard]] Sum128 payload_sum(ByteView payload) noexcept;

/// Binds a payload's sum to its commit, index and length: XXH3-128(sum || epoch:4 || n:8 || index:1
/// || bytes:8), integers big-endian. Costs one hash of 37 bytes, so that it can be done under the
/// log's thread. FORMAT.md "Bitrot sums" says why this is as strong as a seeded hash of the
/// payload.
[[nodiscard]] Sum128 bind_sum(const Sum128& payload, const ShardBinding& binding,
                              std::uint64_t bytes) noexcept;

/// Checks a shard's bytes against its bound sum. `bytes` is the length that the record promises;
/// any other length is corrupt. Errors: corrupt.
[[nodiscard]] Status verify_shard(ByteView payload, std::uint64_t bytes,
                                  const ShardBinding& binding, const Sum128& bound) noexcept;

/// Checks one stripe of a shard file against its entry of a table that was itself verified.
/// Errors: corrupt, also for any length but `bytes`.
[[nodiscard]] Status verify_payload(ByteView payload, std::uint64_t bytes,
                                    const Sum128& sum) noexcept;

/// The sum of a shard file's table of per-stripe payload sums: what bind_sum() takes for a file,
/// with `bytes` = the sum of all stripe shards' lengths.
[[nodiscard]] Sum128 table_sum(const Sum128* sums, std::size_t count) noexcept;

}  // namespace mote::erasure
