#include "erasure/log/log_format.h"

#include <xxhash.h>

#include "erasure/base/check.h"

namespace mote::erasure {
namespace {

/// Payloads start on multiples of this.
constexpr std::uint64_t kEntryAlignment = 8;
/// What the restated records of a segment's first group take at most: cfg and promise.
constexpr std::uint64_t kRestatedBytes = 2 * sizeof(EntryHeader) + kConfigurationBytes;
static_assert(kRestatedBytes <= kLogPageBytes);

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

template <class T>
ByteView bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

void append_entry(std::string& out, std::size_t base, const GroupPlace& place, const Entry& entry,
                  bool restated) {
  MOTE_CHECK(entry.payload.size() <= UINT32_MAX);
  EntryHeader header;
  header.kind = static_cast<std::uint8_t>(entry.kind);
  header.flags = restated ? kEntryRestated : std::uint8_t{0};
  header.epoch = entry.seq.epoch;
  header.n = entry.seq.n;
  header.payload_bytes = static_cast<std::uint32_t>(entry.payload.size());
  const std::uint64_t offset = place.offset + (out.size() - base) + sizeof header;
  header.payload_checksum = log_checksum(entry.payload, payload_seed(place.generation, offset));
  out.append(as_text(bytes_of(header)));
  out.append(as_text(entry.payload));
  out.resize(base + round_up(out.size() - base, kEntryAlignment));
}

}  // namespace

std::uint64_t padded_group_bytes(std::uint64_t body_bytes) {
  return round_up(sizeof(GroupHeader) + body_bytes, kLogPageBytes);
}

std::uint64_t group_bytes(std::span<const Entry> entries) {
  std::uint64_t body = 0;
  for (const Entry& entry : entries) {
    body += sizeof(EntryHeader) + round_up(entry.payload.size(), kEntryAlignment);
  }
  return padded_group_bytes(body);
}

std::uint64_t group_bytes_max(const LogOptions& options) {
  return options.segment_bytes - 2 * kLogPageBytes;  // header page, room for restated records
}

std::uint64_t log_checksum(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string encode_segment_page(SegmentHeader header) {
  header.header_bytes = sizeof header;
  header.checksum =
      log_checksum(bytes_of(header).first(offsetof(SegmentHeader, checksum)), header.generation);
  std::string page(kLogPageBytes, '\0');
  std::memcpy(page.data(), &header, sizeof header);
  std::memcpy(page.data() + kSegmentHeaderCopy, &header, sizeof header);
  return page;
}

bool is_sealed(const SegmentHeader& header) {
  return header.magic == kSegmentMagic && header.header_bytes == sizeof header &&
         header.checksum == log_checksum(bytes_of(header).first(offsetof(SegmentHeader, checksum)),
                                         header.generation);
}

std::uint64_t encode_group(const GroupPlace& place, std::span<const Entry> restated,
                           std::span<const Entry> entries, std::string& out) {
  const std::size_t base = out.size();
  out.append(sizeof(GroupHeader), '\0');
  for (const Entry& entry : restated) {
    append_entry(out, base, place, entry, true);
  }
  for (const Entry& entry : entries) {
    append_entry(out, base, place, entry, false);
  }
  GroupHeader header;
  header.entry_count = static_cast<std::uint32_t>(restated.size() + entries.size());
  header.generation = place.generation;
  header.offset = place.offset;
  header.body_bytes = out.size() - base - sizeof header;
  header.decided_n = place.decided.n;
  header.decided_epoch = place.decided.epoch;
  header.ordinal = place.ordinal;
  header.first_ordinal = place.first_ordinal;
  header.previous = place.previous;
  header.body_checksum =
      log_checksum(as_bytes(out).subspan(base + sizeof header), place.generation);
  header.checksum =
      log_checksum(bytes_of(header).first(offsetof(GroupHeader, checksum)), place.generation);
  std::memcpy(out.data() + base, &header, sizeof header);
  out.resize(base + padded_group_bytes(header.body_bytes));
  return header.checksum;
}

bool is_group_header(const GroupHeader& header, std::uint64_t generation, std::uint64_t offset) {
  return header.magic == kGroupMagic && header.generation == generation &&
         header.offset == offset &&
         header.checksum ==
             log_checksum(bytes_of(header).first(offsetof(GroupHeader, checksum)), generation);
}

}  // namespace mote::erasure
