#include "server/digest/crc.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "server/digest/crc64_kernel.h"
#include "tests/server/digest/test_seed.h"

namespace mote::digest {
namespace {

const std::string kCheck = "123456789";

TEST_CASE("crc: published check values") {
  // Catalogue of parametrised CRC algorithms (reveng): CRC-32/ISO-HDLC, CRC-32/ISCSI, CRC-64/NVME.
  CHECK(crc32(0, as_bytes(kCheck)) == 0xcbf43926U);
  CHECK(crc32c(0, as_bytes(kCheck)) == 0xe3069283U);
  CHECK(crc64nvme(0, as_bytes(kCheck)) == 0xae8b14860a799888ULL);
}

TEST_CASE("crc: nothing is zero") {
  CHECK(crc32(0, {}) == 0);
  CHECK(crc32c(0, {}) == 0);
  CHECK(crc64nvme(0, {}) == 0);
}

std::vector<std::byte> random_bytes(std::mt19937_64& rng, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(rng());
  }
  return bytes;
}

TEST_CASE("crc: folding agrees with tables at every length and alignment") {
  std::mt19937_64 rng(test_seed());
  const auto bytes = random_bytes(rng, 700);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    for (std::size_t size = 0; size + offset < bytes.size(); ++size) {
      const ByteView view = ByteView(bytes).subspan(offset, size);
      const std::uint64_t state = rng();
      if (crc64_update(state, view) != crc64_update_tables(state, view)) {
        FAIL("offset ", offset, " size ", size);
      }
    }
  }
}

TEST_CASE("crc: tables agree with a bit-by-bit computation") {
  std::mt19937_64 rng(test_seed());
  for (std::size_t size = 0; size < 40; ++size) {
    const auto bytes = random_bytes(rng, size);
    std::uint64_t expected = ~std::uint64_t{0};
    for (const std::byte byte : bytes) {
      expected ^= std::to_integer<std::uint64_t>(byte);
      for (int i = 0; i < 8; ++i) {
        expected = (expected >> 1U) ^ ((expected & 1U) != 0 ? kPolyCrc64Nvme : 0U);
      }
    }
    CAPTURE(size);
    CHECK(crc64nvme(0, bytes) == ~expected);
  }
}

TEST_CASE("crc: chaining and combining equal one pass") {
  std::mt19937_64 rng(test_seed());
  for (int round = 0; round < 200; ++round) {
    const auto bytes = random_bytes(rng, rng() % 5000);
    const std::size_t cut = bytes.empty() ? 0 : rng() % (bytes.size() + 1);
    const ByteView a = ByteView(bytes).first(cut);
    const ByteView b = ByteView(bytes).subspan(cut);
    CAPTURE(bytes.size());
    CAPTURE(cut);
    CHECK(crc32(crc32(0, a), b) == crc32(0, bytes));
    CHECK(crc32c(crc32c(0, a), b) == crc32c(0, bytes));
    CHECK(crc64nvme(crc64nvme(0, a), b) == crc64nvme(0, bytes));
    CHECK(crc32_combine(crc32(0, a), crc32(0, b), b.size()) == crc32(0, bytes));
    CHECK(crc32c_combine(crc32c(0, a), crc32c(0, b), b.size()) == crc32c(0, bytes));
    CHECK(crc64nvme_combine(crc64nvme(0, a), crc64nvme(0, b), b.size()) == crc64nvme(0, bytes));
  }
}

}  // namespace
}  // namespace mote::digest
