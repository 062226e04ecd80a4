#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "erasure/base/bytes.h"
#include "server/auth/authenticator.h"
#include "server/auth/chunk_decoder.h"
#include "server/auth/failure.h"
#include "server/digest/checksum.h"
#include "server/digest/hash.h"

namespace mote::auth {

/// What is known of a body that was received whole and verified.
struct BodySummary {
  std::uint64_t bytes = 0;
  std::optional<digest::Md5Value> md5;  ///< if asked for, or sent as Content-MD5
  std::optional<digest::ChecksumValue>
      checksum;                  ///< the one the client sent (verified), else the default asked for
  bool client_checksum = false;  ///< checksum came from the client
};

/// Verifies the payload of one request in a single pass: x-amz-content-sha256, Content-MD5, one
/// x-amz-checksum-* from header or trailer. Each hash is computed once, even where two of the
/// checks need it.
class BodyCheck {
 public:
  struct Options {
    bool want_md5 = false;  ///< PutObject, UploadPart: the MD5 becomes the ETag
    /// Computed if the client sends none (S3 itself stores CRC64NVME then).
    std::optional<digest::ChecksumAlgorithm> default_checksum;
    /// At least one of Content-MD5 and x-amz-checksum-* must come (DeleteObjects); else
    /// InvalidRequest.
    bool integrity_required = false;
  };

  /// InvalidDigest (Content-MD5 is not base64 of 16 bytes), InvalidRequest (two checksum headers,
  /// unknown algorithm, value that does not decode, sdk algorithm that differs from the header).
  [[nodiscard]] static Outcome<BodyCheck> make(const Verified& verified,
                                               const http::RequestHead& head,
                                               const Options& options);

  void update(ByteView payload) noexcept;
  /// XAmzContentSHA256Mismatch, BadDigest, InvalidRequest, MalformedTrailerError. Spent afterwards.
  [[nodiscard]] Outcome<BodySummary> finish(std::span<const Trailer> trailers);

  BodyCheck(BodyCheck&&) = default;
  BodyCheck& operator=(BodyCheck&&) = default;

 private:
  BodyCheck() = default;
  [[nodiscard]] std::optional<Failure> read_checksum_headers(const Verified& verified,
                                                             const http::RequestHead& head);
  [[nodiscard]] std::optional<Failure> read_trailer(std::span<const Trailer> trailers);

  std::uint64_t bytes_ = 0;
  std::optional<digest::Sha256Value> expected_sha256_;
  std::optional<digest::Md5Value> expected_md5_;
  std::optional<digest::ChecksumValue>
      expected_checksum_;          // from a header; a trailer sets it in finish()
  bool trailer_expected_ = false;  // announced, its value still to come
  bool trailer_mode_ = false;
  bool want_md5_ = false;
  std::optional<digest::ChecksumAlgorithm> default_checksum_;
  std::optional<digest::Sha256> sha256_;
  std::optional<digest::Md5> md5_;
  std::vector<digest::Checksum> checksums_;  // usually none or one
};

/// Everything between the bytes of an HTTP body and the payload a handler stores: length rules,
/// aws-chunked decoding, BodyCheck. HTTP chunked coding is already taken off.
class BodyReader {
 public:
  struct Options {
    BodyCheck::Options check;
    /// STREAMING-* is for PutObject and UploadPart only; elsewhere InvalidRequest.
    bool streaming_allowed = false;
    std::uint64_t bytes_max =
        0;  ///< payload limit; beyond it EntityTooLarge, before reading where known
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

  /// Payload bytes to expect, known before the first byte unless the body is plain and
  /// HTTP-chunked.
  [[nodiscard]] std::optional<std::uint64_t> payload_bytes() const noexcept {
    return payload_bytes_;
  }
  /// Payload bytes handed out so far.
  [[nodiscard]] std::uint64_t bytes_seen() const noexcept { return seen_; }

 private:
  explicit BodyReader(BodyCheck check) : check_(std::move(check)) {}

  BodyCheck check_;
  std::optional<ChunkDecoder> decoder_;
  std::optional<std::uint64_t> payload_bytes_;
  std::uint64_t bytes_max_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace mote::auth
