#include "erasure/meta/layout_codec.h"

#include "erasure/base/check.h"

namespace mote::erasure {

void put_layout(ByteWriter& out, const Layout& layout) {
  out.put(layout.geometry.k);
  out.put(layout.geometry.m);
  out.put(layout.start);
  out.put(std::uint8_t{0});
  out.put(layout.set_id);
  out.put(std::uint16_t{0});
  out.put(layout.geometry.stripe_bytes);
}

Layout take_layout(ByteReader& in, bool& ok) {
  Layout layout;
  layout.geometry.k = in.take<std::uint8_t>();
  layout.geometry.m = in.take<std::uint8_t>();
  layout.start = in.take<std::uint8_t>();
  in.take<std::uint8_t>();
  layout.set_id = in.take<std::uint16_t>();
  in.take<std::uint16_t>();
  layout.geometry.stripe_bytes = in.take<std::uint32_t>();
  ok = ok && layout.geometry.valid() && layout.start < layout.geometry.shards() &&
       layout.geometry.stripe_bytes <= kStripeBytesMax;
  return layout;
}

void put_attributes(ByteWriter& out, const ObjectAttributes& attributes) {
  out.put_sized(attributes.headers);
  out.put_sized(attributes.tags);
  out.put_sized(attributes.private_);
}

ObjectAttributes take_attributes(ByteReader& in) {
  ObjectAttributes attributes;
  attributes.headers = in.take_sized_string();
  attributes.tags = in.take_sized_string();
  attributes.private_ = in.take_sized_string();
  return attributes;
}

void put_checksum(ByteWriter& out, const StoredChecksum& checksum) {
  MOTE_CHECK(checksum.value.size() <= 255);
  out.put(static_cast<std::uint8_t>(checksum.kind));
  out.put(static_cast<std::uint8_t>(checksum.composite ? 1 : 0));
  out.put(static_cast<std::uint8_t>(checksum.value.size()));
  out.put_bytes(as_bytes(checksum.value));
}

StoredChecksum take_checksum(ByteReader& in, bool& ok) {
  StoredChecksum checksum;
  const auto kind = in.take<std::uint8_t>();
  ok = ok && kind <= static_cast<std::uint8_t>(ChecksumKind::xxhash128);
  checksum.kind = static_cast<ChecksumKind>(kind);
  checksum.composite = take_bool(in, ok);
  checksum.value = as_text(in.take_bytes(in.take<std::uint8_t>()));
  return checksum;
}

}  // namespace mote::erasure
