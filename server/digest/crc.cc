#include "server/digest/crc.h"

#include <algorithm>
#include <array>
#include <concepts>

#include <isa-l/crc.h>

#include "server/digest/crc64_kernel.h"

namespace mote::digest {

namespace {

constexpr std::size_t kIscsiStep = std::size_t{1} << 30U;  // crc32_iscsi takes its length as an int

// Polynomials with bit i standing for x^(w-1-i), as reflected CRCs keep them.
constexpr std::uint32_t kPolyCrc32 = 0xedb88320U;
constexpr std::uint32_t kPolyCrc32c = 0x82f63b78U;

/// a * b mod P.
template <std::unsigned_integral T>
T multiply(T a, T b, T poly) {
  T product = 0;
  for (T bit = T{1} << (sizeof(T) * 8 - 1); bit != 0;
       bit >>= 1U) {  // coefficients of a from x^0 upward
    if ((a & bit) != 0) {
      product ^= b;
    }
    b = static_cast<T>(b >> 1U) ^ ((b & 1U) != 0 ? poly : T{0});  // b * x
  }
  return product;
}

/// Appending n bytes multiplies what was there by x^(8n); the all-ones start and end values cancel
/// out.
template <std::unsigned_integral T>
T combine(T a, T b, std::uint64_t bytes, T poly) {
  T square = T{1} << (sizeof(T) * 8 - 1 - 8);  // x^8
  for (; bytes != 0; bytes >>= 1U) {
    if ((bytes & 1U) != 0) {
      a = multiply(a, square, poly);
    }
    square = multiply(square, square, poly);
  }
  return a ^ b;
}

}  // namespace

std::uint32_t crc32(std::uint32_t crc, ByteView bytes) noexcept {
  return crc32_gzip_refl(
      crc, static_cast<const unsigned char*>(static_cast<const void*>(bytes.data())), bytes.size());
}

std::uint32_t crc32c(std::uint32_t crc, ByteView bytes) noexcept {
  std::uint32_t state = ~crc;
  while (!bytes.empty()) {
    const std::size_t step = std::min(bytes.size(), kIscsiStep);
    // The function reads only; its parameter lacks the const.
    auto* const data =
        static_cast<unsigned char*>(const_cast<void*>(static_cast<const void*>(bytes.data())));
    state = crc32_iscsi(data, static_cast<int>(step), state);
    bytes = bytes.subspan(step);
  }
  return ~state;
}

std::uint64_t crc64nvme(std::uint64_t crc, ByteView bytes) noexcept {
  return ~crc64_update(~crc, bytes);
}

std::uint32_t crc32_combine(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes) noexcept {
  return combine(a, b, b_bytes, kPolyCrc32);
}

std::uint32_t crc32c_combine(std::uint32_t a, std::uint32_t b, std::uint64_t b_bytes) noexcept {
  return combine(a, b, b_bytes, kPolyCrc32c);
}

std::uint64_t crc64nvme_combine(std::uint64_t a, std::uint64_t b, std::uint64_t b_bytes) noexcept {
  return combine(a, b, b_bytes, kPolyCrc64Nvme);
}

}  // namespace mote::digest
