#include "erasure/meta/drive_label.h"

#include <vector>

#include <doctest/doctest.h>
#include <xxhash.h>

#include "erasure/base/rng.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

DriveLabel sample(Rng& rng) {
  DriveLabel label;
  label.deployment = rng.uuid();
  label.drive = rng.uuid();
  label.set_id = 3;
  label.slot = 5;
  label.k = 4;
  label.m = 2;
  label.features.compatible = 0xf0;
  label.was_mount_point = true;
  label.formatted_ms = 1'790'000'000'000;
  return label;
}

// The same label with one byte set and its checksum made right.
std::string forged(std::string bytes, std::size_t at, std::uint8_t value) {
  bytes[at] = static_cast<char>(value);
  const std::uint64_t sum = XXH3_64bits(bytes.data(), bytes.size() - 8);
  std::memcpy(bytes.data() + bytes.size() - 8, &sum, sizeof sum);
  return bytes;
}

TEST_CASE("drive label: round trip") {
  MOTE_SEEDED_RNG(rng);
  const DriveLabel label = sample(rng);
  const auto got = decode_label(as_bytes(encode_label(label)));
  REQUIRE_OK(got);
  CHECK(*got == label);
}

TEST_CASE("drive label: every flipped bit, every cut and any more bytes are corrupt") {
  MOTE_SEEDED_RNG(rng);
  std::string bytes = encode_label(sample(rng));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE_ERR(decode_label(as_bytes(bytes)), Errc::corrupt);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> cut(as_bytes(bytes).begin(),
                                     as_bytes(bytes).begin() + static_cast<std::ptrdiff_t>(length));
    REQUIRE_ERR(decode_label(cut), Errc::corrupt);
  }
  CHECK_ERR(decode_label(as_bytes(bytes + 'x')), Errc::corrupt);
}

TEST_CASE("drive label: newer versions and unknown features are refused by name") {
  MOTE_SEEDED_RNG(rng);
  DriveLabel label = sample(rng);
  const std::string bytes = encode_label(label);
  CHECK_ERR(decode_label(as_bytes(forged(bytes, 8, 2))), Errc::unsupported);
  CHECK_OK(decode_label(as_bytes(forged(bytes, 10, 1))));
  label.features.incompatible = 1;
  CHECK_ERR(decode_label(as_bytes(encode_label(label))), Errc::unsupported);
  label.features.incompatible = 0;
  label.features.read_only = 1;
  CHECK_OK(decode_label(as_bytes(encode_label(label))));
}

TEST_CASE("drive label: a slot outside the set or an impossible k+m is corrupt") {
  MOTE_SEEDED_RNG(rng);
  DriveLabel label = sample(rng);
  label.slot = 6;
  CHECK_ERR(decode_label(as_bytes(encode_label(label))), Errc::corrupt);
  label.slot = 0;
  label.m = 5;
  CHECK_ERR(decode_label(as_bytes(encode_label(label))), Errc::corrupt);
}

}  // namespace
}  // namespace mote::erasure
