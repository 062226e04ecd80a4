#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "erasure/base/bytes.h"
#include "server/auth/authenticator.h"
#include "server/auth/body_check.h"
#include "server/auth/chunk_decoder.h"
#include "server/auth/failure.h"

namespace mote::auth {

/// Everything between the bytes of an HTTP body and the payload a handler stores: length rules,
/// aws-chunked decoding, BodyCheck. HTTP chunked coding is already
/// taken off. Move-only; one per request, used on one thread at a time.
class BodyReader {
 public:
  struct Options {
    BodyCheck::Options check;
    /// STREAMING-* is for PutObject and UploadPart only; elsewhere InvalidRequest.
    bool streaming_allowed = false;
    /// Payload limit; beyond it EntityTooLarge, before a byte is read.
    std::uint64_t bytes_max = 0;
  };

  /// `content_length`: nullopt where the body is HTTP-chunked. MissingContentLength (411),
  /// EntityTooLarge, InvalidRequest, InvalidArgument, and what BodyCheck::make answers.
  [[nodiscard]] static Outcome<BodyReader> make(const Verified& verified,
                                                const http::RequestHead& head,
                                                std::optional<std::uint64_t> content_length,
                                                const Options& options);

  /// As ChunkDecoder::next: consumes from the front of `wire`, returns the next run of payload (a
  /// view into it), already hashed; empty when `wire` is used up.
  [[nodiscard]] Outcome<ByteView> next(ByteView& wire);
  /// When the HTTP body has ended. Only now may anything made of the payload be published.
  [[nodiscard]] Outcome<BodySummary> finish();

  /// Payload bytes to expect, known before the first byte and enforced exactly.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
  /// Payload bytes handed out so far.
  [[nodiscard]] std::uint64_t bytes_seen() const noexcept { return seen_; }

 private:
  explicit BodyReader(BodyCheck check) : check_(std::move(check)) {}

  BodyCheck check_;
  std::optional<ChunkDecoder> decoder_;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace mote::auth
