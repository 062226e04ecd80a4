#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mote::auth {

/// What x-amz-content-sha256 says of the body. It alone decides: Content-Encoding may lack
/// `aws-chunked`.
enum class PayloadMode : std::uint8_t {
  unsigned_payload,          ///< UNSIGNED-PAYLOAD, and every presigned, SigV2 or anonymous request
  hashed,                    ///< SHA-256 of the whole body in hex
  streaming_signed,          ///< STREAMING-AWS4-HMAC-SHA256-PAYLOAD
  streaming_signed_trailer,  ///< STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER
  streaming_unsigned_trailer,  ///< STREAMING-UNSIGNED-PAYLOAD-TRAILER
};

/// True if the body is aws-chunked.
[[nodiscard]] constexpr bool is_streaming(PayloadMode mode) noexcept {
  return mode >= PayloadMode::streaming_signed;
}
[[nodiscard]] constexpr bool has_trailer(PayloadMode mode) noexcept {
  return mode == PayloadMode::streaming_signed_trailer ||
         mode == PayloadMode::streaming_unsigned_trailer;
}
[[nodiscard]] constexpr bool has_chunk_signatures(PayloadMode mode) noexcept {
  return mode == PayloadMode::streaming_signed || mode == PayloadMode::streaming_signed_trailer;
}

/// nullopt for anything that is neither 64 hex digits nor one of the four words.
[[nodiscard]] std::optional<PayloadMode> parse_payload_mode(
    std::string_view content_sha256) noexcept;

}  // namespace mote::auth
