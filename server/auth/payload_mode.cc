#include "server/auth/payload_mode.h"

#include <algorithm>

#include "server/http/ascii.h"

namespace mote::auth {

std::optional<PayloadMode> parse_payload_mode(std::string_view content_sha256) noexcept {
  constexpr std::size_t kHexDigits = 64;
  if (content_sha256.size() == kHexDigits &&
      std::all_of(content_sha256.begin(), content_sha256.end(),
                  [](char c) { return http::hex_value(c) >= 0; })) {
    return PayloadMode::hashed;
  }
  if (content_sha256 == "UNSIGNED-PAYLOAD") {
    return PayloadMode::unsigned_payload;
  }
  if (content_sha256 == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD") {
    return PayloadMode::streaming_signed;
  }
  if (content_sha256 == "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER") {
    return PayloadMode::streaming_signed_trailer;
  }
  if (content_sha256 == "STREAMING-UNSIGNED-PAYLOAD-TRAILER") {
    return PayloadMode::streaming_unsigned_trailer;
  }
  return std::nullopt;
}

}  // namespace mote::auth
