#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "server/auth/failure.h"
#include "server/http/date.h"
#include "server/http/head.h"
#include "server/http/target.h"

/// What a SigV4 request claims, taken from its header or query and checked for form only.
namespace mote::auth {

/// "AKIA…/20130524/us-east-1/s3/aws4_request" in its pieces. Views.
struct CredentialScope {
  std::string_view text;   ///< all of it
  std::string_view scope;  ///< from the date on
  std::string_view access_key;
  std::string_view date;
  std::string_view region;
  std::string_view service;
  std::string_view terminal;
};
/// nullopt unless there are five parts, none empty, the date of eight digits. An access key may
/// hold '/'.
[[nodiscard]] std::optional<CredentialScope> parse_credential(std::string_view text) noexcept;

/// Views into the head or the target.
struct Claim {
  CredentialScope credential;
  std::string_view signed_headers;
  std::string_view signature;
  std::array<char, http::kAmzDateBytes> amz_date{};
  std::int64_t time_seconds = 0;     ///< amz_date
  std::int64_t expires_seconds = 0;  ///< presigned only
  bool presigned = false;

  [[nodiscard]] std::string_view amz_date_text() const noexcept {
    return {amz_date.data(), amz_date.size()};
  }
};

inline constexpr std::string_view kAlgorithmV4 = "AWS4-HMAC-SHA256";

/// The value of an Authorization header that begins with kAlgorithmV4, and the date headers.
/// AuthorizationHeaderMalformed, AccessDenied for the date.
[[nodiscard]] Outcome<Claim> read_header_claim(const http::HeaderMap& headers);

/// The X-Amz-* parameters of a presigned request. AuthorizationQueryParametersError.
[[nodiscard]] Outcome<Claim> read_query_claim(const http::Target& target);

/// True if a query parameter is one of SigV4's six, in whatever case.
[[nodiscard]] bool has_query_claim(const http::Target& target) noexcept;
/// True for a query parameter that is part of the signature itself and no hoisted header.
[[nodiscard]] bool is_auth_param(std::string_view name) noexcept;

/// x-amz-date, or else Date: nullopt if neither is there or the one that counts does not parse. ISO
/// 8601 basic and HTTP dates are taken in both.
[[nodiscard]] std::optional<std::int64_t> request_time(const http::HeaderMap& headers) noexcept;

}  // namespace mote::auth
