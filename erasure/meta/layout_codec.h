#pragma once

#include "erasure/meta/record.h"
#include "erasure/meta/record_sections.h"

namespace mote::erasure {

// Fields that several records share. Used by the record codecs only. Every take_* clears `ok` on a
// value out of range.

inline constexpr std::uint64_t kObjectBytesMax = std::uint64_t{1} << 50;
inline constexpr std::uint32_t kStripeBytesMax = 64 * 1024 * 1024;

void put_layout(ByteWriter& out, const Layout& layout);
[[nodiscard]] Layout take_layout(ByteReader& in, bool& ok);

void put_attributes(ByteWriter& out, const ObjectAttributes& attributes);
[[nodiscard]] ObjectAttributes take_attributes(ByteReader& in);

/// kind:1 composite:1 bytes:1 value.
void put_checksum(ByteWriter& out, const StoredChecksum& checksum);
[[nodiscard]] StoredChecksum take_checksum(ByteReader& in, bool& ok);

}  // namespace mote::erasure
