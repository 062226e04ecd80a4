#include "erasure/codec/bitrot.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include "erasure/base/buffer.h"
#include "erasure/base/rng.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

Buffer random_bytes(Rng& rng, std::size_t count) {
  Buffer bytes(count);
  rng.fill(bytes.span());
  return bytes;
}

constexpr ShardBinding kBinding{7, 0x0102030405060708, 3};

TEST_CASE("bitrot: a shard verifies with its own length, commit and index") {
  MOTE_SEEDED_RNG(rng);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{656}, std::size_t{65536}}) {
    const Buffer shard = random_bytes(rng, size);
    const Sum128 bound = bind_sum(payload_sum(shard.view()), kBinding, size);
    CHECK_OK(verify_shard(shard.view(), size, kBinding, bound));
  }
}

TEST_CASE("bitrot: the bound sum is the documented hash of 37 bytes") {
  const std::string payload = "shard";
  const XXH128_hash_t inner = XXH3_128bits(payload.data(), payload.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, inner);
  std::string text(reinterpret_cast<const char*>(canonical.digest), 16);
  text += std::string("\0\0\0\x07\x01\x02\x03\x04\x05\x06\x07\x08\x03\0\0\0\0\0\0\0\x05", 21);
  REQUIRE(text.size() == 37);
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  const Sum128 bound = bind_sum(payload_sum(as_bytes(payload)), kBinding, payload.size());
  CHECK(std::memcmp(bound.data(), canonical.digest, 16) == 0);
}

TEST_CASE("bitrot: every single bit flip of a shard is found") {
  MOTE_SEEDED_RNG(rng);
  Buffer shard = random_bytes(rng, 1024);
  const Sum128 bound = bind_sum(payload_sum(shard.view()), kBinding, shard.size());
  for (std::size_t bit = 0; bit < shard.size() * 8; ++bit) {
    const std::byte mask{static_cast<unsigned char>(1U << (bit % 8))};
    shard.data()[bit / 8] ^= mask;
    REQUIRE_ERR(verify_shard(shard.view(), shard.size(), kBinding, bound), Errc::corrupt);
    shard.data()[bit / 8] ^= mask;
  }
  CHECK_OK(verify_shard(shard.view(), shard.size(), kBinding, bound));
}

TEST_CASE("bitrot: every single bit flip of the sum is found") {
  const std::string shard = "some shard";
  Sum128 bound = bind_sum(payload_sum(as_bytes(shard)), kBinding, shard.size());
  for (std::size_t bit = 0; bit < 128; ++bit) {
    const std::byte mask{static_cast<unsigned char>(1U << (bit % 8))};
    bound[bit / 8] ^= mask;
    CHECK_ERR(verify_shard(as_bytes(shard), shard.size(), kBinding, bound), Errc::corrupt);
    bound[bit / 8] ^= mask;
  }
}

TEST_CASE("bitrot: a shard of another commit, epoch or index does not verify") {
  MOTE_SEEDED_RNG(rng);
  const Buffer shard = random_bytes(rng, 656);
  const Sum128 bound = bind_sum(payload_sum(shard.view()), kBinding, shard.size());
  for (std::uint8_t index = 0; index < 16; ++index) {
    const ShardBinding other{kBinding.epoch, kBinding.n, index};
    CHECK(verify_shard(shard.view(), shard.size(), other, bound).has_value() == (index == 3));
  }
  for (int bit = 0; bit < 64; ++bit) {
    const ShardBinding other{kBinding.epoch, kBinding.n ^ (std::uint64_t{1} << bit), 3};
    CHECK_ERR(verify_shard(shard.view(), shard.size(), other, bound), Errc::corrupt);
  }
  for (int bit = 0; bit < 32; ++bit) {
    const ShardBinding other{kBinding.epoch ^ (1U << bit), kBinding.n, 3};
    CHECK_ERR(verify_shard(shard.view(), shard.size(), other, bound), Errc::corrupt);
  }
}

TEST_CASE("bitrot: a cut, grown, emptied or zeroed shard is found") {
  MOTE_SEEDED_RNG(rng);
  const Buffer shard = random_bytes(rng, 656);
  const Sum128 bound = bind_sum(payload_sum(shard.view()), kBinding, shard.size());
  for (std::size_t length = 0; length < shard.size(); ++length) {
    CHECK_ERR(verify_shard(shard.view().first(length), shard.size(), kBinding, bound),
              Errc::corrupt);
    // also when the length that is asked for agrees with the damage
    CHECK_ERR(verify_shard(shard.view().first(length), length, kBinding, bound), Errc::corrupt);
  }
  Buffer grown(shard.size() + 1);
  std::memcpy(grown.data(), shard.data(), shard.size());
  grown.data()[shard.size()] = std::byte{0};
  CHECK_ERR(verify_shard(grown.view(), shard.size(), kBinding, bound), Errc::corrupt);
  CHECK_ERR(verify_shard(grown.view(), grown.size(), kBinding, bound), Errc::corrupt);
  const std::string zeros(shard.size(), '\0');
  CHECK_ERR(verify_shard(as_bytes(zeros), shard.size(), kBinding, bound), Errc::corrupt);
}

TEST_CASE("bitrot: a stripe verifies against its entry only") {
  const std::string first = "first stripe";
  const std::string other = "other stripe";
  const std::array<Sum128, 2> sums{payload_sum(as_bytes(first)), payload_sum(as_bytes(other))};
  CHECK_OK(verify_payload(as_bytes(first), first.size(), sums[0]));
  CHECK_ERR(verify_payload(as_bytes(first), first.size(), sums[1]), Errc::corrupt);
  CHECK_ERR(verify_payload(as_bytes(first), first.size() + 1, sums[0]), Errc::corrupt);
  const std::array<Sum128, 2> swapped{sums[1], sums[0]};
  CHECK(table_sum(sums.data(), 2) != table_sum(swapped.data(), 2));
  CHECK(table_sum(sums.data(), 2) != table_sum(sums.data(), 1));
}

}  // namespace
}  // namespace mote::erasure
