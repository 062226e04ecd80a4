#pragma once

#include <cstdint>
#include <string_view>

#include "server/http/header_map.h"

namespace mote::http {

/// Methods S3 knows; anything else is `other` with its text kept. Methods are case-sensitive.
enum class Method : std::uint8_t { get, head, put, post, delete_, options, other };

[[nodiscard]] Method parse_method(std::string_view text) noexcept;
/// "GET", "DELETE"…; "" for other.
[[nodiscard]] std::string_view to_string(Method method) noexcept;

/// One request head as it stood when its last line came: later trailers never change it. All
/// views point into the connection's buffer, which outlives the request. Reused from request to
/// request.
struct RequestHead {
  Method method = Method::other;
  std::string_view method_text;
  std::string_view target;     ///< as sent
  std::string_view path_raw;   ///< target up to the first '?', still encoded
  std::string_view query_raw;  ///< what follows it, without the '?'
  int minor_version = 1;       ///< HTTP/1.x
  HeaderMap headers;

  void set_method(std::string_view text) noexcept;
  /// Sets target, path_raw and query_raw.
  void set_target(std::string_view raw) noexcept;
  void clear() noexcept;
};

}  // namespace mote::http
