#include "erasure/meta/row_batch.h"

#include "erasure/base/byte_io.h"

namespace mote::erasure {
namespace {

constexpr Error kBadBatch{Errc::corrupt, 0, "row_batch"};

}  // namespace

// kind:1 family:1 key_bytes:4 key [value_bytes:4 value]
void RowBatch::append_head(Kind kind, Family family, std::string_view key) {
  ByteWriter out(encoded_);
  out.put(static_cast<std::uint8_t>(kind));
  out.put(static_cast<std::uint8_t>(family));
  out.put_sized(key);
}

void RowBatch::put(Family family, std::string_view key, std::string_view value) {
  put(family, key, value, {});
}

void RowBatch::put(Family family, std::string_view key, std::string_view value, ByteView tail) {
  append_head(Kind::put, family, key);
  ByteWriter out(encoded_);
  out.put(static_cast<std::uint32_t>(value.size() + tail.size()));
  out.put_bytes(as_bytes(value));
  out.put_bytes(tail);
}

void RowBatch::erase(Family family, std::string_view key) {
  append_head(Kind::erase, family, key);
}

Result<RowBatch::Row> RowBatch::next(ByteView& rest) {
  ByteReader in(rest);
  const auto kind = in.take<std::uint8_t>();
  const auto family = in.take<std::uint8_t>();
  Row row;
  row.key = as_text(in.take_sized());
  if (kind == static_cast<std::uint8_t>(Kind::put)) {
    row.kind = Kind::put;
    row.value = as_text(in.take_sized());
  } else if (kind == static_cast<std::uint8_t>(Kind::erase)) {
    row.kind = Kind::erase;
  } else {
    return kBadBatch;
  }
  if (!in.ok() || family >= kFamilyCount) {
    return kBadBatch;
  }
  row.family = static_cast<Family>(family);
  rest = rest.last(in.remaining());
  return row;
}

}  // namespace mote::erasure
