#include "erasure/codec/geometry.h"

#include <vector>

#include <doctest/doctest.h>

namespace mote::erasure {
namespace {

std::vector<Geometry> all_geometries() {
  std::vector<Geometry> all;
  for (std::uint8_t k = 1; k <= kShardsMax; ++k) {
    for (std::uint8_t m = 0; m <= k && k + m <= static_cast<int>(kShardsMax); ++m) {
      all.push_back({k, m, kStripeBytes});
    }
  }
  return all;
}

// What the definitions say, byte by byte of nothing: whole stripes, then the rest.
struct Counted {
  std::uint64_t stripes = 0;
  std::uint64_t shard_total = 0;
  std::uint64_t data_end = kShardFileAlign;
};
Counted count(const Geometry& geometry, std::uint64_t object_bytes) {
  Counted out;
  std::uint64_t offset = kShardFileAlign;
  while (object_bytes > 0) {
    const std::uint64_t length = object_bytes < kStripeBytes ? object_bytes : kStripeBytes;
    std::uint64_t shard = length / geometry.k;
    while (shard * geometry.k < length) {
      ++shard;
    }
    ++out.stripes;
    out.shard_total += shard;
    out.data_end = offset + shard;
    offset = out.data_end;
    while (offset % kShardFileAlign != 0) {
      ++offset;
    }
    object_bytes -= length;
  }
  return out;
}

TEST_CASE("geometry: validity ends at 16 shards and at m = k") {
  CHECK(Geometry{1, 0}.valid());
  CHECK(Geometry{16, 0}.valid());
  CHECK(Geometry{8, 8}.valid());
  CHECK_FALSE(Geometry{0, 0}.valid());
  CHECK_FALSE(Geometry{1, 2}.valid());
  CHECK_FALSE(Geometry{9, 8}.valid());
  CHECK_FALSE(Geometry{17, 0}.valid());
  CHECK_FALSE(Geometry{2, 1, 0}.valid());
  CHECK(all_geometries().size() == 80);
}

TEST_CASE("geometry: write quorum is max(k, m+1)") {
  CHECK(Geometry{1, 0}.write_quorum() == 1);
  CHECK(Geometry{1, 1}.write_quorum() == 2);
  CHECK(Geometry{2, 1}.write_quorum() == 2);
  CHECK(Geometry{2, 2}.write_quorum() == 3);
  CHECK(Geometry{12, 4}.write_quorum() == 12);
}

TEST_CASE("geometry: sizes at one below, at and one above every border, for every k+m") {
  const StorageBorders borders;
  for (const Geometry& geometry : all_geometries()) {
    const std::uint64_t k = geometry.k;
    for (const std::uint64_t border :
         {std::uint64_t{1}, k, borders.record_max * k, borders.pay_max * k, 128 * kKiB, kMiB,
          2 * kMiB, kRecordSumsMax * kMiB}) {
      for (const std::uint64_t bytes : {border - 1, border, border + 1}) {
        CAPTURE(geometry.k);
        CAPTURE(geometry.m);
        CAPTURE(bytes);
        const Counted expected = count(geometry, bytes);
        CHECK(geometry.stripe_count(bytes) == expected.stripes);
        CHECK(geometry.shard_total(bytes) == expected.shard_total);
        if (bytes == 0) {
          CHECK(geometry.place(bytes, borders) == ShardPlace::none);
          continue;
        }
        CHECK(geometry.shard_data_end(bytes) == expected.data_end);
        const bool trailer = expected.stripes > kRecordSumsMax;
        CHECK(geometry.has_trailer(bytes) == trailer);
        if (trailer) {
          CHECK(geometry.trailer_offset(bytes) % kShardFileAlign == 0);
          CHECK(geometry.trailer_offset(bytes) >= expected.data_end);
          CHECK(geometry.shard_file_bytes(bytes) ==
                geometry.trailer_offset(bytes) + expected.stripes * 16 + 8);
        } else {
          CHECK(geometry.shard_file_bytes(bytes) == expected.data_end);
        }
      }
    }
  }
}

TEST_CASE("geometry: the place follows the shard's size, exactly at the borders, for every k+m") {
  const StorageBorders borders;
  for (const Geometry& geometry : all_geometries()) {
    CAPTURE(geometry.k);
    const std::uint64_t record_last = borders.record_max * geometry.k;
    const std::uint64_t pay_last = std::min<std::uint64_t>(borders.pay_max * geometry.k, kMiB);
    CHECK(geometry.place(1, borders) == ShardPlace::record);
    CHECK(geometry.place(record_last - 1, borders) == ShardPlace::record);
    CHECK(geometry.place(record_last, borders) == ShardPlace::record);
    CHECK(geometry.place(record_last + 1, borders) == ShardPlace::pay);
    CHECK(geometry.place(pay_last, borders) == ShardPlace::pay);
    CHECK(geometry.place(pay_last + 1, borders) == ShardPlace::file);
    CHECK(geometry.place(kMiB + 1, borders) == ShardPlace::file);
  }
}

TEST_CASE("geometry: stripe offsets are aligned and do not overlap") {
  for (const Geometry& geometry : all_geometries()) {
    for (std::uint64_t stripe = 0; stripe < 5; ++stripe) {
      CHECK(geometry.shard_offset(stripe) % kShardFileAlign == 0);
      CHECK(geometry.shard_offset(stripe) + geometry.shard_bytes(kStripeBytes) <=
            geometry.shard_offset(stripe + 1));
    }
    CHECK(geometry.shard_offset(0) == kShardFileAlign);
  }
}

TEST_CASE("geometry: spans of a ranged read cover exactly the range") {
  const Geometry geometry{3, 1, 10};
  for (std::uint64_t bytes = 1; bytes <= 41; ++bytes) {
    for (std::uint64_t offset = 0; offset < bytes; ++offset) {
      for (std::uint64_t wanted = 1; offset + wanted <= bytes; ++wanted) {
        std::uint64_t at = offset;
        for (std::uint64_t i = 0; i < geometry.span_count(offset, wanted); ++i) {
          const StripeSpan span = geometry.span(bytes, offset, wanted, i);
          REQUIRE(span.bytes > 0);
          REQUIRE(span.stripe * 10 + span.begin == at);
          REQUIRE(span.stripe_bytes == geometry.stripe_length(bytes, span.stripe));
          REQUIRE(span.begin + span.bytes <= span.stripe_bytes);
          at += span.bytes;
        }
        REQUIRE(at == offset + wanted);
      }
    }
  }
}

TEST_CASE("geometry: rotation maps slots and shards one to one") {
  for (const Geometry& geometry : all_geometries()) {
    for (unsigned start = 0; start < geometry.shards(); ++start) {
      unsigned seen = 0;
      for (unsigned slot = 0; slot < geometry.shards(); ++slot) {
        const unsigned shard = geometry.shard_of_slot(slot, start);
        CHECK(geometry.slot_of_shard(shard, start) == slot);
        seen |= 1U << shard;
      }
      CHECK(seen == (1U << geometry.shards()) - 1);
      CHECK(geometry.shard_of_slot(start, start) == 0);
    }
  }
}

}  // namespace
}  // namespace mote::erasure
