#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/auth/body_check.h"
#include "server/auth/body_reader.h"
#include "server/digest/checksum.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// A payload that was received whole and verified, ready for put() or put_part(). Dropping it
/// leaves nothing behind.
struct Intake {
  Body body;
  auth::BodySummary summary;
};

/// Receives an object's bytes: aws-chunked taken off, hashes and signatures verified, kept in one
/// buffer of the announced size up to the store's inline limit, else streamed into a BodySink
/// through buffers of at most kStreamBytes (INV-12). Nothing is returned, and so nothing can be
/// committed, unless everything verified. `default_checksum` is computed if the client sent none.
Async<Outcome<Intake>> take_payload(Call& call,
                                    std::optional<digest::ChecksumAlgorithm> default_checksum);

/// What must come with a document.
enum class DocumentChecks : std::uint8_t {
  none,
  integrity,          ///< Content-MD5 or a checksum (DeleteObjects)
  foreign_checksums,  ///< x-amz-checksum-* speak of an object, not of this document (Complete)
};

/// Reads a request document whole and verifies it; "" if there is no body. MaxMessageLengthExceeded
/// beyond `bytes_max`.
Async<Outcome<std::string>> read_document(Call& call, std::size_t bytes_max, DocumentChecks checks);

inline constexpr std::size_t kStreamBytes = kMiB;

/// Collects payload into buffers of the right size and hands full ones to a sink. Used by uploads
/// and copies alike.
class PayloadWriter {
 public:
  /// `bytes` is the exact size of the payload.
  static Outcome<PayloadWriter> make(Call& call, std::uint64_t bytes);

  /// Room in the current buffer, never empty while payload is missing.
  [[nodiscard]] ByteSpan room() noexcept { return buffer_.span().subspan(filled_); }
  /// `count` bytes were written to the front of room().
  Async<Refusal> advance(Call& call, std::size_t count);
  /// Copies `bytes`; EntityTooLarge-like overflow is the caller's to prevent.
  Async<Refusal> write(Call& call, ByteView bytes);
  /// REQUIRES that all bytes were written.
  [[nodiscard]] Body finish() &&;
  [[nodiscard]] std::uint64_t missing() const noexcept { return missing_; }

 private:
  PayloadWriter() = default;
  void next_buffer();

  std::unique_ptr<BodySink> sink_;
  Buffer buffer_;
  std::size_t filled_ = 0;
  std::uint64_t missing_ = 0;  ///< bytes not yet written
};

/// What is put under the route's bucket and key for a body that was taken: its hashes and
/// `attributes`. Leaves `intake.body` to its taker.
[[nodiscard]] PutRequest put_request(const Call& call, const Intake& intake,
                                     ObjectAttributes attributes);

/// What a failed read of the request's body means.
[[nodiscard]] S3Error body_error(const Error& error);

}  // namespace mote::s3
