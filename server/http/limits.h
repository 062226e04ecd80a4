#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "erasure/base/bytes.h"

/// Every fixed limit of the S3 front end, with its reason. Limits are checked before memory is
/// spent (INV-12); what a request may not exceed is answered with 400, what the server cannot hold
/// with 503.
namespace mote::http {

// --- One request head (reliability.md A-45) ---

/// Method, target and version. A 1,024-byte UTF-8 key is 3 KiB percent-encoded, its query may be as
/// long.
inline constexpr std::size_t kRequestLineBytesMax = 8 * kKiB;
/// All header lines, counted apart from the request line: a copy carries a second 3 KiB key in a
/// header.
inline constexpr std::size_t kHeaderSectionBytesMax = 16 * kKiB;
/// Fields in one head; AWS SDKs send about 15.
inline constexpr std::size_t kHeaderFieldsMax = 128;
/// What a connection buffers before it gives up on finding the end of a head.
inline constexpr std::size_t kHeadBytesMax = kRequestLineBytesMax + kHeaderSectionBytesMax;

// --- S3 limits (AWS: "Object key naming", "Multipart upload limits", "Object metadata") ---

/// A key in UTF-8 bytes after decoding.
inline constexpr std::size_t kKeyBytesMax = 1024;
/// Sum of the names (without x-amz-meta-) and values of user metadata.
inline constexpr std::size_t kUserMetadataBytesMax = 2 * kKiB;
/// One PutObject or UploadPart body.
inline constexpr std::uint64_t kPutBytesMax = 5 * kGiB;
inline constexpr std::uint64_t kObjectBytesMax = 5 * 1024 * kGiB;
inline constexpr std::uint64_t kPartBytesMin = 5 * kMiB;  ///< every part but the last
inline constexpr std::uint32_t kPartNumberMax = 10'000;
inline constexpr std::size_t kDeleteObjectsMax = 1'000;
inline constexpr std::size_t kListKeysMax = 1'000;
/// DeleteObjects with 1,000 keys of 1,024 bytes, each six bytes per byte when XML-escaped: 6 MiB
/// and tags.
inline constexpr std::size_t kXmlBodyBytesMax = 8 * kMiB;
/// CompleteMultipartUpload with 10,000 parts at ~250 bytes each.
inline constexpr std::size_t kCompleteBodyBytesMax = 4 * kMiB;
inline constexpr std::size_t kPolicyBytesMax = 20 * kKiB;

// --- aws-chunked bodies (A-16) ---

/// AWS: every chunk but the last carries at least this much.
inline constexpr std::uint64_t kChunkBytesMin = 8 * kKiB;
/// A chunk header line: 16 hex digits, ";chunk-signature=" and 64 more, and room for extensions.
inline constexpr std::size_t kChunkLineBytesMax = 256;
/// All trailer lines of one body together; a checksum and a signature take about 200 bytes.
inline constexpr std::size_t kTrailerBytesMax = 4 * kKiB;

// --- Presigned requests and clocks ---

inline constexpr std::int64_t kClockSkewMsMax = 15 * 60 * 1000;
inline constexpr std::int64_t kPresignedSecondsMax = 604'800;  ///< seven days

// --- Time (A-47, T25); all on the steady clock ---

inline constexpr std::chrono::seconds kHeadTimeout{30};  ///< first byte to end of head
inline constexpr std::chrono::seconds kIdleTimeout{
    75};  ///< between two requests; above common proxies' 60 s
inline constexpr std::chrono::seconds kBodyStallTimeout{60};  ///< no byte of a body that is due
inline constexpr std::chrono::seconds kWriteStallTimeout{
    60};  ///< no byte of an answer taken by the peer
inline constexpr std::uint64_t kBodyBytesPerSecondMin = 1 * kKiB;

}  // namespace mote::http
