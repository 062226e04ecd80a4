#include "server/auth/claim.h"

#include <algorithm>
#include <string>

#include "server/http/ascii.h"
#include "server/http/limits.h"

namespace mote::auth {

namespace {

constexpr std::string_view kBadDate =
    "AWS authentication requires a valid Date or x-amz-date header";

struct QueryName {
  std::string_view exact;
  std::string_view lower;
};
constexpr std::array<QueryName, 6> kRequired = {{
    {"X-Amz-Algorithm", "x-amz-algorithm"},
    {"X-Amz-Credential", "x-amz-credential"},
    {"X-Amz-Date", "x-amz-date"},
    {"X-Amz-Expires", "x-amz-expires"},
    {"X-Amz-SignedHeaders", "x-amz-signedheaders"},
    {"X-Amz-Signature", "x-amz-signature"},
}};

Failure header_malformed(std::string_view detail) {
  return {"AuthorizationHeaderMalformed",
          400,
          "The authorization header is malformed; " + std::string(detail),
          {}};
}

Failure query_error(std::string_view message) {
  return {"AuthorizationQueryParametersError", 400, std::string(message), {}};
}

/// One "Name=value" piece of the header into the claim's place for it.
std::optional<Failure> take_component(std::string_view piece, std::string_view& credential,
                                      Claim& claim) {
  const std::size_t equals = piece.find('=');
  if (equals == std::string_view::npos) {
    return header_malformed("a component has no value.");
  }
  const std::string_view name = piece.substr(0, equals);
  std::string_view* place = nullptr;
  if (name == "Credential") {
    place = &credential;
  } else if (name == "SignedHeaders") {
    place = &claim.signed_headers;
  } else if (name == "Signature") {
    place = &claim.signature;
  } else {
    return header_malformed("it has an unknown component.");
  }
  if (!place->empty()) {
    return header_malformed("a component is repeated.");
  }
  *place = piece.substr(equals + 1);
  return std::nullopt;
}

/// request_time() into the claim. A client signs many requests in one second: the last date that
/// was read is kept, so that most cost a comparison.
bool read_time(const http::HeaderMap& headers, Claim& claim) {
  thread_local std::array<char, http::kAmzDateBytes> seen{};
  thread_local std::int64_t seen_seconds = 0;
  const std::string_view text = headers.get("x-amz-date");
  if (text.size() == seen.size() && text == std::string_view(seen.data(), seen.size())) {
    claim.amz_date = seen;
    claim.time_seconds = seen_seconds;
    return true;
  }
  const auto time = request_time(headers);
  if (!time) {
    return false;
  }
  claim.time_seconds = *time;
  claim.amz_date = http::format_amz_date(*time);
  if (text == claim.amz_date_text()) {
    seen = claim.amz_date;
    seen_seconds = *time;
  }
  return true;
}

std::optional<Failure> check_required_params(const http::Target& target) {
  for (const http::QueryParam& param : target.params()) {
    if (!http::starts_with_ignore_case(param.name, "x-amz-")) {
      continue;
    }
    // Twice, or in another case: the signer and we might not read the same one.
    const auto same = [&param](const http::QueryParam& other) {
      return std::equal(param.name.begin(), param.name.end(), other.name.begin(), other.name.end(),
                        [](char a, char b) { return http::to_lower(a) == http::to_lower(b); });
    };
    if (std::count_if(target.params().begin(), target.params().end(), same) != 1) {
      return query_error("Query-string authentication parameters must be given exactly once.");
    }
  }
  for (const QueryName& name : kRequired) {
    if (target.value(name.exact).empty()) {
      return query_error(
          "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, "
          "X-Amz-Signature, X-Amz-Date, "
          "X-Amz-SignedHeaders, and X-Amz-Expires parameters.");
    }
  }
  return std::nullopt;
}

std::optional<Failure> read_expires(std::string_view text, std::int64_t& seconds) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (!http::is_digits(digits)) {
    return query_error("X-Amz-Expires should be a number");
  }
  if (negative) {
    return query_error("X-Amz-Expires must be non-negative");
  }
  const auto value = http::parse_number<std::int64_t>(digits);
  if (!value || *value > http::kPresignedSecondsMax) {
    return query_error(
        "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires "
        "must be less than 604800 seconds");
  }
  seconds = *value;
  return std::nullopt;
}

}  // namespace

std::optional<CredentialScope> parse_credential(std::string_view text) noexcept {
  CredentialScope out;
  out.text = text;
  std::string_view rest = text;
  for (std::string_view* part : {&out.terminal, &out.service, &out.region, &out.date}) {
    const std::size_t slash = rest.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == rest.size()) {
      return std::nullopt;
    }
    *part = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  out.access_key = rest;
  out.scope = text.substr(std::min(rest.size() + 1, text.size()));
  constexpr std::size_t kDateDigits = 8;
  const bool date_ok = out.date.size() == kDateDigits && http::is_digits(out.date);
  return rest.empty() || !date_ok ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> request_time(const http::HeaderMap& headers) noexcept {
  const auto amz = headers.find("x-amz-date");
  const auto text = amz ? amz : headers.find("date");
  if (!text) {
    return std::nullopt;
  }
  const auto basic = http::parse_amz_date(*text);
  return basic ? basic : http::parse_http_date(*text);
}

Outcome<Claim> read_header_claim(const http::HeaderMap& headers) {
  Claim claim;
  std::string_view credential;
  std::optional<Failure> failure;
  http::for_each_item(headers.get("authorization").substr(kAlgorithmV4.size()),
                      [&](std::string_view piece) {
                        if (!failure) {
                          failure = take_component(piece, credential, claim);
                        }
                      });
  if (failure) {
    return *std::move(failure);
  }
  if (credential.empty()) {
    return header_malformed("missing Credential.");
  }
  if (claim.signed_headers.empty()) {
    return header_malformed("missing SignedHeaders.");
  }
  if (claim.signature.empty()) {
    return header_malformed("missing Signature.");
  }
  const auto scope = parse_credential(credential);
  if (!scope) {
    return header_malformed(
        "the Credential is mal-formed; expecting "
        "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  }
  claim.credential = *scope;
  if (!read_time(headers, claim)) {
    return Failure{"AccessDenied", 403, std::string(kBadDate), {}};
  }
  return claim;
}

Outcome<Claim> read_query_claim(const http::Target& target) {
  if (auto failure = check_required_params(target)) {
    return *std::move(failure);
  }
  if (target.value("X-Amz-Algorithm") != kAlgorithmV4) {
    return query_error("X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
  }
  const auto scope = parse_credential(target.value("X-Amz-Credential"));
  if (!scope) {
    return query_error(
        "Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "
        "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  }
  const auto time = http::parse_amz_date(target.value("X-Amz-Date"));
  if (!time) {
    return query_error("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  Claim claim;
  if (auto failure = read_expires(target.value("X-Amz-Expires"), claim.expires_seconds)) {
    return *std::move(failure);
  }
  claim.credential = *scope;
  claim.signed_headers = target.value("X-Amz-SignedHeaders");
  claim.signature = target.value("X-Amz-Signature");
  claim.time_seconds = *time;
  claim.amz_date = http::format_amz_date(*time);
  claim.presigned = true;
  return claim;
}

bool has_query_claim(const http::Target& target) noexcept {
  return std::any_of(
      target.params().begin(), target.params().end(), [](const http::QueryParam& param) {
        return std::any_of(kRequired.begin(), kRequired.end(), [&param](const QueryName& name) {
          return http::equals_ignore_case(param.name, name.lower);
        });
      });
}

bool is_auth_param(std::string_view name) noexcept {
  return http::equals_ignore_case(name, "x-amz-security-token") ||
         http::equals_ignore_case(name, "x-amz-content-sha256") ||
         std::any_of(kRequired.begin(), kRequired.end(), [name](const QueryName& required) {
           return http::equals_ignore_case(name, required.lower);
         });
}

}  // namespace mote::auth
