#include "server/digest/crc64_kernel.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mote::digest {

namespace {

/// v * x mod P; bit i of v stands for x^(63-i).
constexpr std::uint64_t times_x(std::uint64_t v) {
  return (v >> 1U) ^ ((v & 1U) != 0 ? kPolyCrc64Nvme : 0U);
}

// kTables[t][b]: the register after byte b followed by t zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<std::uint64_t, 256>, 8> tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t value = byte;
    for (int i = 0; i < 8; ++i) {
      value = times_x(value);
    }
    tables[0][byte] = value;
  }
  for (std::size_t t = 1; t < 8; ++t) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t value = tables[t - 1][byte];
      tables[t][byte] = tables[0][value & 0xffU] ^ (value >> 8U);
    }
  }
  return tables;
}();

std::uint64_t load(const std::byte* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

#if defined(__x86_64__)

/// x^n mod P.
constexpr std::uint64_t power_of_x(unsigned n) {
  std::uint64_t value = std::uint64_t{1} << 63U;
  for (unsigned i = 0; i < n; ++i) {
    value = times_x(value);
  }
  return value;
}

// A 16-byte block is a polynomial of degree 127: the low half holds x^127..x^64, the high half
// x^63..x^0. Moving it D bits ahead multiplies the halves by x^(64+D) and x^D; a carry-less product
// of two reflected halves comes out one power too high, hence the -1. (Gopal et al., "Fast CRC
// computation for generic polynomials using PCLMULQDQ instruction", Intel 2009.)
struct FoldBy {
  std::uint64_t low;
  std::uint64_t high;
};
constexpr FoldBy fold_constants(unsigned bits) {
  return {power_of_x(64 + bits - 1), power_of_x(bits - 1)};
}
constexpr FoldBy kFold16 = fold_constants(128);
constexpr FoldBy kFold64 = fold_constants(512);

constexpr std::size_t kBlock = 16;
constexpr std::size_t kStride = 4 * kBlock;

__attribute__((target("pclmul,sse4.1"))) inline __m128i load_block(const std::byte* data) {
  return _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(data)));
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i block, __m128i by,
                                                             __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(block, by, 0x00);
  const __m128i high = _mm_clmulepi64_si128(block, by, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__attribute__((target("pclmul,sse4.1"))) inline __m128i constants(FoldBy by) {
  return _mm_set_epi64x(static_cast<long long>(by.high), static_cast<long long>(by.low));
}

/// REQUIRES bytes.size() >= kStride.
__attribute__((target("pclmul,sse4.1"))) std::uint64_t update_folding(std::uint64_t state,
                                                                      ByteView bytes) {
  const std::byte* data = bytes.data();
  std::size_t left = bytes.size();
  __m128i lanes[4] = {load_block(data), load_block(data + kBlock), load_block(data + 2 * kBlock),
                      load_block(data + 3 * kBlock)};
  lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, static_cast<long long>(state)));
  const __m128i by64 = constants(kFold64);
  for (data += kStride, left -= kStride; left >= kStride; data += kStride, left -= kStride) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = fold(lanes[i], by64, load_block(data + i * kBlock));
    }
  }
  const __m128i by16 = constants(kFold16);
  __m128i block = fold(lanes[0], by16, lanes[1]);
  block = fold(block, by16, lanes[2]);
  block = fold(block, by16, lanes[3]);
  for (; left >= kBlock; data += kBlock, left -= kBlock) {
    block = fold(block, by16, load_block(data));
  }
  alignas(16) std::array<std::byte, kBlock> rest{};
  _mm_store_si128(static_cast<__m128i*>(static_cast<void*>(rest.data())), block);
  return crc64_update_tables(crc64_update_tables(0, rest), ByteView(data, left));
}

#endif

}  // namespace

std::uint64_t crc64_update_tables(std::uint64_t state, ByteView bytes) noexcept {
  while (bytes.size() >= 8) {
    const std::uint64_t word = state ^ load(bytes.data());
    state = 0;
    for (unsigned i = 0; i < 8; ++i) {
      state ^= kTables[7 - i][word >> (8U * i) & 0xffU];
    }
    bytes = bytes.subspan(8);
  }
  for (const std::byte byte : bytes) {
    state = kTables[0][(state ^ std::to_integer<std::uint64_t>(byte)) & 0xffU] ^ (state >> 8U);
  }
  return state;
}

std::uint64_t crc64_update(std::uint64_t state, ByteView bytes) noexcept {
#if defined(__x86_64__)
  static const bool has_clmul =
      __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  if (has_clmul && bytes.size() >= kStride) {
    return update_folding(state, bytes);
  }
#endif
  return crc64_update_tables(state, bytes);
}

}  // namespace mote::digest
