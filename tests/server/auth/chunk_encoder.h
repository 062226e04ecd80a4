#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/auth/chunk_decoder.h"
#include "server/digest/encoding.h"
#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {

/// A verified request of one streaming mode, for signing and decoding chunks without an HTTP head.
inline Verified streaming_request(PayloadMode mode) {
  Verified verified;
  verified.scheme = Scheme::v4_header;
  verified.payload_mode = mode;
  const std::string scope = "20130524/us-east-1/s3/aws4_request";
  verified.context = std::make_shared<const SigningContext>(SigningContext{
      {std::string(kExampleKey), "owner-id", "", ""},
      scope,
      derive_signing_key(Secret(std::string(kExampleSecret)), "20130524", "us-east-1", "s3")});
  verified.seed_signature.fill('5');
  verified.amz_date = http::format_amz_date(1'369'353'600);
  return verified;
}

/// Writes aws-chunked bodies as clients do, with knobs for their differences and for mistakes.
class ChunkEncoder {
 public:
  explicit ChunkEncoder(const Verified& verified)
      : verified_(verified),
        previous_(verified.seed_signature.data(), verified.seed_signature.size()) {}

  std::string trailer_eol = "\r\n";     ///< minio-go: "\n"
  bool blank_before_signature = false;  ///< minio-go
  bool signature_first = false;
  std::string unsigned_extension;  ///< CRT: ";"

  void chunk(std::string_view data) {
    body += size_line(data) + "\r\n" + std::string(data) + "\r\n";
  }
  /// The closing chunk and, for trailer modes, the trailers.
  void close(const std::vector<Trailer>& trailers = {}) {
    body += size_line("") + "\r\n";
    if (!has_trailer(verified_.payload_mode)) {
      body += "\r\n";
      return;
    }
    std::string lines;
    std::string signed_text;
    for (const auto& [name, value] : trailers) {
      lines += name + ":" + value + trailer_eol;
      signed_text += name + ":" + value + "\n";
    }
    if (!has_chunk_signatures(verified_.payload_mode)) {
      body += lines + "\r\n";
      return;
    }
    const std::string to_sign = "AWS4-HMAC-SHA256-TRAILER\n20130524T000000Z\n" +
                                verified_.context->scope + "\n" + previous_ + "\n" +
                                digest::to_hex(digest::Sha256::of(as_bytes(signed_text)));
    const std::string signature = "x-amz-trailer-signature:" + hex(to_sign) + "\r\n";
    body += signature_first ? signature + lines
                            : lines + (blank_before_signature ? "\r\n" : "") + signature;
    body += "\r\n";
  }
  /// Chunks of `chunk_bytes`, the last one shorter, then the close.
  void all(std::string_view payload, std::size_t chunk_bytes,
           const std::vector<Trailer>& trailers = {}) {
    for (std::size_t i = 0; i < payload.size(); i += chunk_bytes) {
      chunk(payload.substr(i, chunk_bytes));
    }
    close(trailers);
  }

  std::string body;

 private:
  [[nodiscard]] std::string hex(const std::string& text) const {
    const auto digits = sign_hex(verified_.context->key, text);
    return {digits.data(), digits.size()};
  }
  std::string size_line(std::string_view data) {
    std::string line;
    for (std::size_t left = data.size(); left != 0 || line.empty(); left /= 16) {
      line.insert(line.begin(), "0123456789abcdef"[left % 16]);
    }
    if (!has_chunk_signatures(verified_.payload_mode)) {
      return line + unsigned_extension;
    }
    previous_ = hex("AWS4-HMAC-SHA256-PAYLOAD\n20130524T000000Z\n" + verified_.context->scope +
                    "\n" + previous_ + "\n" + digest::to_hex(digest::Sha256::of({})) + "\n" +
                    digest::to_hex(digest::Sha256::of(as_bytes(data))));
    return line + ";chunk-signature=" + previous_;
  }

  const Verified& verified_;
  std::string previous_;
};

}  // namespace mote::auth
