#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "server/http/framing_guard.h"
#include "server/http/head.h"

namespace mote::http {

/// Bytes of the head at the front of `buffer`, its closing empty line included; 0 while it is not
/// complete. `scanned` is how much was looked at by an earlier call on the same, shorter buffer (it
/// is updated), so that a head that comes byte by byte is scanned once.
[[nodiscard]] std::size_t find_head_end(std::string_view buffer, std::size_t& scanned) noexcept;

/// Reads one complete head (`section` = request line, header lines, empty line, nothing more) into
/// `head`, whose views then point into `section`. Strict where RFC 9112 lets a server choose: CRLF
/// only, no obs-fold, no blank before the colon, no control characters, names are tokens, HTTP/1.0
/// and 1.1 only, limits of limits.h. Leading empty lines (RFC 9112 §2.2) are the caller's to skip.
/// The framing itself is judged by check_framing afterwards. nullopt means success. Allocates
/// nothing.
[[nodiscard]] std::optional<FramingError> parse_head(std::string_view section, RequestHead& head);

}  // namespace mote::http
