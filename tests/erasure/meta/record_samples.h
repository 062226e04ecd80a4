#pragma once

#include "erasure/base/rng.h"
#include "erasure/meta/record_codec.h"

namespace mote::erasure::test {

inline std::string random_text(Rng& rng, std::size_t count) {
  std::string text(count, '\0');
  rng.fill(std::as_writable_bytes(std::span(text)));
  return text;
}

inline CommitSeq random_seq(Rng& rng) {
  return {static_cast<std::uint32_t>(rng.next() % 1000 + 1), rng.next() >> 20};
}

inline StoredChecksum random_checksum(Rng& rng) {
  StoredChecksum checksum;
  checksum.kind = static_cast<ChecksumKind>(rng.below(11));
  if (checksum.kind != ChecksumKind::none) {
    checksum.composite = rng.below(2) == 1;
    checksum.value = random_text(rng, 1 + rng.below(64));
  }
  return checksum;
}

inline Geometry random_geometry(Rng& rng) {
  Geometry geometry;
  geometry.k = static_cast<std::uint8_t>(1 + rng.below(16));
  geometry.m = static_cast<std::uint8_t>(
      rng.below(std::min<std::uint64_t>(geometry.k, kShardsMax - geometry.k) + 1));
  return geometry;
}

/// A record, this drive's part of it, and the payload that goes behind it.
struct Sample {
  ObjectRecord record;
  LocalPart local;
  std::string payload;
};

inline LocalExtent random_local(Rng& rng, const Extent& extent, const Geometry& geometry) {
  LocalExtent local;
  if (extent.place == ShardPlace::none) {
    return local;
  }
  rng.fill(local.sum);
  if (extent.place == ShardPlace::file) {
    local.file = rng.uuid();
    local.dirno = rng.next();
    if (!geometry.has_trailer(extent.bytes)) {
      local.stripe_sums.resize(geometry.stripe_count(extent.bytes));
      for (Sum128& sum : local.stripe_sums) {
        rng.fill(sum);
      }
    }
  }
  return local;
}

inline void add_extent(Rng& rng, Sample& sample, std::uint16_t number, std::uint64_t bytes) {
  const Geometry& geometry = sample.record.layout.geometry;
  Extent extent;
  extent.number = number;
  extent.bytes = bytes;
  extent.place = geometry.place(bytes, StorageBorders{});
  if (extent.place == ShardPlace::record && number > 0) {
    extent.place = ShardPlace::pay;
  }
  extent.pay_index = static_cast<std::uint32_t>(rng.next());
  extent.data_seq = random_seq(rng);
  extent.checksum = number > 0 ? random_checksum(rng) : StoredChecksum{};
  sample.local.extents.push_back(random_local(rng, extent, geometry));
  sample.record.bytes += bytes;
  if (extent.place == ShardPlace::record) {
    sample.payload = random_text(rng, geometry.shard_bytes(bytes));
  }
  sample.record.extents.push_back(std::move(extent));
}

inline std::uint64_t random_size(Rng& rng) {
  switch (rng.below(5)) {
    case 0:
      return 1 + rng.below(4096);
    case 1:
      return 1 + rng.below(70'000);
    case 2:
      return 1 + rng.below(2 * kMiB);
    case 3:
      return kRecordSumsMax * kMiB + rng.below(3);
    default:
      return 1 + rng.below(std::uint64_t{1} << 40);
  }
}

inline Sample random_sample(Rng& rng) {
  Sample sample;
  ObjectRecord& record = sample.record;
  record.layout.geometry = random_geometry(rng);
  const unsigned shards = record.layout.geometry.shards();
  record.layout.start = static_cast<std::uint8_t>(rng.below(shards));
  record.layout.set_id = static_cast<std::uint16_t>(rng.next());
  sample.local.shard_index = static_cast<std::uint8_t>(rng.below(shards));
  record.versioned = rng.below(2) == 1;
  record.modified_ms = static_cast<std::int64_t>(rng.next());
  record.data_seq = random_seq(rng);
  rng.fill(record.version);
  rng.fill(record.etag.md5);
  record.checksum = random_checksum(rng);
  record.attributes.headers = random_text(rng, rng.below(300));
  record.attributes.tags = random_text(rng, rng.below(50));
  record.attributes.private_ = random_text(rng, rng.below(50));
  switch (rng.below(5)) {
    case 0:
      record.delete_marker = true;
      break;
    case 1:
      record.tombstone = true;
      break;
    case 2: {
      record.multipart = true;
      record.etag.parts = static_cast<std::uint16_t>(1 + rng.below(8));
      for (std::uint16_t i = 1; i <= record.etag.parts; ++i) {
        const bool empty = i == record.etag.parts && rng.below(4) == 0;
        add_extent(rng, sample, static_cast<std::uint16_t>(i * 3), empty ? 0 : random_size(rng));
      }
      break;
    }
    case 3:
      break;  // an empty object
    default:
      add_extent(rng, sample, 0, random_size(rng));
      break;
  }
  return sample;
}

/// The row as it is in the index.
inline std::string row_of(const Sample& sample, CommitSeq seq) {
  return encode_record(sample.record, sample.local, seq) + sample.payload;
}

}  // namespace mote::erasure::test
