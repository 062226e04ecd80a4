#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace mote {

using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

inline ByteView as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// Bytes together with whatever keeps them alive: a cache image, a pinned block, an owned buffer.
/// Cheap to copy, immutable, safe to hand to another thread.
struct Slice {
  ByteView bytes;
  std::shared_ptr<const void> owner;

  [[nodiscard]] std::size_t size() const noexcept { return bytes.size(); }
  [[nodiscard]] Slice sub(std::size_t offset, std::size_t count) const {
    return {bytes.subspan(offset, count), owner};
  }
  /// Takes ownership of a string's bytes.
  static Slice own(std::string text) {
    auto holder = std::make_shared<const std::string>(std::move(text));
    return {as_bytes(*holder), holder};
  }
  static Slice copy(ByteView bytes) { return own(std::string(as_text(bytes))); }
};

}  // namespace mote
