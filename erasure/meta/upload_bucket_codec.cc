#include "erasure/meta/layout_codec.h"
#include "erasure/meta/record_codec.h"
#include "erasure/meta/record_sections.h"

namespace mote::erasure {
namespace {

constexpr Error kCorrupt{Errc::corrupt, 0, "record.fields"};
constexpr std::uint32_t kDocumentsMax = 1024;

}  // namespace

std::string encode_upload(const UploadRecord& upload, CommitSeq seq) {
  RecordBuilder builder(RecordKind::upload, 0, 256 + upload.attributes.headers.size());
  ByteWriter& out = builder.out();
  builder.put_seq(seq);
  put_layout(out, upload.layout);
  out.put(upload.created_ms);
  out.put_bytes(upload.upload);
  out.put(static_cast<std::uint8_t>(upload.checksum));
  out.put(static_cast<std::uint8_t>(upload.checksum_full_object ? 1 : 0));
  out.put_sized(upload.key);
  out.put_sized(upload.owner);
  put_attributes(out, upload.attributes);
  builder.end_common();
  return builder.finish(0);
}

Result<UploadRecord> decode_upload(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::upload, Sections::all);
  if (!sections) {
    return sections.error();
  }
  UploadRecord upload;
  bool good = true;
  ByteReader in(sections->common);
  upload.seq = take_seq(in);
  upload.layout = take_layout(in, good);
  upload.created_ms = in.take<std::int64_t>();
  take_array(in, upload.upload);
  const auto kind = in.take<std::uint8_t>();
  upload.checksum = static_cast<ChecksumKind>(kind);
  upload.checksum_full_object = take_bool(in, good);
  upload.key = in.take_sized_string();
  upload.owner = in.take_sized_string();
  upload.attributes = take_attributes(in);
  if (!good || !section_done(in, *sections) || !sections->payload.empty() ||
      kind > static_cast<std::uint8_t>(ChecksumKind::xxhash128)) {
    return kCorrupt;
  }
  return upload;
}

std::string encode_bucket(const BucketRecord& bucket, CommitSeq seq) {
  const BucketInfo& info = bucket.info;
  RecordBuilder builder(RecordKind::bucket, 0, 256);
  ByteWriter& out = builder.out();
  builder.put_seq(seq);
  out.put(static_cast<std::uint8_t>(bucket.state));
  out.put(static_cast<std::uint8_t>(info.versioning));
  out.put(info.id);
  out.put(info.revision);
  out.put(info.created_ms);
  out.put_sized(info.name);
  out.put_sized(info.owner);
  out.put_sized(info.region);
  out.put(static_cast<std::uint32_t>(info.documents.size()));
  for (const auto& [name, content] : info.documents) {
    out.put_sized(name);
    out.put_sized(content);
  }
  builder.end_common();
  return builder.finish(0);
}

Result<BucketRecord> decode_bucket(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::bucket, Sections::all);
  if (!sections) {
    return sections.error();
  }
  BucketRecord bucket;
  BucketInfo& info = bucket.info;
  ByteReader in(sections->common);
  bucket.seq = take_seq(in);
  const auto state = in.take<std::uint8_t>();
  const auto versioning = in.take<std::uint8_t>();
  bucket.state = static_cast<BucketState>(state);
  info.versioning = static_cast<Versioning>(versioning);
  info.id = in.take<std::uint64_t>();
  info.revision = in.take<std::uint64_t>();
  info.created_ms = in.take<std::int64_t>();
  info.name = in.take_sized_string();
  info.owner = in.take_sized_string();
  info.region = in.take_sized_string();
  const auto documents = in.take<std::uint32_t>();
  if (!in.ok() || documents > kDocumentsMax) {
    return kCorrupt;
  }
  for (std::uint32_t i = 0; i < documents; ++i) {
    std::string name = in.take_sized_string();
    info.documents.emplace_back(std::move(name), in.take_sized_string());
  }
  if (!section_done(in, *sections) || !sections->payload.empty() ||
      state > static_cast<std::uint8_t>(BucketState::deleting) ||
      versioning > static_cast<std::uint8_t>(Versioning::suspended)) {
    return kCorrupt;
  }
  return bucket;
}

std::string encode_garbage(const GarbageRecord& garbage) {
  RecordBuilder builder(RecordKind::garbage, 0, 16);
  builder.end_common();
  builder.out().put(garbage.dirno);
  builder.out().put(garbage.bytes);
  return builder.finish(0);
}

Result<GarbageRecord> decode_garbage(ByteView row) {
  const Result<RecordSections> sections = open_record(row, RecordKind::garbage, Sections::all);
  if (!sections) {
    return sections.error();
  }
  GarbageRecord garbage;
  ByteReader in(sections->local);
  garbage.dirno = in.take<std::uint64_t>();
  garbage.bytes = in.take<std::uint64_t>();
  if (!section_done(in, *sections) || !sections->payload.empty()) {
    return kCorrupt;
  }
  return garbage;
}

}  // namespace mote::erasure
