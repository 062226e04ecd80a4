#include "server/auth/body_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "erasure/base/check.h"
#include "server/digest/encoding.h"
#include "server/http/ascii.h"

namespace mote::auth {

namespace {

using digest::ChecksumAlgorithm;
using digest::ChecksumValue;

constexpr std::string_view kChecksumPrefix = "x-amz-checksum-";

Failure invalid_request(std::string message) {
  return {"InvalidRequest", 400, std::move(message), {}};
}

Failure malformed_trailer() {
  return {"MalformedTrailerError",
          400,
          "The request contained trailing data that was not well-formed or did not conform to our "
          "published schema.",
          {}};
}

Failure unsupported_algorithm() {
  return invalid_request(
      "Checksum algorithm provided is unsupported. Please try again with any of the valid types: "
      "[CRC32, CRC32C, CRC64NVME, SHA1, SHA256, "
      "SHA512, MD5, XXHASH64, XXHASH3, XXHASH128]");
}

/// x-amz-checksum-algorithm, -mode and -type say something about checksums and carry none.
bool carries_a_value(std::string_view header) {
  return http::starts_with_ignore_case(header, kChecksumPrefix) &&
         !http::equals_ignore_case(header, "x-amz-checksum-algorithm") &&
         !http::equals_ignore_case(header, "x-amz-checksum-mode") &&
         !http::equals_ignore_case(header, "x-amz-checksum-type");
}

/// The algorithm that one of the two naming headers names; nothing if neither is there.
Outcome<std::optional<ChecksumAlgorithm>> named_algorithm(const Verified& verified,
                                                          const http::RequestHead& head) {
  std::optional<ChecksumAlgorithm> found;
  for (const std::string_view header :
       {"x-amz-checksum-algorithm", "x-amz-sdk-checksum-algorithm"}) {
    if (const auto text = verified.header(head, header)) {
      found = digest::parse_checksum_algorithm(*text);
      if (!found) {
        return unsupported_algorithm();
      }
    }
  }
  return found;
}

}  // namespace

Outcome<BodyCheck> BodyCheck::make(const Verified& verified, const http::RequestHead& head,
                                   const Options& options) {
  BodyCheck check;
  if (verified.payload_mode == PayloadMode::hashed) {
    check.expected_sha256_ = verified.payload_sha256;
    check.sha256_.emplace();
  }
  if (const auto sent = head.headers.find("content-md5")) {
    digest::Md5Value md5{};
    if (!digest::read_base64(*sent, md5)) {
      return Failure{"InvalidDigest",
                     400,
                     "The Content-MD5 you specified was invalid.",
                     {{"Content-MD5", std::string(*sent)}}};
    }
    check.expected_md5_ = md5;
  }
  if (options.want_md5 || check.expected_md5_) {
    check.md5_.emplace();
  }
  if (!options.ignore_checksum_headers) {
    if (auto failure = check.read_checksum_headers(verified, head)) {
      return *std::move(failure);
    }
  }
  if (options.integrity_required && !check.expected_md5_ && !check.expected_checksum_ &&
      !check.announced_) {
    return invalid_request(
        "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
  }
  if (!check.expected_checksum_ && !check.announced_ && options.default_checksum) {
    check.default_checksum_ = options.default_checksum;
    check.compute(*options.default_checksum);
  }
  return check;
}

std::optional<Failure> BodyCheck::read_checksum_headers(const Verified& verified,
                                                        const http::RequestHead& head) {
  for (const http::HeaderField& field : head.headers.fields()) {
    if (carries_a_value(field.name)) {
      if (auto failure = take_checksum_header(field.name, field.value)) {
        return failure;
      }
    }
  }
  for (const auto& [name, value] : verified.hoisted) {
    if (carries_a_value(name) && !head.headers.contains(name)) {
      if (auto failure = take_checksum_header(name, value)) {
        return failure;
      }
    }
  }
  return read_announced_trailer(verified, head);
}

std::optional<Failure> BodyCheck::take_checksum_header(std::string_view header,
                                                       std::string_view value) {
  const auto algorithm = digest::checksum_header(header);
  if (!algorithm) {
    return unsupported_algorithm();
  }
  if (expected_checksum_) {
    return invalid_request(
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
  }
  expected_checksum_ = ChecksumValue::from_base64(*algorithm, value);
  if (!expected_checksum_) {
    return invalid_request("Value for " + std::string(digest::header_name(*algorithm)) +
                           " header is invalid.");
  }
  compute(*algorithm);
  return std::nullopt;
}

std::optional<Failure> BodyCheck::read_announced_trailer(const Verified& verified,
                                                         const http::RequestHead& head) {
  const auto named = named_algorithm(verified, head);
  if (!named) {
    return named.error();
  }
  if (expected_checksum_ && *named && **named != expected_checksum_->algorithm) {
    return invalid_request("Value for x-amz-sdk-checksum-algorithm header is invalid.");
  }
  const auto trailer = head.headers.find("x-amz-trailer");
  if (trailer) {
    // S3 takes one checksum and nothing else in a trailer.
    announced_ = digest::checksum_header(*trailer);
    if (!announced_) {
      return invalid_request("The value specified in the x-amz-trailer header is not supported");
    }
    if (!has_trailer(verified.payload_mode)) {
      return invalid_request(
          "The x-amz-trailer header needs an x-amz-content-sha256 that ends in -TRAILER");
    }
    if (expected_checksum_) {
      return invalid_request("Expecting a single x-amz-checksum- header");
    }
    compute(*announced_);
  } else if (has_trailer(verified.payload_mode) && !expected_checksum_) {
    // A trailer may come unannounced. It can be verified only if its kind is guessed beforehand.
    if (*named) {
      compute(**named);
    } else {
      compute(ChecksumAlgorithm::crc32);
      compute(ChecksumAlgorithm::crc32c);
      compute(ChecksumAlgorithm::crc64nvme);
    }
  }
  return std::nullopt;
}

void BodyCheck::compute(ChecksumAlgorithm algorithm) {
  if (computes(algorithm)) {
    return;
  }
  if (algorithm == ChecksumAlgorithm::md5) {
    md5_.emplace();
  } else if (algorithm == ChecksumAlgorithm::sha256) {
    sha256_.emplace();
  } else {
    checksums_.emplace_back(algorithm);
  }
}

bool BodyCheck::computes(ChecksumAlgorithm algorithm) const noexcept {
  if (algorithm == ChecksumAlgorithm::md5) {
    return md5_.has_value();
  }
  if (algorithm == ChecksumAlgorithm::sha256) {
    return sha256_.has_value();
  }
  return std::any_of(checksums_.begin(), checksums_.end(),
                     [algorithm](const auto& one) { return one.algorithm() == algorithm; });
}

ChecksumValue BodyCheck::computed(ChecksumAlgorithm algorithm) const {
  if (algorithm == ChecksumAlgorithm::md5) {
    return ChecksumValue::from_bytes(algorithm, md5_value_);
  }
  if (algorithm == ChecksumAlgorithm::sha256) {
    return ChecksumValue::from_bytes(algorithm, sha256_value_);
  }
  const auto found = std::find_if(
      checksum_values_.begin(), checksum_values_.end(),
      [algorithm](const ChecksumValue& value) { return value.algorithm == algorithm; });
  MOTE_CHECK(found != checksum_values_.end());
  return *found;
}

void BodyCheck::update(ByteView payload) noexcept {
  bytes_ += payload.size();
  if (sha256_) {
    sha256_->update(payload);
  }
  if (md5_) {
    md5_->update(payload);
  }
  for (digest::Checksum& checksum : checksums_) {
    checksum.update(payload);
  }
}

std::optional<Failure> BodyCheck::read_trailers(std::span<const Trailer> trailers) {
  for (const auto& [name, value] : trailers) {
    const auto algorithm = digest::checksum_header(name);
    if (!algorithm || !computes(*algorithm) || expected_checksum_) {
      return malformed_trailer();
    }
    expected_checksum_ = ChecksumValue::from_base64(*algorithm, value);
    if (!expected_checksum_) {
      return invalid_request("Value for " + name + " trailing header is invalid.");
    }
  }
  return announced_ && !expected_checksum_ ? std::optional(malformed_trailer()) : std::nullopt;
}

Outcome<BodySummary> BodyCheck::finish(std::span<const Trailer> trailers) {
  BodySummary summary;
  summary.bytes = bytes_;
  if (sha256_) {
    sha256_value_ = sha256_->finish();
  }
  if (md5_) {
    md5_value_ = md5_->finish();
    summary.md5 = md5_value_;
  }
  for (digest::Checksum& checksum : checksums_) {
    checksum_values_.push_back(checksum.finish());
  }
  if (expected_sha256_ && *expected_sha256_ != sha256_value_) {
    return Failure{"XAmzContentSHA256Mismatch",
                   400,
                   "The provided 'x-amz-content-sha256' header does not match what was computed.",
                   {{"ClientComputedContentSHA256", digest::to_hex(*expected_sha256_)},
                    {"S3ComputedContentSHA256", digest::to_hex(sha256_value_)}}};
  }
  if (expected_md5_ && *expected_md5_ != md5_value_) {
    return Failure{"BadDigest",
                   400,
                   "The Content-MD5 you specified did not match what we received.",
                   {{"ExpectedDigest", digest::to_base64(*expected_md5_)},
                    {"CalculatedDigest", digest::to_base64(md5_value_)}}};
  }
  if (auto failure = read_trailers(trailers)) {
    return *std::move(failure);
  }
  if (expected_checksum_) {
    const ChecksumValue value = computed(expected_checksum_->algorithm);
    if (value != *expected_checksum_) {
      return Failure{"BadDigest",
                     400,
                     "The " + std::string(digest::name(value.algorithm)) +
                         " you specified did not match the calculated checksum.",
                     {}};
    }
    summary.checksum = value;
    summary.client_checksum = true;
  } else if (default_checksum_) {
    summary.checksum = computed(*default_checksum_);
  }
  return summary;
}

}  // namespace mote::auth
