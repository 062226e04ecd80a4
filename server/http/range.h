#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mote::http {

/// A Range header as sent, not yet held against a size.
struct RangeSpec {
  enum class Kind : std::uint8_t { from_to, from, suffix };

  Kind kind = Kind::from;
  std::uint64_t first = 0;  ///< from_to, from
  std::uint64_t last = 0;   ///< from_to: inclusive; suffix: number of bytes from the end
};

/// Reads `bytes=a-b`, `bytes=a-` or `bytes=-n`. nullopt = ignore the header and answer 200: another
/// unit, bad syntax, a > b, several ranges, a number that does not fit 64 bits.
[[nodiscard]] std::optional<RangeSpec> parse_range(std::string_view header) noexcept;

/// The bytes to send: `length` from `offset`.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
/// Applies a range to an object of `size` bytes. nullopt = 416 InvalidRange: begins at or past the
/// end, `bytes=-0`, or any range of an empty object (RFC 9110 §14.1.2, 15.5.17).
[[nodiscard]] std::optional<ByteRange> resolve_range(const RangeSpec& spec,
                                                     std::uint64_t size) noexcept;

/// "bytes 0-9/100", and "bytes */100" for a 416.
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size);
[[nodiscard]] std::string unsatisfied_range(std::uint64_t size);

}  // namespace mote::http
