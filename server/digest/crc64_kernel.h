#pragma once

#include <cstdint>

#include "erasure/base/bytes.h"

/// CRC-64/NVME without its start and end complement. ISA-L 2.30 has other 64-bit polynomials only.
namespace mote::digest {

/// ad93d23594c93659 with its bits reversed.
inline constexpr std::uint64_t kPolyCrc64Nvme = 0x9a6c9329ac4bc9b5ULL;

/// Advances the shift register `state` over `bytes`, by carry-less multiplication where the CPU has
/// it.
[[nodiscard]] std::uint64_t crc64_update(std::uint64_t state, ByteView bytes) noexcept;
/// The same by tables alone, eight bytes a step; the reference for tests and the way on older CPUs.
[[nodiscard]] std::uint64_t crc64_update_tables(std::uint64_t state, ByteView bytes) noexcept;

}  // namespace mote::digest
