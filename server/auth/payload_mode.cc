#include "server/auth/payload_mode.h"

#include "server/digest/encoding.h"
#include "server/digest/hash.h"

namespace mote::auth {

std::optional<PayloadMode> parse_payload_mode(std::string_view content_sha256) noexcept {
  digest::Sha256Value hash{};
  if (digest::read_hex(content_sha256, hash)) {
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
