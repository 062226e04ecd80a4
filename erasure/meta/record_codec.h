#pragma once

#include <string>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/meta/record.h"

namespace mote::erasure {

// The byte form of records (FORMAT.md "Records"). Encoders are pure and thread-safe and take the
// sequence that the record is stamped with. Decoders take bytes from a drive: any flipped bit in
// the sections they read, any length but the right one, and any field out of range is `corrupt`;
// another major version is `unsupported`; fields that a newer minor version has added are skipped.

/// The record without its inline payload, which follows it in the row: RowBatch::put(..., record,
/// payload). That payload is the shard of the one extent whose place is `record`:
/// geometry.shard_bytes(extent.bytes) long. Extents and sums with data_seq {0,0} get `seq` and are
/// bound to it. REQUIRES local.extents.size() == record.extents.size(), and no other extent beside
/// one in the record.
[[nodiscard]] std::string encode_record(const ObjectRecord& record, const LocalPart& local,
                                        CommitSeq seq);

struct DecodedRecord {
  ObjectRecord record;
  LocalPart local;
  ByteView payload;  ///< inline shard, into the input; its length is checked, its sum is not
                     ///< (verify_shard)
};
[[nodiscard]] Result<DecodedRecord> decode_record(ByteView row);
/// The common section only, which is all that heads, lists and preconditions need.
[[nodiscard]] Result<ObjectRecord> decode_record_head(ByteView row);

/// A glance at a record for list loops: no allocation. Verified like decode_record_head().
struct RecordPeek {
  bool delete_marker = false;
  bool tombstone = false;
  bool versioned = false;
  std::uint64_t bytes = 0;
  std::int64_t modified_ms = 0;
  CommitSeq seq;
  CommitSeq data_seq;
  VersionId version = kNullVersion;
  ETag etag;
};
[[nodiscard]] Result<RecordPeek> peek_record(ByteView row);

[[nodiscard]] std::string encode_upload(const UploadRecord& upload, CommitSeq seq);
[[nodiscard]] Result<UploadRecord> decode_upload(ByteView row);

/// REQUIRES local.extents.size() == 1.
[[nodiscard]] std::string encode_part(const PartRecord& part, const LocalPart& local,
                                      CommitSeq seq);
struct DecodedPart {
  PartRecord part;
  LocalPart local;
};
[[nodiscard]] Result<DecodedPart> decode_part(ByteView row);

[[nodiscard]] std::string encode_bucket(const BucketRecord& bucket, CommitSeq seq);
[[nodiscard]] Result<BucketRecord> decode_bucket(ByteView row);

[[nodiscard]] std::string encode_garbage(const GarbageRecord& garbage);
[[nodiscard]] Result<GarbageRecord> decode_garbage(ByteView row);

/// The bytes of any record that are the same on all drives: two drives agree on a row exactly if
/// these are equal. Errors: corrupt if the row is too short to have them; nothing else is verified.
[[nodiscard]] Result<ByteView> common_bytes(ByteView row);

}  // namespace mote::erasure
