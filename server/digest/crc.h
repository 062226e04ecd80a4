#pragma once

#include <cstdint>

#include "erasure/base/bytes.h"

/// CRCs as S3 names them, all reflected, initial value and final xor all ones. `crc` is the value
/// of what came before (0 at the start), so calls chain: crc32(crc32(0, a), b) == crc32(0, ab).
namespace mote::digest {

/// CRC-32/ISO-HDLC (zip, gzip): "123456789" -> cbf43926.
[[nodiscard]] std::uint32_t crc32(std::uint32_t crc, ByteView bytes) noexcept;
/// CRC-32C, Castagnoli: "123456789" -> e3069283.
[[nodiscard]] std::uint32_t crc32c(std::uint32_t crc, ByteView bytes) noexcept;
/// CRC-64/NVME (NVM Express, polynomial ad93d23594c93659): "123456789" -> ae8b14860a799888.
[[nodiscard]] std::uint64_t crc64nvme(std::uint64_t crc, ByteView bytes) noexcept;

/// The CRC of A‖B from the CRCs of A and B and the length of B in bytes; time grows with
/// log(length).
[[nodiscard]] std::uint32_t crc32_combine(std::uint32_t a, std::uint32_t b,
                                          std::uint64_t b_bytes) noexcept;
[[nodiscard]] std::uint32_t crc32c_combine(std::uint32_t a, std::uint32_t b,
                                           std::uint64_t b_bytes) noexcept;
[[nodiscard]] std::uint64_t crc64nvme_combine(std::uint64_t a, std::uint64_t b,
                                              std::uint64_t b_bytes) noexcept;

}  // namespace mote::digest
