#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/meta/commit_seq.h"

namespace mote::erasure {

/// Bytes of the commit log of one drive (storage.md 3.1, 3.4, 3.5). All integers little-endian.
///
///     segment  = header page, groups; a file of fixed size, preallocated, written over when
///     recycled group    = GroupHeader, entries, zeros up to the next page; what one sync covers
///     entry    = EntryHeader, payload, zeros up to the next multiple of 8
///
/// Everything starts on a page of 4 KiB, so that a write that is torn by a power cut never shares a
/// sector with bytes that were acknowledged. Every checksum is XXH3-64 seeded with the segment's
/// random generation, and covers the position of what it protects: bytes of an earlier use of the
/// file, and a copy of a group that came in as somebody's payload, do not validate.
inline constexpr std::uint64_t kLogPageBytes = 4096;
inline constexpr std::uint64_t kSegmentBytesDefault = 16 * kMiB;
/// Smallest segment that is accepted: header page and a few groups (tests).
inline constexpr std::uint64_t kSegmentBytesMin = 4 * kLogPageBytes;

inline constexpr std::array<char, 8> kSegmentMagic = {'m', 'o', 't', 'e', 'L', 'O', 'G', '\n'};
inline constexpr std::uint32_t kGroupMagic = 0x50524741;  // "AGRP" in the file
inline constexpr std::uint16_t kLogFormatVersion = 1;
/// Feature bits that this code knows. A log with any other bit is refused (unsupported).
inline constexpr std::uint32_t kLogFeaturesKnown = 0;

/// Offset of the second copy of the segment header.
inline constexpr std::uint64_t kSegmentHeaderCopy = 2048;

/// SegmentHeader::flags.
inline constexpr std::uint32_t kSegmentBeginsLog = 1U
                                                   << 0;  ///< older segments do not count any more

/// First bytes of a segment, and once more kSegmentHeaderCopy bytes into its page; the rest of the
/// page is zero. Each copy fits a sector, so it is written whole or not at all, and the loss of one
/// does not lose the segment. A segment with ordinal 0 is a spare: preallocated, not in use.
struct SegmentHeader {
  std::array<char, 8> magic = kSegmentMagic;
  std::uint16_t version = kLogFormatVersion;
  std::uint16_t header_bytes = 0;  ///< sizeof(SegmentHeader)
  std::uint32_t features = 0;
  std::uint32_t flags = 0;
  std::uint32_t reserved = 0;
  std::uint64_t ordinal = 0;     ///< position in the log, dense
  std::uint64_t generation = 0;  ///< random per use; seed of all checksums in the segment
  std::uint64_t segment_bytes = 0;
  std::uint64_t predecessor_end = 0;  ///< offset where the segment before ends; 0 when none counts
  std::uint64_t predecessor_checksum =
      0;  ///< header checksum of the last group before; 0 when none
  std::array<std::byte, 16> drive_uuid{};  ///< a log copied from another drive is refused
  std::uint64_t checksum = 0;              ///< of the bytes before, seeded with `generation`
};
static_assert(sizeof(SegmentHeader) == 88 && std::is_trivially_copyable_v<SegmentHeader>);
static_assert(offsetof(SegmentHeader, generation) == 32);
static_assert(offsetof(SegmentHeader, drive_uuid) == 64);
static_assert(offsetof(SegmentHeader, checksum) == 80);
static_assert(sizeof(SegmentHeader) <= 512, "one sector");

struct GroupHeader {
  std::uint32_t magic = kGroupMagic;
  std::uint32_t entry_count = 0;
  std::uint64_t generation = 0;  ///< of the segment; the cheap test before the checksum
  std::uint64_t offset = 0;      ///< of this header in the file
  std::uint64_t body_bytes = 0;  ///< entries with their padding, without the last page's padding
  std::uint64_t decided_n = 0;   ///< decided mark: commits up to here are decided
  std::uint32_t decided_epoch = 0;
  std::uint32_t reserved = 0;
  std::uint64_t ordinal = 0;        ///< of the segment, should its header be lost
  std::uint64_t first_ordinal = 0;  ///< oldest segment that still counts when this was written
  std::uint64_t previous = 0;       ///< header checksum of the group before: the chain
  std::uint64_t body_checksum = 0;
  std::uint64_t checksum = 0;  ///< of the header bytes before
};
static_assert(sizeof(GroupHeader) == 88 && std::is_trivially_copyable_v<GroupHeader>);
static_assert(offsetof(GroupHeader, checksum) == 80);

/// The numbers are on disk.
enum class EntryKind : std::uint8_t {
  commit = 1,   ///< payload: the drive's redo rows
  cfg = 2,      ///< payload: encode(Configuration)
  promise = 3,  ///< seq = {promised epoch, 0}, no payload
};

/// EntryHeader::flags.
inline constexpr std::uint8_t kEntryRestated =
    1U << 0;  ///< repeated at the head of a segment, not new

struct EntryHeader {
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  std::uint16_t reserved = 0;
  std::uint32_t epoch = 0;
  std::uint64_t n = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t reserved2 = 0;
  std::uint64_t payload_checksum = 0;  ///< so that one payload can be read and verified alone
};
static_assert(sizeof(EntryHeader) == 32 && std::is_trivially_copyable_v<EntryHeader>);

/// Configuration as cfg payload: u16 version = 1, u16 current, u16 healing, u16 away (bit = slot),
/// u32 seq.epoch, u32 end.epoch, u64 seq.n, u64 end.n, u64 zero: 40 bytes.
inline constexpr std::size_t kConfigurationBytes = 40;

/// One entry as a caller gives it; `payload` is copied by append_group.
struct Entry {
  EntryKind kind = EntryKind::commit;
  CommitSeq seq;
  ByteView payload;
};

/// Size, identity. The same for writer and reader of one drive.
struct LogOptions {
  std::uint64_t segment_bytes = kSegmentBytesDefault;  ///< a multiple of kLogPageBytes
  std::array<std::byte, 16> drive_uuid{};
};

/// Bytes that a group of these payload sizes takes in a segment, padding included.
std::uint64_t group_bytes(std::span<const Entry> entries);
/// Largest result of group_bytes() that append_group accepts: what an empty segment holds beside
/// the restated records. A larger group is refused (too_large): the caller splits it between
/// commits; one commit must fit.
std::uint64_t group_bytes_max(const LogOptions& options);

/// XXH3-64 of `bytes`.
std::uint64_t log_checksum(ByteView bytes, std::uint64_t seed);
/// Seed of a payload's own checksum: position and use of the file.
constexpr std::uint64_t payload_seed(std::uint64_t generation, std::uint64_t offset) {
  return generation ^ (offset * 0x9E3779B97F4A7C15ULL);
}

/// The header page with both copies sealed (header_bytes and checksum are set here).
std::string encode_segment_page(SegmentHeader header);
/// True if the checksum is right. Says nothing about version and features.
bool is_sealed(const SegmentHeader& header);

/// Where a group goes and what it continues.
struct GroupPlace {
  std::uint64_t generation = 0;
  std::uint64_t offset = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t first_ordinal = 0;
  std::uint64_t previous = 0;
  CommitSeq decided;
};
/// Appends the group's bytes, padded to the page, to `out`: first `restated`, then `entries`.
/// Returns its header checksum, the `previous` of the next group.
std::uint64_t encode_group(const GroupPlace& place, std::span<const Entry> restated,
                           std::span<const Entry> entries, std::string& out);
/// True if the header is intact, of this generation and at this offset; nothing about the chain.
bool is_group_header(const GroupHeader& header, std::uint64_t generation, std::uint64_t offset);
/// Bytes of a group in its segment, padding included.
std::uint64_t padded_group_bytes(std::uint64_t body_bytes);

}  // namespace mote::erasure
