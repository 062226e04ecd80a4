#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/bytes.h"

namespace mote {

/// A version identifier: 16 random bytes, or all zero for the `null` version of a bucket that is
/// not versioned. Text form (base64url) belongs to the S3 layer.
using VersionId = std::array<std::byte, 16>;
inline constexpr VersionId kNullVersion{};

/// Identifies one multipart upload; random, never reused.
using UploadId = std::array<std::byte, 16>;

/// An S3 entity tag without its quotes: an MD5, or md5(md5s)-N for a multipart object (parts = N >
/// 0).
struct ETag {
  std::array<std::byte, 16> md5{};
  std::uint16_t parts = 0;

  friend bool operator==(const ETag&, const ETag&) = default;
};

/// The hex text that goes between the quotes.
std::string to_text(const ETag& etag);

/// Checksum algorithms as records store them; the numbers are on disk.
enum class ChecksumKind : std::uint8_t {
  none = 0,
  crc32 = 1,
  crc32c = 2,
  crc64nvme = 3,
  sha1 = 4,
  sha256 = 5,
  sha512 = 6,
  md5 = 7,
  xxhash64 = 8,
  xxhash3 = 9,
  xxhash128 = 10,
};

/// A client-supplied, verified checksum kept with an object or a part. For a multipart object it is
/// the composite of its parts (`parts` > 0, text form ends in -N) or covers the full object.
struct StoredChecksum {
  ChecksumKind kind = ChecksumKind::none;
  bool composite = false;
  std::string value;  ///< raw bytes, not base64

  friend bool operator==(const StoredChecksum&, const StoredChecksum&) = default;
};

/// What is asked of an object's stored attributes at write time and given back at read time. Opaque
/// to the engine (INV-9): it stores and returns the bytes.
struct ObjectAttributes {
  /// Ready-made header lines, each "Name: value\r\n": Content-Type, Cache-Control, x-amz-meta-* ...
  std::string headers;
  std::string tags;      ///< URL-encoded tag set as sent, empty if none
  std::string private_;  ///< room for later work (encryption, lock), empty now
};

/// One part of a finished multipart object, for ?partNumber and GetObjectAttributes.
struct PartLayout {
  std::uint16_t number = 0;
  std::uint64_t bytes = 0;
  StoredChecksum checksum;
};

/// Everything about one version of one object except its bytes.
struct ObjectHead {
  std::uint64_t bytes = 0;
  std::int64_t modified_ms = 0;  ///< wall clock of the commit, for Last-Modified only
  ETag etag;
  VersionId version = kNullVersion;
  bool delete_marker = false;
  bool versioned = false;  ///< the version was written while the bucket was versioned: show its id
  std::uint64_t commit = 0;  ///< unique per write of this key; orders versions
  StoredChecksum checksum;
  ObjectAttributes attributes;
  std::vector<PartLayout> parts;  ///< empty for an object that was put in one piece
};

enum class Versioning : std::uint8_t { off = 0, enabled = 1, suspended = 2 };

struct BucketInfo {
  std::string name;
  std::uint64_t id = 0;        ///< random, never reused, so a re-created bucket shares nothing
  std::uint64_t revision = 0;  ///< moves with every change of the bucket's configuration
  std::int64_t created_ms = 0;
  Versioning versioning = Versioning::off;
  std::string owner;   ///< user id of the creator
  std::string region;  ///< LocationConstraint as created, empty for us-east-1
  /// Configuration documents by sub-resource name ("tagging", "cors", ...), as stored.
  std::vector<std::pair<std::string, std::string>> documents;
};

}  // namespace mote
