#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "erasure/base/byte_io.h"
#include "erasure/base/result.h"
#include "erasure/meta/commit_seq.h"

namespace mote::erasure {

// The frame that all records have in common (FORMAT.md "Records"): envelope, common section and its
// hash, local section and its hash, payload. Used by the record codecs only.

inline constexpr std::uint8_t kRecordMajor = 1;
inline constexpr std::uint8_t kRecordMinor = 0;
inline constexpr std::size_t kEnvelopeBytes = 24;
inline constexpr std::size_t kHashBytes = 8;

/// The last byte of a record's magic.
enum class RecordKind : std::uint8_t {
  object = 'O',
  upload = 'U',
  part = 'P',
  bucket = 'B',
  garbage = 'G',
};

/// Writes a record: construct, put the common section, end_common(), put the local section,
/// finish().
class RecordBuilder {
 public:
  RecordBuilder(RecordKind kind, std::uint16_t flags, std::size_t reserve);
  RecordBuilder(const RecordBuilder&) = delete;
  RecordBuilder& operator=(const RecordBuilder&) = delete;
  [[nodiscard]] ByteWriter& out() noexcept { return out_; }
  void put_seq(CommitSeq seq);
  void end_common();
  /// `payload_bytes` follow the record in its row.
  [[nodiscard]] std::string finish(std::uint32_t payload_bytes);

 private:
  std::string bytes_;
  ByteWriter out_;
  std::size_t common_end_ = 0;
};

/// A record taken apart, hashes verified.
struct RecordSections {
  std::uint16_t flags = 0;
  bool newer_minor = false;  ///< sections may end with fields that this version does not know
  ByteView common;
  ByteView local;  ///< empty unless asked for
  ByteView payload;
};

enum class Sections : std::uint8_t { common, all };

/// Errors: corrupt, unsupported (another major version, undamaged).
[[nodiscard]] Result<RecordSections> open_record(ByteView row, RecordKind kind, Sections wanted);

[[nodiscard]] CommitSeq take_seq(ByteReader& in);
/// A byte that is 0 or 1; anything else clears `ok`.
[[nodiscard]] bool take_bool(ByteReader& in, bool& ok);
template <std::size_t N>
void take_array(ByteReader& in, std::array<std::byte, N>& out) {
  const ByteView bytes = in.take_bytes(N);
  if (bytes.size() == N) {
    std::memcpy(out.data(), bytes.data(), N);
  }
}
/// True if a section was read to its end, as far as this version knows it.
[[nodiscard]] inline bool section_done(const ByteReader& in, const RecordSections& sections) {
  return sections.newer_minor ? in.ok() : in.done();
}

}  // namespace mote::erasure
