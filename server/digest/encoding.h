#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "erasure/base/bytes.h"

/// Hex and base64, strict: what decodes here has exactly one spelling apart from the case of hex
/// digits.
namespace mote::digest {

/// Lower-case hex.
[[nodiscard]] std::string to_hex(ByteView bytes);
/// Writes 2 * bytes.size() characters to `out`; nothing is terminated.
void write_hex(ByteView bytes, char* out) noexcept;
/// Reads exactly 2 * out.size() hex digits of either case; false otherwise.
[[nodiscard]] bool read_hex(std::string_view text, ByteSpan out) noexcept;

/// RFC 4648 §4 with padding.
[[nodiscard]] std::string to_base64(ByteView bytes);
/// nullopt unless `text` is canonical: length a multiple of four, padding only at the end and
/// right, unused bits zero, no blanks.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
/// Reads exactly out.size() bytes; false otherwise.
[[nodiscard]] bool read_base64(std::string_view text, ByteSpan out) noexcept;

}  // namespace mote::digest
