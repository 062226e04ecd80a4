#include <doctest/doctest.h>

#include "erasure/meta/row_batch.h"
#include "tests/erasure/meta/record_samples.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

using test::random_checksum;
using test::random_seq;
using test::random_text;

// Every flipped bit and every cut of a record without payload is corrupt.
template <class Decode>
void check_damage(std::string row, Decode decode) {
  REQUIRE_OK(decode(as_bytes(row)));
  for (std::size_t bit = 0; bit < row.size() * 8; ++bit) {
    char& byte = row[bit / 8];
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    CAPTURE(bit);
    REQUIRE_ERR(decode(as_bytes(row)), Errc::corrupt);
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
  }
  for (std::size_t length = 0; length < row.size(); ++length) {
    const std::vector<std::byte> cut(as_bytes(row).begin(),
                                     as_bytes(row).begin() + static_cast<std::ptrdiff_t>(length));
    REQUIRE_ERR(decode(cut), Errc::corrupt);
  }
  REQUIRE_ERR(decode(as_bytes(row + 'x')), Errc::corrupt);
}

Layout random_layout(Rng& rng) {
  Layout layout;
  layout.geometry = test::random_geometry(rng);
  layout.start = static_cast<std::uint8_t>(rng.below(layout.geometry.shards()));
  layout.set_id = static_cast<std::uint16_t>(rng.next());
  return layout;
}

UploadRecord random_upload(Rng& rng) {
  UploadRecord upload;
  upload.layout = random_layout(rng);
  upload.created_ms = static_cast<std::int64_t>(rng.next());
  rng.fill(upload.upload);
  upload.key = random_text(rng, 1 + rng.below(100));
  upload.checksum = static_cast<ChecksumKind>(rng.below(11));
  upload.checksum_full_object = rng.below(2) == 1;
  upload.owner = random_text(rng, rng.below(40));
  upload.attributes = {random_text(rng, 50), random_text(rng, 10), random_text(rng, 3)};
  return upload;
}

TEST_CASE("upload record: round trip and damage") {
  MOTE_SEEDED_RNG(rng);
  for (int round = 0; round < 300; ++round) {
    const UploadRecord upload = random_upload(rng);
    const CommitSeq seq = random_seq(rng);
    const auto got = decode_upload(as_bytes(encode_upload(upload, seq)));
    REQUIRE_OK(got);
    CHECK(got->layout == upload.layout);
    CHECK(got->seq == seq);
    CHECK(got->created_ms == upload.created_ms);
    CHECK(got->upload == upload.upload);
    CHECK(got->key == upload.key);
    CHECK(got->checksum == upload.checksum);
    CHECK(got->checksum_full_object == upload.checksum_full_object);
    CHECK(got->owner == upload.owner);
    CHECK(got->attributes.headers == upload.attributes.headers);
    CHECK(got->attributes.tags == upload.attributes.tags);
    CHECK(got->attributes.private_ == upload.attributes.private_);
  }
  check_damage(encode_upload(random_upload(rng), {1, 1}), decode_upload);
}

struct PartSample {
  PartRecord part;
  LocalPart local;
};

PartSample random_part(Rng& rng, std::uint64_t bytes) {
  PartSample sample;
  PartRecord& part = sample.part;
  part.layout = random_layout(rng);
  part.modified_ms = static_cast<std::int64_t>(rng.next());
  rng.fill(part.upload);
  rng.fill(part.etag.md5);
  part.extent.number = static_cast<std::uint16_t>(1 + rng.below(10'000));
  part.extent.bytes = bytes;
  part.extent.place = part.layout.geometry.place(bytes, {0, 65536});
  part.extent.data_seq = random_seq(rng);
  part.extent.checksum = random_checksum(rng);
  sample.local.shard_index = static_cast<std::uint8_t>(rng.below(part.layout.geometry.shards()));
  sample.local.extents.push_back(test::random_local(rng, part.extent, part.layout.geometry));
  return sample;
}

TEST_CASE("part record: round trip and damage, empty, small and large parts") {
  MOTE_SEEDED_RNG(rng);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, 5 * kMiB, 5 * kGiB}) {
    const PartSample sample = random_part(rng, bytes);
    const CommitSeq seq = random_seq(rng);
    const std::string row = encode_part(sample.part, sample.local, seq);
    const auto got = decode_part(as_bytes(row));
    REQUIRE_OK(got);
    CHECK(got->part.layout == sample.part.layout);
    CHECK(got->part.seq == seq);
    CHECK(got->part.modified_ms == sample.part.modified_ms);
    CHECK(got->part.upload == sample.part.upload);
    CHECK(got->part.etag == sample.part.etag);
    CHECK(got->part.extent == sample.part.extent);
    CHECK(got->local == sample.local);
    check_damage(row, decode_part);
  }
}

TEST_CASE("part record: becomes an extent of the object without being bound again") {
  MOTE_SEEDED_RNG(rng);
  PartSample sample = random_part(rng, 70 * kMiB);
  sample.part.extent.data_seq = {};
  const Sum128 unbound = sample.local.extents[0].sum;
  const CommitSeq written{2, 5};
  const auto part = decode_part(as_bytes(encode_part(sample.part, sample.local, written)));
  REQUIRE_OK(part);
  CHECK(part->part.extent.data_seq == written);
  CHECK(part->local.extents[0].sum == bind_sum(unbound, binding(written, part->local.shard_index),
                                               part->part.layout.geometry.shard_total(70 * kMiB)));

  ObjectRecord object;
  object.layout = part->part.layout;
  object.multipart = true;
  object.bytes = 70 * kMiB;
  object.extents.push_back(part->part.extent);
  const CommitSeq completed{2, 9};
  const auto got = decode_record(as_bytes(encode_record(object, part->local, completed)));
  REQUIRE_OK(got);
  CHECK(got->record.data_seq == completed);
  CHECK(got->record.extents[0].data_seq == written);
  CHECK(got->local == part->local);
}

TEST_CASE("bucket record: round trip and damage") {
  MOTE_SEEDED_RNG(rng);
  BucketRecord bucket;
  bucket.state = BucketState::deleting;
  bucket.info.name = "a-bucket";
  bucket.info.id = rng.next();
  bucket.info.revision = rng.next();
  bucket.info.created_ms = 1'790'000'000'000;
  bucket.info.versioning = Versioning::suspended;
  bucket.info.owner = "owner";
  bucket.info.region = "eu-central-1";
  bucket.info.documents = {{"cors", "<CORS/>"}, {"tagging", ""}};
  const std::string row = encode_bucket(bucket, {1, 4});
  const auto got = decode_bucket(as_bytes(row));
  REQUIRE_OK(got);
  CHECK(got->seq == CommitSeq{1, 4});
  CHECK(got->state == bucket.state);
  CHECK(got->info.name == bucket.info.name);
  CHECK(got->info.id == bucket.info.id);
  CHECK(got->info.revision == bucket.info.revision);
  CHECK(got->info.created_ms == bucket.info.created_ms);
  CHECK(got->info.versioning == bucket.info.versioning);
  CHECK(got->info.owner == bucket.info.owner);
  CHECK(got->info.region == bucket.info.region);
  CHECK(got->info.documents == bucket.info.documents);
  check_damage(row, decode_bucket);
}

TEST_CASE("garbage record: round trip and damage") {
  const std::string row = encode_garbage({77, 4096});
  const auto got = decode_garbage(as_bytes(row));
  REQUIRE_OK(got);
  CHECK(got->dirno == 77);
  CHECK(got->bytes == 4096);
  check_damage(row, decode_garbage);
}

TEST_CASE("row batch: rows come back in order, values in two pieces as one") {
  RowBatch batch;
  CHECK(batch.empty());
  batch.put(Family::obj, "k1", "v1");
  batch.put(Family::pay, std::string("\0k2", 3), "head", as_bytes("tail"));
  batch.erase(Family::gc, "k3");
  batch.put(Family::sys, "", "");
  std::vector<std::string> seen;
  const auto status = RowBatch::visit(
      as_bytes(batch.encoded()),
      [&](Family family, std::string_view key, std::string_view value) {
        seen.push_back(std::to_string(static_cast<int>(family)) + "+" + std::string(key) + "=" +
                       std::string(value));
      },
      [&](Family family, std::string_view key) {
        seen.push_back(std::to_string(static_cast<int>(family)) + "-" + std::string(key));
      });
  CHECK_OK(status);
  CHECK(seen ==
        std::vector<std::string>{"1+k1=v1", std::string("3+\0k2=headtail", 14), "5-k3", "0+="});
}

TEST_CASE("row batch: cut anywhere inside a row is corrupt, wrong kinds and families too") {
  RowBatch batch;
  batch.put(Family::obj, "key", "value");
  const auto visit = [](std::string_view bytes) {
    const std::vector<std::byte> exact(as_bytes(bytes).begin(), as_bytes(bytes).end());
    return RowBatch::visit(
        exact, [](Family, std::string_view, std::string_view) {}, [](Family, std::string_view) {});
  };
  for (std::size_t length = 1; length < batch.encoded().size(); ++length) {
    CHECK_ERR(visit(std::string_view(batch.encoded()).substr(0, length)), Errc::corrupt);
  }
  std::string bad = batch.encoded();
  bad[0] = 3;
  CHECK_ERR(visit(bad), Errc::corrupt);
  bad[0] = 1;
  bad[1] = 6;
  CHECK_ERR(visit(bad), Errc::corrupt);
  CHECK_OK(visit(""));
}

}  // namespace
}  // namespace mote::erasure
