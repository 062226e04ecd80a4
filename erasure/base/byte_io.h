#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>

#include "erasure/base/bytes.h"

namespace mote {

static_assert(std::endian::native == std::endian::little,
              "on-disk integers are stored as they are in memory");

/// Appends little-endian fields to a string.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <std::integral T>
  void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_bytes(ByteView bytes) { out_.append(as_text(bytes)); }
  /// A 32-bit length, then the bytes.
  void put_sized(ByteView bytes) {
    put(static_cast<std::uint32_t>(bytes.size()));
    put_bytes(bytes);
  }
  void put_sized(std::string_view text) { put_sized(as_bytes(text)); }
  [[nodiscard]] std::size_t position() const noexcept { return out_.size(); }

 private:
  std::string& out_;
};

/// Reads little-endian fields, bounds-checked. After the first read past the end every read returns
/// zero or an empty view and ok() is false: decode everything, then ask once.
class ByteReader {
 public:
  explicit ByteReader(ByteView in) : in_(in) {}

  template <std::integral T>
  T take() {
    T value{};
    const ByteView bytes = take_bytes(sizeof(T));
    if (bytes.size() == sizeof(T)) {
      std::memcpy(&value, bytes.data(), sizeof(T));
    }
    return value;
  }
  ByteView take_bytes(std::size_t count) {
    if (count > in_.size()) {
      ok_ = false;
      in_ = {};
      return {};
    }
    const ByteView taken = in_.first(count);
    in_ = in_.subspan(count);
    return taken;
  }
  /// A 32-bit length, then that many bytes.
  ByteView take_sized() { return take_bytes(take<std::uint32_t>()); }
  std::string take_sized_string() { return std::string(as_text(take_sized())); }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] bool done() const noexcept { return ok_ && in_.empty(); }
  [[nodiscard]] std::size_t remaining() const noexcept { return in_.size(); }

 private:
  ByteView in_;
  bool ok_ = true;
};

/// Big-endian integers for keys: bytewise order of the encoding is numeric order.
template <std::unsigned_integral T>
void append_big_endian(std::string& out, T value) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value >> shift)));
  }
}
template <std::unsigned_integral T>
T read_big_endian(std::string_view in) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T) && i < in.size(); ++i) {
    value = static_cast<T>(static_cast<T>(value << 8) | static_cast<unsigned char>(in[i]));
  }
  return value;
}

}  // namespace mote
