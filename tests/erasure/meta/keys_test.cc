#include "erasure/meta/keys.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/rng.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

// Keys out of few bytes, the awkward ones, so that prefixes and neighbours are common.
std::string random_key(Rng& rng) {
  static constexpr std::string_view kBytes("\x00\x01\xff/a\xfe", 6);
  std::string key;
  const std::uint64_t length = 1 + rng.below(5);
  for (std::uint64_t i = 0; i < length; ++i) {
    key.push_back(kBytes[rng.below(kBytes.size())]);
  }
  return key;
}

TEST_CASE("keys: object rows are ordered as S3 orders keys") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 20'000; ++round) {
    const std::string a = random_key(rng);
    const std::string b = random_key(rng);
    REQUIRE((a < b) == (object_row(9, a) < object_row(9, b)));
    REQUIRE(object_row(9, a) < object_row(10, b));
    REQUIRE(object_row(9, a) >= bucket_rows(9));
    REQUIRE(object_row(9, a) < prefix_end(bucket_rows(9)));
  }
}

TEST_CASE("keys: version and upload rows keep S3's order and keep each key's rows together") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 20'000; ++round) {
    const std::string a = random_key(rng);
    const std::string b = random_key(rng);
    if (a == b) {
      continue;
    }
    const CommitSeq any{static_cast<std::uint32_t>(rng.next()), rng.next()};
    const CommitSeq other{static_cast<std::uint32_t>(rng.next()), rng.next()};
    REQUIRE((a < b) == (version_row(9, a, any) < version_row(9, b, other)));
    UploadId upload{};
    rng.fill(upload);
    REQUIRE((a < b) == (part_row(9, a, upload, 3) < upload_row(9, b, UploadId{})));
    const std::string row = version_row(9, a, any);
    REQUIRE(row >= version_rows(9, a));
    REQUIRE(row < prefix_end(version_rows(9, a)));
    const bool inside = row >= version_rows(9, b) && row < prefix_end(version_rows(9, b));
    REQUIRE_FALSE(inside);
  }
}

TEST_CASE("keys: versions of one key come newest first, by sequence") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 1000; ++round) {
    const CommitSeq a{static_cast<std::uint32_t>(rng.below(3)), rng.below(300)};
    const CommitSeq b{static_cast<std::uint32_t>(rng.below(3)), rng.below(300)};
    REQUIRE((a > b) == (version_row(1, "k", a) < version_row(1, "k", b)));
    REQUIRE((a < b) == (payload_row(a, 7) < payload_row(b, 0)));
    REQUIRE((a < b) == (garbage_row(a, Uuid{std::byte{9}}) < garbage_row(b, Uuid{})));
  }
}

TEST_CASE("keys: prefix bounds select exactly the keys with the prefix") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 20'000; ++round) {
    const std::string key = random_key(rng);
    const std::string prefix = random_key(rng);
    const bool wanted = std::string_view(key).substr(0, prefix.size()) == prefix;
    const std::string lower = object_row(3, prefix);
    const std::string row = object_row(3, key);
    REQUIRE((row >= lower && row < prefix_end(lower)) == wanted);
    const std::string escaped = escaped_prefix(3, prefix);
    const std::string version = version_row(3, key, {1, 1});
    REQUIRE((version >= escaped && version < prefix_end(escaped)) == wanted);
  }
  CHECK(prefix_end("").empty());
  CHECK(prefix_end("\xff\xff").empty());
  CHECK(prefix_end("a\xff") == "b");
}

TEST_CASE("keys: what is built is parsed") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t bucket = rng.next();
    const std::string key = random_key(rng);
    const CommitSeq seq{static_cast<std::uint32_t>(rng.next()), rng.next()};
    UploadId upload{};
    rng.fill(upload);
    const auto number = static_cast<std::uint16_t>(rng.next());
    const auto index = static_cast<std::uint32_t>(rng.next());

    const std::string object_bytes = object_row(bucket, key);
    const auto object = parse_object_row(object_bytes);
    REQUIRE(object);
    CHECK((object->bucket_id == bucket && object->key == key));
    const auto version = parse_version_row(version_row(bucket, key, seq));
    REQUIRE(version);
    CHECK((version->bucket_id == bucket && version->key == key && version->seq == seq));
    const auto payload = parse_payload_row(payload_row(seq, index));
    REQUIRE(payload);
    CHECK((payload->data_seq == seq && payload->index == index));
    const auto session = parse_upload_row(upload_row(bucket, key, upload));
    REQUIRE(session);
    CHECK((session->bucket_id == bucket && session->key == key && session->upload == upload &&
           !session->part));
    const auto part = parse_upload_row(part_row(bucket, key, upload, number));
    REQUIRE(part);
    CHECK((part->key == key && part->upload == upload && part->part == number));
    const auto garbage = parse_garbage_row(garbage_row(seq, upload));
    REQUIRE(garbage);
    CHECK((garbage->seq == seq && garbage->file == upload));
  }
  CHECK(parse_bucket_row(bucket_row("b")) == "b");
}

TEST_CASE("keys: rows that no function makes are refused, random bytes never crash") {
  CHECK_FALSE(parse_object_row("applied"));
  CHECK_FALSE(parse_object_row("12345678"));
  CHECK_FALSE(parse_version_row("12345678key"));
  CHECK_FALSE(parse_version_row(version_rows(1, "key")));
  CHECK_FALSE(parse_version_row(version_row(1, "key", {}) + "x"));
  CHECK_FALSE(parse_version_row(version_row(1, "", {})));
  CHECK_FALSE(parse_version_row(std::string("12345678a\0\x02", 11)));
  CHECK_FALSE(parse_version_row(std::string("12345678a\0", 10)));
  CHECK_FALSE(parse_payload_row("applied"));
  CHECK_FALSE(parse_upload_row(upload_rows(1, "key") + "short"));
  CHECK_FALSE(parse_garbage_row("applied"));
  CHECK_FALSE(parse_bucket_row("s/cfg"));
  CHECK_FALSE(parse_bucket_row("b/"));
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = random_key(rng) + random_key(rng) + random_key(rng) + random_key(rng);
    bytes.resize(rng.below(bytes.size() + 30), '\0');
    if (const auto version = parse_version_row(bytes)) {
      CHECK(version_row(version->bucket_id, version->key, version->seq) == bytes);
    }
    if (const auto upload = parse_upload_row(bytes)) {
      CHECK((upload->part ? part_row(upload->bucket_id, upload->key, upload->upload, *upload->part)
                          : upload_row(upload->bucket_id, upload->key, upload->upload)) == bytes);
    }
  }
}

}  // namespace
}  // namespace mote::erasure
