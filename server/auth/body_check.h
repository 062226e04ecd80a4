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
    /// CompleteMultipartUpload: x-amz-checksum-* speak of the object, not of this body.
    bool ignore_checksum_headers = false;
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
  [[nodiscard]] std::optional<Failure> take_checksum_header(std::string_view header,
                                                            std::string_view value);
  [[nodiscard]] std::optional<Failure> read_announced_trailer(const Verified& verified,
                                                              const http::RequestHead& head);
  [[nodiscard]] std::optional<Failure> read_trailers(std::span<const Trailer> trailers);
  void compute(digest::ChecksumAlgorithm algorithm);
  [[nodiscard]] bool computes(digest::ChecksumAlgorithm algorithm) const noexcept;
  /// REQUIRES computes(algorithm) and that the hashes have been finished.
  [[nodiscard]] digest::ChecksumValue computed(digest::ChecksumAlgorithm algorithm) const;

  std::uint64_t bytes_ = 0;
  std::optional<digest::Sha256Value> expected_sha256_;
  std::optional<digest::Md5Value> expected_md5_;
  std::optional<digest::ChecksumValue>
      expected_checksum_;  // from a header; a trailer sets it in finish()
  std::optional<digest::ChecksumAlgorithm>
      announced_;  // by x-amz-trailer; its value is still to come
  std::optional<digest::ChecksumAlgorithm> default_checksum_;
  std::optional<digest::Sha256> sha256_;
  std::optional<digest::Md5> md5_;
  std::vector<digest::Checksum> checksums_;  // neither MD5 nor SHA-256; usually none or one
  digest::Sha256Value sha256_value_{};       // set by finish()
  digest::Md5Value md5_value_{};
  std::vector<digest::ChecksumValue> checksum_values_;
};

}  // namespace mote::auth
