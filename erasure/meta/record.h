#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "erasure/base/result.h"
#include "erasure/codec/bitrot.h"
#include "erasure/codec/geometry.h"
#include "erasure/meta/commit_seq.h"
#include "erasure/meta/keys.h"
#include "erasure/meta/object.h"

namespace mote::erasure {

// The decoded values of index rows. Each record has a common section, byte for byte the same on all
// drives of a set (so heal and unanimity compare bytes), and a local section about this drive's own
// shards. A CommitSeq of {0, 0} in `data_seq` stands for "the commit that this record is encoded
// for".

/// A run of an object's bytes that was written in one piece: the whole object, or one part. Same on
/// all drives.
struct Extent {
  std::uint16_t number = 0;  ///< part number 1..10000; 0 for an object put in one piece
  ShardPlace place = ShardPlace::record;
  std::uint32_t pay_index = 0;  ///< with place == pay: the row is payload_row(data_seq, pay_index)
  std::uint64_t bytes = 0;      ///< of the object; 0 (an empty part) exactly with place == none
  CommitSeq data_seq;           ///< commit that wrote these bytes; {0,0}: this one
  StoredChecksum checksum;      ///< of the part

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// This drive's shards of one Extent.
struct LocalExtent {
  /// Payload sum (for a file: table_sum of its stripes). Unbound where the Extent's data_seq is
  /// {0,0}, then encoding binds it; otherwise the bound sum as it was read.
  Sum128 sum{};
  Uuid file{};              ///< with place == file
  std::uint64_t dirno = 0;  ///< arrival directory of `file` on this drive
  std::vector<Sum128>
      stripe_sums;  ///< of a file of up to kRecordSumsMax stripes: one each; else empty

  friend bool operator==(const LocalExtent&, const LocalExtent&) = default;
};

struct LocalPart {
  std::uint8_t shard_index = 0;
  std::vector<LocalExtent> extents;  ///< as many as the record has

  friend bool operator==(const LocalPart&, const LocalPart&) = default;
};

/// How the bytes of a key are spread over the set.
struct Layout {
  Geometry geometry;
  std::uint8_t start = 0;  ///< rotation
  std::uint16_t set_id = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// obj and ver rows.
struct ObjectRecord {
  bool delete_marker = false;
  bool tombstone =
      false;  ///< the key was deleted; kept until every drive has seen it. Never shown.
  bool versioned = false;
  bool multipart = false;  ///< extents are parts to be shown
  Layout layout;
  std::uint64_t bytes = 0;  ///< sum over the extents
  std::int64_t modified_ms = 0;
  CommitSeq seq;       ///< set by encoding: the commit that wrote this record
  CommitSeq data_seq;  ///< the commit that made the object's bytes; a tag change leaves it
  VersionId version = kNullVersion;
  ETag etag;
  StoredChecksum checksum;
  ObjectAttributes attributes;
  std::vector<Extent>
      extents;  ///< empty for markers, tombstones and empty objects put in one piece
};

/// mpu rows, session.
struct UploadRecord {
  Layout layout;
  CommitSeq seq;
  std::int64_t created_ms = 0;
  UploadId upload{};
  std::string key;
  ChecksumKind checksum = ChecksumKind::none;
  bool checksum_full_object = false;
  std::string owner;
  ObjectAttributes attributes;
};

/// mpu rows, part. `extent.number` is the part's number; place is none, pay or file.
struct PartRecord {
  Layout layout;
  CommitSeq seq;
  std::int64_t modified_ms = 0;
  UploadId upload{};
  ETag etag;
  Extent extent;
};

/// sys rows `b/`name.
enum class BucketState : std::uint8_t { active = 0, deleting = 1 };
struct BucketRecord {
  CommitSeq seq;
  BucketState state = BucketState::active;
  BucketInfo info;
};

/// gc rows: what to unlink.
struct GarbageRecord {
  std::uint64_t dirno = 0;
  std::uint64_t bytes = 0;  ///< of the file
};

/// One 64-bit number for a sequence, as ObjectHead::commit and PartInfo::commit carry it: 20 bits
/// of epoch over 44 bits of n. Order and identity hold below 2^20 epochs and 2^44 commits.
[[nodiscard]] constexpr std::uint64_t commit_number(CommitSeq seq) noexcept {
  return (std::uint64_t{seq.epoch} << 44) | (seq.n & ((std::uint64_t{1} << 44) - 1));
}

[[nodiscard]] inline ShardBinding binding(CommitSeq data_seq, std::uint8_t shard_index) noexcept {
  return {data_seq.epoch, data_seq.n, shard_index};
}

/// Checks a shard file's per-stripe sums, from the record or from the file's trailer, against the
/// bound sum. Only then may verify_payload() trust an entry. Errors: corrupt.
[[nodiscard]] Status verify_stripe_sums(const Layout& layout, const Extent& extent,
                                        const LocalExtent& local, std::uint8_t shard_index,
                                        std::span<const Sum128> sums);

/// What clients may see of a record. `commit` = commit_number(seq).
[[nodiscard]] ObjectHead to_object_head(const ObjectRecord& record);

}  // namespace mote::erasure
