#include "erasure/meta/record_codec.h"

#include "erasure/base/check.h"
#include "erasure/meta/layout_codec.h"
#include "erasure/meta/record_sections.h"

namespace mote::erasure {
namespace {

// Flags of object records, in the envelope.
constexpr std::uint16_t kInRecord = 1U << 0;
constexpr std::uint16_t kInPay = 1U << 1;
constexpr std::uint16_t kInFile = 1U << 2;
constexpr std::uint16_t kDeleteMarker = 1U << 3;
constexpr std::uint16_t kTombstone = 1U << 4;
constexpr std::uint16_t kMultipart = 1U << 5;
constexpr std::uint16_t kVersioned = 1U << 6;
constexpr std::uint16_t kKnownFlags = (1U << 7) - 1;

constexpr std::uint32_t kExtentsMax = 10'000;
constexpr std::uint16_t kPartNumberMax = 10'000;
constexpr std::size_t kExtentBytesMin = 30;
constexpr Error kCorrupt{Errc::corrupt, 0, "record.fields"};

constexpr std::uint16_t place_flag(ShardPlace place) {
  switch (place) {
    case ShardPlace::none:
      return 0;
    case ShardPlace::record:
      return kInRecord;
    case ShardPlace::pay:
      return kInPay;
    case ShardPlace::file:
      return kInFile;
  }
  return 0;
}

std::uint16_t flags_of(const ObjectRecord& record) {
  unsigned flags = 0;
  for (const Extent& extent : record.extents) {
    flags |= place_flag(extent.place);
  }
  flags |= record.delete_marker ? kDeleteMarker : 0U;
  flags |= record.tombstone ? kTombstone : 0U;
  flags |= record.multipart ? kMultipart : 0U;
  flags |= record.versioned ? kVersioned : 0U;
  return static_cast<std::uint16_t>(flags);
}

CommitSeq stamped(CommitSeq data_seq, CommitSeq seq) {
  return data_seq.is_zero() ? seq : data_seq;
}

// --- extents, common part: number:2 place:1 pay_index:4 bytes:8 data_seq:12 checksum ---

void put_extent(RecordBuilder& builder, const Extent& extent, CommitSeq seq) {
  ByteWriter& out = builder.out();
  out.put(extent.number);
  out.put(static_cast<std::uint8_t>(extent.place));
  out.put(extent.pay_index);
  out.put(extent.bytes);
  builder.put_seq(stamped(extent.data_seq, seq));
  put_checksum(out, extent.checksum);
}

Extent take_extent(ByteReader& in, const Geometry& geometry, bool& ok) {
  Extent extent;
  extent.number = in.take<std::uint16_t>();
  const auto place = in.take<std::uint8_t>();
  extent.place = static_cast<ShardPlace>(place);
  extent.pay_index = in.take<std::uint32_t>();
  extent.bytes = in.take<std::uint64_t>();
  extent.data_seq = take_seq(in);
  extent.checksum = take_checksum(in, ok);
  ok = ok && place <= static_cast<std::uint8_t>(ShardPlace::file) &&
       extent.number <= kPartNumberMax && extent.bytes <= kObjectBytesMax &&
       (extent.bytes == 0) == (extent.place == ShardPlace::none) &&
       (extent.place == ShardPlace::file || extent.bytes <= geometry.stripe_bytes);
  return extent;
}

// --- extents, local part: sum:16, and for files uuid:16 dirno:8 count:4 sums ---

Sum128 sum_to_store(const Extent& extent, const LocalExtent& local, const Geometry& geometry,
                    ShardBinding bound_to) {
  if (!extent.data_seq.is_zero()) {
    return local.sum;
  }
  return bind_sum(local.sum, bound_to, geometry.shard_total(extent.bytes));
}

void put_local(ByteWriter& out, const std::vector<Extent>& extents, const LocalPart& local,
               const Geometry& geometry, CommitSeq seq) {
  MOTE_CHECK(local.extents.size() == extents.size());
  out.put(local.shard_index);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const Extent& extent = extents[i];
    const LocalExtent& mine = local.extents[i];
    if (extent.place == ShardPlace::none) {
      continue;
    }
    out.put_bytes(sum_to_store(extent, mine, geometry, binding(seq, local.shard_index)));
    if (extent.place != ShardPlace::file) {
      continue;
    }
    out.put_bytes(mine.file);
    out.put(mine.dirno);
    const std::uint64_t expected =
        geometry.has_trailer(extent.bytes) ? 0 : geometry.stripe_count(extent.bytes);
    MOTE_CHECK(mine.stripe_sums.size() == expected);
    out.put(static_cast<std::uint32_t>(mine.stripe_sums.size()));
    for (const Sum128& sum : mine.stripe_sums) {
      out.put_bytes(sum);
    }
  }
}

LocalExtent take_local_file(ByteReader& in, std::uint64_t object_bytes, const Geometry& geometry,
                            bool& ok) {
  LocalExtent local;
  take_array(in, local.file);
  local.dirno = in.take<std::uint64_t>();
  const auto count = in.take<std::uint32_t>();
  const std::uint64_t expected =
      geometry.has_trailer(object_bytes) ? 0 : geometry.stripe_count(object_bytes);
  if (!in.ok() || count != expected) {
    ok = false;
    return local;
  }
  local.stripe_sums.resize(count);
  for (Sum128& sum : local.stripe_sums) {
    take_array(in, sum);
  }
  return local;
}

LocalPart take_local(ByteReader& in, const std::vector<Extent>& extents, const Geometry& geometry,
                     bool& ok) {
  LocalPart local;
  local.shard_index = in.take<std::uint8_t>();
  ok = ok && local.shard_index < geometry.shards();
  local.extents.reserve(extents.size());
  for (const Extent& extent : extents) {
    if (!ok || !in.ok()) {
      break;
    }
    LocalExtent mine;
    if (extent.place != ShardPlace::none) {
      Sum128 sum{};
      take_array(in, sum);
      if (extent.place == ShardPlace::file) {
        mine = take_local_file(in, extent.bytes, geometry, ok);
      }
      mine.sum = sum;
    }
    local.extents.push_back(std::move(mine));
  }
  return local;
}

// --- object records ---

// The fixed fields at the start of the common section.
void take_fixed(ByteReader& in, ObjectRecord& record, bool& ok) {
  record.seq = take_seq(in);
  record.data_seq = take_seq(in);
  record.layout = take_layout(in, ok);
  record.bytes = in.take<std::uint64_t>();
  record.modified_ms = in.take<std::int64_t>();
  take_array(in, record.version);
  take_array(in, record.etag.md5);
  record.etag.parts = in.take<std::uint16_t>();
  ok = ok && record.bytes <= kObjectBytesMax;
}

void set_flags(ObjectRecord& record, std::uint16_t flags) {
  record.delete_marker = (flags & kDeleteMarker) != 0;
  record.tombstone = (flags & kTombstone) != 0;
  record.multipart = (flags & kMultipart) != 0;
  record.versioned = (flags & kVersioned) != 0;
}

bool extents_fit(const ObjectRecord& record) {
  std::uint64_t total = 0;
  unsigned last = 0;
  for (const Extent& extent : record.extents) {
    total += extent.bytes;
    if (record.multipart ? extent.number <= last : extent.number != 0) {
      return false;
    }
    last = extent.number;
    if (extent.place == ShardPlace::record && record.extents.size() != 1) {
      return false;
    }
  }
  if (!record.multipart && record.extents.size() != (record.bytes > 0 ? 1U : 0U)) {
    return false;
  }
  if ((record.delete_marker || record.tombstone) && !record.extents.empty()) {
    return false;
  }
  return total == record.bytes;
}

std::uint64_t payload_bytes(const ObjectRecord& record) {
  if (record.extents.size() != 1 || record.extents.front().place != ShardPlace::record) {
    return 0;
  }
  return record.layout.geometry.shard_bytes(record.extents.front().bytes);
}

Result<ObjectRecord> parse_common(const RecordSections& sections) {
  ObjectRecord record;
  bool good = true;
  set_flags(record, sections.flags);
  ByteReader in(sections.common);
  take_fixed(in, record, good);
  record.checksum = take_checksum(in, good);
  record.attributes = take_attributes(in);
  const auto extents = in.take<std::uint32_t>();
  if (!good || !in.ok() || extents > kExtentsMax || extents * kExtentBytesMin > in.remaining()) {
    return kCorrupt;
  }
  record.extents.reserve(extents);
  for (std::uint32_t i = 0; i < extents; ++i) {
    record.extents.push_back(take_extent(in, record.layout.geometry, good));
  }
  const bool flags_fit =
      sections.newer_minor ? true : (sections.flags & ~unsigned{kKnownFlags}) == 0;
  if (!good || !section_done(in, sections) || !extents_fit(record) || !flags_fit ||
      (sections.flags & kKnownFlags) != flags_of(record)) {
    return kCorrupt;
  }
  return record;
}

}  // namespace

std::string encode_record(const ObjectRecord& record, const LocalPart& local, CommitSeq seq) {
  const ObjectAttributes& attributes = record.attributes;
  const std::size_t reserve = 192 + attributes.headers.size() + attributes.tags.size() +
                              attributes.private_.size() + record.extents.size() * 128;
  RecordBuilder builder(RecordKind::object, flags_of(record), reserve);
  ByteWriter& out = builder.out();
  builder.put_seq(seq);
  builder.put_seq(stamped(record.data_seq, seq));
  put_layout(out, record.layout);
  out.put(record.bytes);
  out.put(record.modified_ms);
  out.put_bytes(record.version);
  out.put_bytes(record.etag.md5);
  out.put(record.etag.parts);
  put_checksum(out, record.checksum);
  put_attributes(out, attributes);
  out.put(static_cast<std::uint32_t>(record.extents.size()));
  for (const Extent& extent : record.extents) {
    put_extent(builder, extent, seq);
  }
  builder.end_common();
  put_local(out, record.extents, local, record.layout.geometry, seq);
  return builder.finish(static_cast<std::uint32_t>(payload_bytes(record)));
}

Result<DecodedRecord> decode_record(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::object, Sections::all);
  if (!sections) {
    return sections.error();
  }
  Result<ObjectRecord> record = parse_common(*sections);
  if (!record) {
    return record.error();
  }
  DecodedRecord decoded;
  decoded.record = std::move(*record);
  bool good = true;
  ByteReader in(sections->local);
  decoded.local = take_local(in, decoded.record.extents, decoded.record.layout.geometry, good);
  if (!good || !section_done(in, *sections) ||
      sections->payload.size() != payload_bytes(decoded.record)) {
    return kCorrupt;
  }
  decoded.payload = sections->payload;
  return decoded;
}

Result<ObjectRecord> decode_record_head(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::object, Sections::common);
  if (!sections) {
    return sections.error();
  }
  return parse_common(*sections);
}

Result<RecordPeek> peek_record(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::object, Sections::common);
  if (!sections) {
    return sections.error();
  }
  ObjectRecord record;  // no allocation: its strings and vectors stay empty
  bool good = true;
  set_flags(record, sections->flags);
  ByteReader in(sections->common);
  take_fixed(in, record, good);
  if (!good || !in.ok()) {
    return kCorrupt;
  }
  RecordPeek peek;
  peek.delete_marker = record.delete_marker;
  peek.tombstone = record.tombstone;
  peek.versioned = record.versioned;
  peek.bytes = record.bytes;
  peek.modified_ms = record.modified_ms;
  peek.seq = record.seq;
  peek.data_seq = record.data_seq;
  peek.version = record.version;
  peek.etag = record.etag;
  return peek;
}

std::string encode_part(const PartRecord& part, const LocalPart& local, CommitSeq seq) {
  RecordBuilder builder(RecordKind::part, place_flag(part.extent.place),
                        256 + local.extents.front().stripe_sums.size() * sizeof(Sum128));
  ByteWriter& out = builder.out();
  builder.put_seq(seq);
  put_layout(out, part.layout);
  out.put(part.modified_ms);
  out.put_bytes(part.upload);
  out.put_bytes(part.etag.md5);
  out.put(part.etag.parts);
  put_extent(builder, part.extent, seq);
  builder.end_common();
  put_local(out, {part.extent}, local, part.layout.geometry, seq);
  return builder.finish(0);
}

Result<DecodedPart> decode_part(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::part, Sections::all);
  if (!sections) {
    return sections.error();
  }
  DecodedPart decoded;
  PartRecord& part = decoded.part;
  bool good = true;
  ByteReader in(sections->common);
  part.seq = take_seq(in);
  part.layout = take_layout(in, good);
  part.modified_ms = in.take<std::int64_t>();
  take_array(in, part.upload);
  take_array(in, part.etag.md5);
  part.etag.parts = in.take<std::uint16_t>();
  part.extent = take_extent(in, part.layout.geometry, good);
  if (!good || !section_done(in, *sections) || part.extent.number == 0 ||
      part.extent.place == ShardPlace::record || !sections->payload.empty()) {
    return kCorrupt;
  }
  ByteReader local(sections->local);
  decoded.local = take_local(local, {part.extent}, part.layout.geometry, good);
  if (!good || !section_done(local, *sections)) {
    return kCorrupt;
  }
  return decoded;
}

Result<ByteView> common_bytes(ByteView row) {
  if (row.size() < kEnvelopeBytes) {
    return kCorrupt;
  }
  ByteReader in(row);
  in.take_bytes(8);
  const std::uint64_t bytes = std::uint64_t{kEnvelopeBytes} + in.take<std::uint32_t>() + kHashBytes;
  if (bytes > row.size()) {
    return kCorrupt;
  }
  return row.first(bytes);
}

}  // namespace mote::erasure
