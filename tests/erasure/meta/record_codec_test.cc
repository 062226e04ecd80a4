#include "erasure/meta/record_codec.h"

#include <doctest/doctest.h>
#include <xxhash.h>

#include "erasure/meta/record_sections.h"
#include "tests/erasure/meta/record_samples.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

using test::add_extent;
using test::random_sample;
using test::random_seq;
using test::row_of;
using test::Sample;

void check_same(const ObjectRecord& got, const ObjectRecord& want, CommitSeq seq) {
  CHECK(got.delete_marker == want.delete_marker);
  CHECK(got.tombstone == want.tombstone);
  CHECK(got.versioned == want.versioned);
  CHECK(got.multipart == want.multipart);
  CHECK(got.layout == want.layout);
  CHECK(got.bytes == want.bytes);
  CHECK(got.modified_ms == want.modified_ms);
  CHECK(got.seq == seq);
  CHECK(got.data_seq == want.data_seq);
  CHECK(got.version == want.version);
  CHECK(got.etag == want.etag);
  CHECK(got.checksum == want.checksum);
  CHECK(got.attributes.headers == want.attributes.headers);
  CHECK(got.attributes.tags == want.attributes.tags);
  CHECK(got.attributes.private_ == want.attributes.private_);
  CHECK(got.extents == want.extents);
}

Sample small_object() {
  Sample sample;
  sample.record.layout.geometry = {4, 2};
  sample.record.layout.start = 1;
  sample.record.modified_ms = 1'790'000'000'000;
  sample.record.attributes.headers = "Content-Type: text/plain\r\n";
  Extent extent;
  extent.bytes = 10;
  sample.record.bytes = 10;
  sample.record.extents.push_back(extent);
  sample.local.shard_index = 2;
  sample.payload = "abc";
  sample.local.extents.push_back({payload_sum(as_bytes(sample.payload)), {}, 0, {}});
  return sample;
}

TEST_CASE("record: what is encoded is decoded, random records") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 2000; ++round) {
    const Sample sample = random_sample(rng);
    const CommitSeq seq = random_seq(rng);
    const std::string row = row_of(sample, seq);
    const auto decoded = decode_record(as_bytes(row));
    REQUIRE_OK(decoded);
    check_same(decoded->record, sample.record, seq);
    CHECK(decoded->local == sample.local);
    CHECK(as_text(decoded->payload) == sample.payload);
    const auto head = decode_record_head(as_bytes(row));
    REQUIRE_OK(head);
    check_same(*head, sample.record, seq);
  }
}

TEST_CASE("record: a peek says what the record says") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 500; ++round) {
    const Sample sample = random_sample(rng);
    const CommitSeq seq = random_seq(rng);
    const std::string row = row_of(sample, seq);
    const auto peek = peek_record(as_bytes(row));
    REQUIRE_OK(peek);
    CHECK(peek->delete_marker == sample.record.delete_marker);
    CHECK(peek->tombstone == sample.record.tombstone);
    CHECK(peek->versioned == sample.record.versioned);
    CHECK(peek->bytes == sample.record.bytes);
    CHECK(peek->modified_ms == sample.record.modified_ms);
    CHECK(peek->seq == seq);
    CHECK(peek->data_seq == sample.record.data_seq);
    CHECK(peek->version == sample.record.version);
    CHECK(peek->etag == sample.record.etag);
  }
}

TEST_CASE("record: new bytes get the sequence they are encoded for, and a sum bound to it") {
  const Sample sample = small_object();
  const CommitSeq seq{3, 99};
  const auto decoded = decode_record(as_bytes(row_of(sample, seq)));
  REQUIRE_OK(decoded);
  CHECK(decoded->record.seq == seq);
  CHECK(decoded->record.data_seq == seq);
  CHECK(decoded->record.extents[0].data_seq == seq);
  const Sum128& sum = decoded->local.extents[0].sum;
  CHECK_OK(verify_shard(as_bytes(sample.payload), 3, binding(seq, 2), sum));
  CHECK_ERR(verify_shard(as_bytes(sample.payload), 3, binding(seq.next(), 2), sum), Errc::corrupt);
  CHECK_ERR(verify_shard(as_bytes(sample.payload), 3, binding(seq, 1), sum), Errc::corrupt);
}

TEST_CASE("record: a tag change keeps the bytes' commit and their sums") {
  const Sample sample = small_object();
  const CommitSeq first{3, 99};
  const std::string row = row_of(sample, first);
  auto decoded = decode_record(as_bytes(row));
  REQUIRE_OK(decoded);
  decoded->record.attributes.tags = "a=b";
  const CommitSeq second{4, 1};
  const std::string changed =
      encode_record(decoded->record, decoded->local, second) + sample.payload;
  const auto again = decode_record(as_bytes(changed));
  REQUIRE_OK(again);
  CHECK(again->record.seq == second);
  CHECK(again->record.data_seq == first);
  CHECK(again->record.extents[0].data_seq == first);
  CHECK(again->local == decoded->local);
  CHECK_OK(verify_shard(again->payload, 3, binding(first, 2), again->local.extents[0].sum));
}

TEST_CASE("record: drives agree on the common bytes whatever is their own") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 200; ++round) {
    Sample sample = random_sample(rng);
    const CommitSeq seq = random_seq(rng);
    const std::string one = row_of(sample, seq);
    for (LocalExtent& extent : sample.local.extents) {
      rng.fill(extent.sum);
      extent.dirno = rng.next();
    }
    sample.local.shard_index = 0;
    const std::string other = row_of(sample, seq);
    const auto left = common_bytes(as_bytes(one));
    const auto right = common_bytes(as_bytes(other));
    REQUIRE_OK(left);
    REQUIRE_OK(right);
    CHECK(as_text(*left) == as_text(*right));
    const std::string later = row_of(sample, seq.next());
    CHECK(as_text(*common_bytes(as_bytes(later))) != as_text(*left));
  }
  CHECK_ERR(common_bytes(as_bytes("short")), Errc::corrupt);
}

TEST_CASE("record: to_object_head loses nothing that clients may see") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 300; ++round) {
    const Sample sample = random_sample(rng);
    const CommitSeq seq = random_seq(rng);
    const auto decoded = decode_record_head(as_bytes(row_of(sample, seq)));
    REQUIRE_OK(decoded);
    const ObjectHead head = to_object_head(*decoded);
    CHECK(head.bytes == sample.record.bytes);
    CHECK(head.modified_ms == sample.record.modified_ms);
    CHECK(head.etag == sample.record.etag);
    CHECK(head.version == sample.record.version);
    CHECK(head.delete_marker == sample.record.delete_marker);
    CHECK(head.versioned == sample.record.versioned);
    CHECK(head.commit == commit_number(seq));
    CHECK(head.checksum == sample.record.checksum);
    CHECK(head.attributes.headers == sample.record.attributes.headers);
    CHECK(head.attributes.tags == sample.record.attributes.tags);
    CHECK(head.attributes.private_ == sample.record.attributes.private_);
    REQUIRE(head.parts.size() == (sample.record.multipart ? sample.record.extents.size() : 0));
    for (std::size_t i = 0; i < head.parts.size(); ++i) {
      CHECK(head.parts[i].number == sample.record.extents[i].number);
      CHECK(head.parts[i].bytes == sample.record.extents[i].bytes);
      CHECK(head.parts[i].checksum == sample.record.extents[i].checksum);
    }
  }
}

TEST_CASE("record: commit numbers are ordered as sequences are") {
  CHECK(commit_number({1, 5}) < commit_number({1, 6}));
  CHECK(commit_number({1, 1'000'000'000'000}) < commit_number({2, 1}));
}

TEST_CASE("record: every bit flip of record and sums is found") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 12; ++round) {
    const Sample sample = random_sample(rng);
    std::string row = row_of(sample, random_seq(rng));
    const std::size_t head = row.size() - sample.payload.size();
    const std::size_t common = common_bytes(as_bytes(row))->size();
    for (std::size_t bit = 0; bit < std::min<std::size_t>(head, 4096) * 8; ++bit) {
      char& byte = row[bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      CAPTURE(bit);
      REQUIRE_ERR(decode_record(as_bytes(row)), Errc::corrupt);
      if (bit / 8 < common) {
        REQUIRE_ERR(decode_record_head(as_bytes(row)), Errc::corrupt);
        REQUIRE_ERR(peek_record(as_bytes(row)), Errc::corrupt);
      }
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    }
  }
}

TEST_CASE("record: cut at any length, or grown, is corrupt") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 12; ++round) {
    const Sample sample = random_sample(rng);
    const std::string row = row_of(sample, random_seq(rng));
    for (std::size_t length = 0; length < row.size(); length += 1 + length / 2048) {
      // an exact-size copy, so that a read past the end is seen by a sanitizer
      const std::vector<std::byte> cut(as_bytes(row).begin(),
                                       as_bytes(row).begin() + static_cast<std::ptrdiff_t>(length));
      REQUIRE_ERR(decode_record(cut), Errc::corrupt);
      REQUIRE_ERR(decode_record_head(cut), Errc::corrupt);
      REQUIRE_ERR(peek_record(cut), Errc::corrupt);
    }
    CHECK_ERR(decode_record(as_bytes(row + '\0')), Errc::corrupt);
  }
}

TEST_CASE("record: the local section of another record does not fit") {
  Sample sample = small_object();
  const std::string one = row_of(sample, {1, 1});
  const std::string other = row_of(sample, {1, 2});
  const std::size_t common = common_bytes(as_bytes(one))->size();
  const std::string mixed = one.substr(0, common) + other.substr(common);
  CHECK_OK(decode_record_head(as_bytes(mixed)));
  CHECK_ERR(decode_record(as_bytes(mixed)), Errc::corrupt);
}

// Sets one field of the common section and makes the hashes right again: a record that a wrong
// program wrote.
std::string forged(std::string row, std::size_t at, std::uint8_t value) {
  const std::size_t common = common_bytes(as_bytes(row))->size();
  row[at] = static_cast<char>(value);
  const std::uint64_t hash = XXH3_64bits(row.data(), common - kHashBytes);
  std::memcpy(row.data() + common - kHashBytes, &hash, sizeof hash);
  std::uint32_t local = 0;
  std::memcpy(&local, row.data() + 12, sizeof local);
  const std::uint64_t chained = XXH3_64bits_withSeed(row.data() + common, local, hash);
  std::memcpy(row.data() + common + local, &chained, sizeof chained);
  return row;
}

TEST_CASE("record: another major version is unsupported, not corrupt; other kinds are corrupt") {
  const std::string row = row_of(small_object(), {1, 1});
  CHECK_OK(decode_record(as_bytes(forged(row, 4, kRecordMajor))));
  CHECK_ERR(decode_record(as_bytes(forged(row, 4, kRecordMajor + 1))), Errc::unsupported);
  CHECK_ERR(decode_record_head(as_bytes(forged(row, 4, 0))), Errc::unsupported);
  CHECK_ERR(decode_record(as_bytes(forged(row, 3, 'P'))), Errc::corrupt);
  CHECK_ERR(decode_record(as_bytes(forged(row, 0, 'x'))), Errc::corrupt);
}

TEST_CASE("record: fields out of range are corrupt although the hashes are right") {
  const std::string row = row_of(small_object(), {1, 1});
  const std::size_t fields = kEnvelopeBytes + 24;  // behind the two sequences
  CHECK_ERR(decode_record(as_bytes(forged(row, fields, 0))), Errc::corrupt);         // k = 0
  CHECK_ERR(decode_record(as_bytes(forged(row, fields + 1, 5))), Errc::corrupt);     // m > k
  CHECK_ERR(decode_record(as_bytes(forged(row, fields + 2, 6))), Errc::corrupt);     // start = k+m
  CHECK_ERR(decode_record(as_bytes(forged(row, fields + 11, 255))), Errc::corrupt);  // stripe size
  CHECK_ERR(decode_record(as_bytes(forged(row, fields + 12, 11))), Errc::corrupt);  // size, extents
  CHECK_ERR(decode_record(as_bytes(forged(row, 6, 1U << 1))),
            Errc::corrupt);                                               // says pay, is inline
  CHECK_ERR(decode_record(as_bytes(forged(row, 7, 1))), Errc::corrupt);   // unknown flag
  CHECK_ERR(decode_record(as_bytes(forged(row, 20, 1))), Errc::corrupt);  // reserved
}

TEST_CASE("record: fields that a newer minor version added are skipped") {
  const Sample sample = small_object();
  std::string row = row_of(sample, {1, 1});
  const std::size_t common = common_bytes(as_bytes(row))->size();
  // four more bytes at the end of the common section
  row.insert(common - kHashBytes, "new!");
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, row.data() + 8, sizeof bytes);
  bytes += 4;
  std::memcpy(row.data() + 8, &bytes, sizeof bytes);
  CHECK_ERR(decode_record(as_bytes(forged(row, 5, kRecordMinor))), Errc::corrupt);
  const std::string newer = forged(row, 5, kRecordMinor + 1);
  const auto decoded = decode_record(as_bytes(newer));
  REQUIRE_OK(decoded);
  CHECK(decoded->record.attributes.headers == sample.record.attributes.headers);
  CHECK(as_text(decoded->payload) == sample.payload);
}

TEST_CASE("record: random bytes never decode and never crash") {
  MOTE_SEEDED_RNG(rng);
  const std::string row = row_of(small_object(), {1, 1});
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = test::random_text(rng, rng.below(300));
    if (round % 2 == 0) {  // a believable start, with the hashes made right
      bytes = row;
      for (int i = 0; i < 3; ++i) {
        bytes = forged(bytes, kEnvelopeBytes + rng.below(common_bytes(as_bytes(row))->size() - 32),
                       static_cast<std::uint8_t>(rng.next()));
      }
    }
    const auto decoded = decode_record(as_bytes(bytes));
    if (decoded) {
      CHECK(decoded->local.extents.size() == decoded->record.extents.size());
    } else {
      CHECK(decoded.error().code == Errc::corrupt);
    }
    (void)decode_part(as_bytes(bytes));
    (void)decode_upload(as_bytes(bytes));
    (void)decode_bucket(as_bytes(bytes));
    (void)decode_garbage(as_bytes(bytes));
  }
}

TEST_CASE("record: stripe sums verify against the bound sum of their table") {
  Layout layout;
  layout.geometry = {2, 1};
  Extent extent;
  extent.place = ShardPlace::file;
  extent.bytes = 3 * kMiB + 1;
  extent.data_seq = {1, 7};
  std::vector<Sum128> sums(4);
  sums[2][5] = std::byte{9};
  LocalExtent local;
  local.sum = bind_sum(table_sum(sums.data(), sums.size()), binding(extent.data_seq, 2),
                       layout.geometry.shard_total(extent.bytes));
  CHECK_OK(verify_stripe_sums(layout, extent, local, 2, sums));
  CHECK_ERR(verify_stripe_sums(layout, extent, local, 1, sums), Errc::corrupt);
  CHECK_ERR(verify_stripe_sums(layout, extent, local, 2, std::span(sums).first(3)), Errc::corrupt);
  extent.data_seq = {1, 8};
  CHECK_ERR(verify_stripe_sums(layout, extent, local, 2, sums), Errc::corrupt);
  extent.data_seq = {1, 7};
  sums[0][0] = std::byte{1};
  CHECK_ERR(verify_stripe_sums(layout, extent, local, 2, sums), Errc::corrupt);
}

}  // namespace
}  // namespace mote::erasure
