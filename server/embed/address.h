#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/result.h"

namespace mote {

/// "HOST:PORT" as flags carry it.
struct Address {
  std::string host;  ///< an IP address, or "localhost"
  std::uint16_t port = 0;

  [[nodiscard]] bool is_loopback() const;
  /// "127.0.0.1:9000", "[::1]:9000"
  [[nodiscard]] std::string authority() const;
};

/// "127.0.0.1:9000", "[::1]:9000", "localhost:0", ":9000" (all interfaces). invalid_argument
/// otherwise.
Result<Address> parse_address(std::string_view text);

/// Expands ranges: "/data/d{1...3}" gives d1, d2, d3; several ranges multiply; leading zeros are
/// kept as width. Without a range the text itself. invalid_argument for a range that is empty,
/// reversed or larger than 64.
Result<std::vector<std::string>> expand_ranges(std::string_view text);

}  // namespace mote
