#include "erasure/meta/record_sections.h"

#include <xxhash.h>

namespace mote::erasure {
namespace {

constexpr std::string_view kMagic = "moR";  // then the kind
constexpr std::size_t kCommonBytesAt = 8;
constexpr std::size_t kLocalBytesAt = 12;
constexpr std::size_t kPayloadBytesAt = 16;
constexpr Error kCorrupt{Errc::corrupt, 0, "record"};

void set_u32(std::string& bytes, std::size_t at, std::uint32_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
void set_u64(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// The local section is hashed with the common section's hash as its seed: it belongs to no other.
std::uint64_t local_hash(const void* bytes, std::size_t count, std::uint64_t common) {
  return XXH3_64bits_withSeed(bytes, count, common);
}

}  // namespace

RecordBuilder::RecordBuilder(RecordKind kind, std::uint16_t flags, std::size_t reserve)
    : out_(bytes_) {
  bytes_.reserve(kEnvelopeBytes + 2 * kHashBytes + reserve);
  bytes_.append(kMagic);
  out_.put(static_cast<std::uint8_t>(kind));
  out_.put(kRecordMajor);
  out_.put(kRecordMinor);
  out_.put(flags);
  bytes_.resize(kEnvelopeBytes);  // lengths and a reserved zero, set by finish()
}

void RecordBuilder::put_seq(CommitSeq seq) {
  out_.put(seq.epoch);
  out_.put(seq.n);
}

void RecordBuilder::end_common() {
  common_end_ = bytes_.size();
  out_.put(std::uint64_t{0});
}

std::string RecordBuilder::finish(std::uint32_t payload_bytes) {
  const std::size_t local_begin = common_end_ + kHashBytes;
  const std::size_t local_bytes = bytes_.size() - local_begin;
  set_u32(bytes_, kCommonBytesAt, static_cast<std::uint32_t>(common_end_ - kEnvelopeBytes));
  set_u32(bytes_, kLocalBytesAt, static_cast<std::uint32_t>(local_bytes));
  set_u32(bytes_, kPayloadBytesAt, payload_bytes);
  const std::uint64_t common = XXH3_64bits(bytes_.data(), common_end_);
  set_u64(bytes_, common_end_, common);
  out_.put(local_hash(bytes_.data() + local_begin, local_bytes, common));
  return std::move(bytes_);
}

Result<RecordSections> open_record(ByteView row, RecordKind kind, Sections wanted) {
  ByteReader in(row);
  const ByteView magic = in.take_bytes(kMagic.size());
  const auto kind_byte = in.take<std::uint8_t>();
  const auto major = in.take<std::uint8_t>();
  const auto minor = in.take<std::uint8_t>();
  RecordSections out;
  out.flags = in.take<std::uint16_t>();
  const auto common_bytes = in.take<std::uint32_t>();
  const auto local_bytes = in.take<std::uint32_t>();
  const auto payload_bytes = in.take<std::uint32_t>();
  const auto reserved = in.take<std::uint32_t>();
  const std::uint64_t whole =
      std::uint64_t{kEnvelopeBytes} + common_bytes + local_bytes + payload_bytes + 2 * kHashBytes;
  if (!in.ok() || as_text(magic) != kMagic || kind_byte != static_cast<std::uint8_t>(kind) ||
      whole != row.size()) {
    return kCorrupt;
  }
  out.common = in.take_bytes(common_bytes);
  const auto common_hash = in.take<std::uint64_t>();
  if (XXH3_64bits(row.data(), kEnvelopeBytes + common_bytes) != common_hash) {
    return Error{Errc::corrupt, 0, "record.common_hash"};
  }
  const ByteView local = in.take_bytes(local_bytes);
  const auto hash = in.take<std::uint64_t>();
  if (wanted == Sections::all) {
    if (local_hash(local.data(), local.size(), common_hash) != hash) {
      return Error{Errc::corrupt, 0, "record.local_hash"};
    }
    out.local = local;
    out.payload = in.take_bytes(payload_bytes);
  }
  if (major != kRecordMajor) {
    return Error{Errc::unsupported, 0, "record.version"};
  }
  out.newer_minor = minor > kRecordMinor;
  if (reserved != 0 && !out.newer_minor) {
    return kCorrupt;
  }
  return out;
}

CommitSeq take_seq(ByteReader& in) {
  CommitSeq seq;
  seq.epoch = in.take<std::uint32_t>();
  seq.n = in.take<std::uint64_t>();
  return seq;
}

bool take_bool(ByteReader& in, bool& ok) {
  const auto value = in.take<std::uint8_t>();
  ok = ok && value <= 1;
  return value == 1;
}

}  // namespace mote::erasure
