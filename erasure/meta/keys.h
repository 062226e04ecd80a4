#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "erasure/meta/commit_seq.h"
#include "erasure/meta/object.h"

namespace mote::erasure {

/// 16 random bytes: names of shard files, identity of drives and deployments.
using Uuid = std::array<std::byte, 16>;

// Row keys of the index (FORMAT.md "Keys", storage.md 3.2). Integers are big-endian, so that
// bytewise order is numeric order and the order of one bucket's object rows is S3's order of keys.
// Inside `ver` and `mpu` keys a 00 byte of the S3 key is written 00 FF and the key ends with 00 01,
// so that rows of one key are together and no key's rows mix with a longer key's. Parsers return
// nullopt for bytes that no function here makes.

/// obj: the newest version of a key. bucket_id:8 || key.
std::string object_row(std::uint64_t bucket_id, std::string_view key);
/// Bounds of all obj (or ver, mpu) rows of a bucket: [bucket_rows(b), prefix_end(bucket_rows(b))).
std::string bucket_rows(std::uint64_t bucket_id);

struct ObjectRow {
  std::uint64_t bucket_id = 0;
  std::string_view key;  ///< into the row key
};
std::optional<ObjectRow> parse_object_row(std::string_view row);

/// ver: a version that is not the newest. bucket_id:8 || esc(key) || 00 01 || ~seq:12, newest
/// first.
std::string version_row(std::uint64_t bucket_id, std::string_view key, CommitSeq seq);
/// Prefix of all versions of one key; with prefix_end() its bounds.
std::string version_rows(std::uint64_t bucket_id, std::string_view key);

struct VersionRow {
  std::uint64_t bucket_id = 0;
  std::string key;
  CommitSeq seq;
};
std::optional<VersionRow> parse_version_row(std::string_view row);

/// A bound for walking ver or mpu rows by S3 key prefix: bucket_id:8 || esc(prefix), no terminator.
std::string escaped_prefix(std::uint64_t bucket_id, std::string_view key_prefix);

/// pay: payload shards too large for the head record. data_seq:12 || index:4.
std::string payload_row(CommitSeq data_seq, std::uint32_t index);

struct PayloadRow {
  CommitSeq data_seq;
  std::uint32_t index = 0;
};
std::optional<PayloadRow> parse_payload_row(std::string_view row);

/// mpu: bucket_id:8 || esc(key) || 00 01 || upload_id:16 for the session, || part:2 for a part.
std::string upload_row(std::uint64_t bucket_id, std::string_view key, const UploadId& upload);
std::string part_row(std::uint64_t bucket_id, std::string_view key, const UploadId& upload,
                     std::uint16_t number);
/// Prefix of all uploads of one key.
std::string upload_rows(std::uint64_t bucket_id, std::string_view key);

struct UploadRow {
  std::uint64_t bucket_id = 0;
  std::string key;
  UploadId upload{};
  std::optional<std::uint16_t> part;  ///< nullopt: the session itself
};
std::optional<UploadRow> parse_upload_row(std::string_view row);

/// gc: a shard file that is garbage since commit `seq`. seq:12 || uuid:16.
std::string garbage_row(CommitSeq seq, const Uuid& file);

struct GarbageRow {
  CommitSeq seq;
  Uuid file{};
};
std::optional<GarbageRow> parse_garbage_row(std::string_view row);

/// sys: `b/` || name. `s/` || name: the engine's own (kSysConfig ...).
inline constexpr std::string_view kBucketRows = "b/";
inline constexpr std::string_view kSysConfig = "s/cfg";
inline constexpr std::string_view kSysHeal = "s/heal";
inline constexpr std::string_view kSysScrub = "s/scrub";
inline constexpr std::string_view kSysSuspect = "s/suspect";
std::string bucket_row(std::string_view name);
std::optional<std::string_view> parse_bucket_row(std::string_view row);

/// In every family: the last applied sequence. Written by Index::apply alone; cursors skip it.
inline constexpr std::string_view kAppliedRow = "applied";

/// The least key greater than every key with this prefix; empty if there is none (all FF).
std::string prefix_end(std::string_view prefix);

}  // namespace mote::erasure
