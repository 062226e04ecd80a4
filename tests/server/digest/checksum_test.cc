#include "server/digest/checksum.h"

#include <algorithm>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <xxhash.h>

#include "server/digest/encoding.h"
#include "tests/server/digest/test_seed.h"

namespace mote::digest {
namespace {

struct Row {
  ChecksumAlgorithm algorithm;
  std::string_view name;
  std::string_view header;
  std::string_view hex;  // of "123456789"
};

// CRCs: reveng catalogue. Hashes: coreutils. XXH3: see the next test case.
constexpr Row kRows[] = {
    {ChecksumAlgorithm::crc32, "CRC32", "x-amz-checksum-crc32", "cbf43926"},
    {ChecksumAlgorithm::crc32c, "CRC32C", "x-amz-checksum-crc32c", "e3069283"},
    {ChecksumAlgorithm::crc64nvme, "CRC64NVME", "x-amz-checksum-crc64nvme", "ae8b14860a799888"},
    {ChecksumAlgorithm::sha1, "SHA1", "x-amz-checksum-sha1",
     "f7c3bc1d808e04732adf679965ccc34ca7ae3441"},
    {ChecksumAlgorithm::sha256, "SHA256", "x-amz-checksum-sha256",
     "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"},
    {ChecksumAlgorithm::sha512, "SHA512", "x-amz-checksum-sha512",
     "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274ad27fcd5811b313d681f7e55ec02d7"
     "3d499c95455b6b5bb503acf574fb"
     "a8ffe85"},
    {ChecksumAlgorithm::md5, "MD5", "x-amz-checksum-md5", "25f9e794323b453885f5181f1b624d0b"},
    {ChecksumAlgorithm::xxhash64, "XXHASH64", "x-amz-checksum-xxhash64", "8cb841db40e6ae83"},
    {ChecksumAlgorithm::xxhash3, "XXHASH3", "x-amz-checksum-xxhash3", ""},
    {ChecksumAlgorithm::xxhash128, "XXHASH128", "x-amz-checksum-xxhash128", ""},
};

TEST_CASE("checksum: values and spellings of all ten") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const ChecksumValue value = Checksum::of(row.algorithm, as_bytes("123456789"));
    if (!row.hex.empty()) {
      CHECK(to_hex(value.bytes()) == row.hex);
    }
    CHECK(name(row.algorithm) == row.name);
    CHECK(header_name(row.algorithm) == row.header);
    CHECK(element_name(row.algorithm) == "Checksum" + std::string(row.name));
    CHECK(parse_checksum_algorithm(row.name) == row.algorithm);
    CHECK(checksum_header(row.header) == row.algorithm);
    CHECK(ChecksumValue::from_base64(row.algorithm, value.base64()) == value);
    CHECK_FALSE(ChecksumValue::from_base64(row.algorithm, value.base64() + "AAAA"));
    CHECK_FALSE(ChecksumValue::from_base64(row.algorithm, ""));
  }
}

TEST_CASE("checksum: xxHash of nothing, and in the canonical byte order of its specification") {
  CHECK(to_hex(Checksum::of(ChecksumAlgorithm::xxhash64, {}).bytes()) == "ef46db3751d8e999");
  CHECK(to_hex(Checksum::of(ChecksumAlgorithm::xxhash3, {}).bytes()) == "2d06800538d394c2");
  CHECK(to_hex(Checksum::of(ChecksumAlgorithm::xxhash128, {}).bytes()) ==
        "99aa06d3014798d86001c324468d497f");

  const std::string_view text = "123456789";
  XXH64_canonical_t canonical64;
  XXH64_canonicalFromHash(&canonical64, XXH3_64bits(text.data(), text.size()));
  CHECK(std::ranges::equal(Checksum::of(ChecksumAlgorithm::xxhash3, as_bytes(text)).bytes(),
                           std::as_bytes(std::span(canonical64.digest))));
  XXH128_canonical_t canonical128;
  XXH128_canonicalFromHash(&canonical128, XXH3_128bits(text.data(), text.size()));
  CHECK(std::ranges::equal(Checksum::of(ChecksumAlgorithm::xxhash128, as_bytes(text)).bytes(),
                           std::as_bytes(std::span(canonical128.digest))));
}

TEST_CASE("checksum: names are blind to case and nothing else") {
  CHECK(parse_checksum_algorithm("crc64nvme") == ChecksumAlgorithm::crc64nvme);
  CHECK(checksum_header("X-Amz-Checksum-SHA256") == ChecksumAlgorithm::sha256);
  CHECK_FALSE(parse_checksum_algorithm("CRC16"));
  CHECK_FALSE(parse_checksum_algorithm(""));
  CHECK_FALSE(checksum_header("x-amz-checksum-algorithm"));
  CHECK_FALSE(checksum_header("x-amz-checksum-crc32 "));
}

TEST_CASE("checksum: any split gives the same value, moved objects go on") {
  std::mt19937_64 rng(test_seed());
  std::string text(3000, '\0');
  for (char& c : text) {
    c = static_cast<char>(rng());
  }
  for (const ChecksumAlgorithm algorithm : kChecksumAlgorithms) {
    CAPTURE(name(algorithm));
    const ChecksumValue whole = Checksum::of(algorithm, as_bytes(text));
    for (int round = 0; round < 20; ++round) {
      Checksum first(algorithm);
      const std::size_t cut = rng() % text.size();
      first.update(as_bytes(text).first(cut));
      Checksum second = std::move(first);
      second.update(as_bytes(text).subspan(cut));
      CHECK(second.finish() == whole);
    }
  }
}

TEST_CASE("checksum: full-object CRCs combine from parts, of any sizes, none included") {
  std::mt19937_64 rng(test_seed());
  for (const ChecksumAlgorithm algorithm :
       {ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc64nvme}) {
    CHECK(combines(algorithm));
    std::string whole;
    std::vector<PartChecksum> parts;
    for (int part = 0; part < 9; ++part) {
      std::string bytes(part == 4 ? 0 : rng() % 2000, '\0');
      for (char& c : bytes) {
        c = static_cast<char>(rng());
      }
      whole += bytes;
      parts.push_back({Checksum::of(algorithm, as_bytes(bytes)), bytes.size()});
    }
    CHECK(full_object_checksum(algorithm, parts) == Checksum::of(algorithm, as_bytes(whole)));
    CHECK(full_object_checksum(algorithm, {}) == Checksum::of(algorithm, {}));
  }
  CHECK_FALSE(combines(ChecksumAlgorithm::sha1));
  CHECK_FALSE(combines(ChecksumAlgorithm::xxhash64));
}

TEST_CASE("checksum: a composite is the checksum of the raw part values") {
  for (const ChecksumAlgorithm algorithm : kChecksumAlgorithms) {
    const PartChecksum a{Checksum::of(algorithm, as_bytes("one")), 3};
    const PartChecksum b{Checksum::of(algorithm, as_bytes("three")), 5};
    std::string raw(as_text(a.value.bytes()));
    raw.append(as_text(b.value.bytes()));
    const std::vector<PartChecksum> parts{a, b};
    CHECK(composite_checksum(algorithm, parts) == Checksum::of(algorithm, as_bytes(raw)));
  }
}

}  // namespace
}  // namespace mote::digest
