#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mote::http {

/// A Host header taken apart.
struct Host {
  std::string_view name;    ///< without port; IPv6 without brackets; as sent (case kept)
  std::string_view port;    ///< digits, "" if absent
  std::string_view bucket;  ///< label in front of a configured domain; "" in path style
};

/// Reads a Host header value. `domains` are configured names in lower case, without port; the
/// longest that fits wins; the domain itself is path style, and what stands before ".domain" is the
/// bucket (it may hold dots). An address literal never carries a bucket. nullopt: not a valid host.
[[nodiscard]] std::optional<Host> parse_host(std::string_view value,
                                             std::span<const std::string> domains);

}  // namespace mote::http
