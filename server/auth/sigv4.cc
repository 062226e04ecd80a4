#include "server/auth/sigv4.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/auth/canonical_request.h"
#include "server/auth/context_cache.h"
#include "server/digest/encoding.h"
#include "server/digest/hmac.h"
#include "server/http/ascii.h"
#include "server/http/limits.h"

namespace mote::auth {

namespace {

/// Memory reused from request to request; holds nothing secret.
struct Scratch {
  std::string canonical;
  std::string string_to_sign;
};
Scratch& scratch() {
  static thread_local Scratch memory;
  return memory;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

/// The error of the form the credential came in.
Failure bad_scope(const Claim& claim, const std::string& detail) {
  if (claim.presigned) {
    return {"AuthorizationQueryParametersError",
            400,
            "Error parsing the X-Amz-Credential parameter; " + detail,
            {}};
  }
  return {
      "AuthorizationHeaderMalformed", 400, "The authorization header is malformed; " + detail, {}};
}

bool region_is_accepted(std::string_view region, const AuthRequest& request,
                        const Authenticator::Options& options) {
  if (!options.region || region == *options.region || region == "US") {
    return true;
  }
  // Clients that do not know the region yet ask for it with a signature for the default one.
  return region == "us-east-1" && request.target.has("location");
}

///
std::optional<Failure> check_scope(const Claim& claim, const AuthRequest& request,
                                   const Authenticator::Options& options) {
  const CredentialScope& scope = claim.credential;
  if (scope.terminal != "aws4_request") {
    return bad_scope(claim, "incorrect terminal " + quoted(scope.terminal) +
                                ". This endpoint uses 'aws4_request'.");
  }
  if (scope.service != "s3") {
    return bad_scope(
        claim, "incorrect service " + quoted(scope.service) + ". This endpoint belongs to 's3'.");
  }
  if (scope.date != claim.amz_date_text().substr(0, scope.date.size())) {
    return bad_scope(claim, "Invalid credential date " + quoted(scope.date) +
                                ". This date is not the same as X-Amz-Date: " +
                                quoted(claim.amz_date_text()) + ".");
  }
  if (!region_is_accepted(scope.region, request, options)) {
    Failure failure = bad_scope(claim, "the region " + quoted(scope.region) +
                                           " is wrong; expecting " + quoted(*options.region));
    failure.extra.emplace_back("Region", *options.region);
    return failure;
  }
  return std::nullopt;
}

bool lists_header(std::string_view signed_headers, std::string_view name) {
  while (!signed_headers.empty()) {
    const std::size_t end = std::min(signed_headers.find(';'), signed_headers.size());
    const std::string_view item = signed_headers.substr(0, end);
    if (item.size() == name.size() &&
        std::equal(item.begin(), item.end(), name.begin(),
                   [](char a, char b) { return http::to_lower(a) == http::to_lower(b); })) {
      return true;
    }
    signed_headers.remove_prefix(std::min(end + 1, signed_headers.size()));
  }
  return false;
}

/// Headers that AWS SDKs and proxies add after signing, and that can only make the check of the
/// body stricter or that the last line of the canonical request binds anyway (reliability.md 3.1).
bool may_be_unsigned(std::string_view name) {
  constexpr std::array<std::string_view, 5> kExempt = {
      "x-amz-content-sha256", "x-amz-decoded-content-length", "x-amz-trailer",
      "x-amz-checksum-algorithm", "x-amz-cf-id"};
  return std::any_of(kExempt.begin(), kExempt.end(), [name](std::string_view exempt) {
    return http::equals_ignore_case(name, exempt);
  });
}

Failure headers_not_signed(std::string names) {
  return {"AccessDenied",
          403,
          "There were headers present in the request which were not signed",
          {{"HeadersNotSigned", std::move(names)}}};
}

/// what changes the meaning of a request must have been signed (CVE-2026-54330).
std::optional<Failure> check_unsigned_headers(const http::HeaderMap& headers,
                                              std::string_view signed_headers) {
  std::string names;
  for (const http::HeaderField& field : headers.fields()) {
    if (http::starts_with_ignore_case(field.name, "x-amz-") && !may_be_unsigned(field.name) &&
        !lists_header(signed_headers, field.name)) {
      names.append(names.empty() ? "" : ", ").append(field.name);
    }
  }
  return names.empty() ? std::nullopt : std::optional(headers_not_signed(std::move(names)));
}

/// Builds the string to sign and compares. `canonical` and `to_sign` are left for the error.
bool signature_matches(const CanonicalInput& input, const Claim& claim,
                       const digest::HmacSha256Key& key, Scratch& memory) {
  memory.canonical.clear();
  const bool complete = append_canonical_request(memory.canonical, input);
  HexSignature hash{};
  digest::write_hex(digest::Sha256::of(as_bytes(memory.canonical)), hash.data());
  memory.string_to_sign.clear();
  memory.string_to_sign.append(kAlgorithmV4)
      .append("\n")
      .append(claim.amz_date_text())
      .append("\n");
  memory.string_to_sign.append(claim.credential.scope)
      .append("\n")
      .append(hash.data(), hash.size());
  const HexSignature expected = sign_hex(key, memory.string_to_sign);
  return digest::constant_time_equal(std::string_view(expected.data(), expected.size()),
                                     claim.signature) &&
         complete;
}

std::optional<Failure> check_signature(CanonicalInput input, const Claim& claim,
                                       const digest::HmacSha256Key& key) {
  Scratch& memory = scratch();
  if (signature_matches(input, claim, key, memory)) {
    return std::nullopt;
  }
  Failure failure = signature_mismatch(claim.credential.access_key, claim.signature,
                                       memory.string_to_sign, memory.canonical);
  // Clients differ in how they sign a slash that they encoded. Both readings stand for the same
  // key.
  const std::string_view path = input.target.raw_path();
  if (path.find("%2F") != std::string_view::npos || path.find("%2f") != std::string_view::npos) {
    input.encoded_slash = http::Slash::keep;
    if (signature_matches(input, claim, key, memory)) {
      return std::nullopt;
    }
  }
  return failure;
}

/// Everything after the claim has been read, alike for header and query.
Outcome<Verified> verify_claim(const AuthRequest& request, const Ground& ground, const Claim& claim,
                               std::string_view payload_hash) {
  if (!lists_header(claim.signed_headers, "host")) {
    return headers_not_signed("host");
  }
  auto found = find_context(claim.credential, ground.credentials);
  if (!found) {
    return found.error();
  }
  const CanonicalInput input{request.head, request.target,  claim.signed_headers,
                             payload_hash, claim.presigned, http::Slash::encode};
  if (auto failure = check_signature(input, claim, found->context->key)) {
    return *std::move(failure);
  }
  if (auto failure = check_unsigned_headers(request.head.headers, claim.signed_headers)) {
    return *std::move(failure);
  }
  if (request.head.headers.contains("x-amz-security-token") ||
      request.target.has("X-Amz-Security-Token")) {
    return Failure{"InvalidToken",
                   400,
                   "The provided token is malformed or otherwise invalid.",
                   {}};  // no STS: there are none
  }
  if (!found->cached) {
    ContextCache::of_this_thread().put(found->version, claim.credential.text, found->context);
  }
  Verified verified;
  verified.scheme = claim.presigned ? Scheme::v4_query : Scheme::v4_header;
  verified.context = std::move(found->context);
  verified.amz_date = claim.amz_date;
  std::copy(claim.signature.begin(), claim.signature.end(), verified.seed_signature.begin());
  return verified;
}

/// A presigner's headers in the query, lower-cased.
void take_hoisted(const http::Target& target, Verified& verified) {
  for (const http::QueryParam& param : target.params()) {
    if (http::starts_with_ignore_case(param.name, "x-amz-") && !is_auth_param(param.name)) {
      std::string name(param.name);
      std::transform(name.begin(), name.end(), name.begin(), http::to_lower);
      verified.hoisted.emplace_back(std::move(name), param.value);
    }
  }
}

/// Date, scope and age of a presigned request.
std::optional<Failure> check_validity(const Claim& claim, std::int64_t now_seconds) {
  if (claim.time_seconds - now_seconds > http::kClockSkewMsMax / 1000) {
    return Failure{"AccessDenied", 403, "Request is not valid yet", {}};
  }
  const std::int64_t expires_at = claim.time_seconds + claim.expires_seconds;
  if (now_seconds >= expires_at) {
    Failure failure = request_expired(expires_at, now_seconds);
    failure.extra.emplace(failure.extra.begin(), "X-Amz-Expires",
                          std::to_string(claim.expires_seconds));
    return failure;
  }
  return std::nullopt;
}

std::string spaced_hex(std::string_view text) {
  std::string out;
  out.reserve(text.size() * 3);
  for (const char& c : text) {
    out.append(out.empty() ? "" : " ").append(digest::to_hex(as_bytes(std::string_view(&c, 1))));
  }
  return out;
}

}  // namespace

Failure invalid_access_key(std::string_view access_key) {
  return {"InvalidAccessKeyId",
          403,
          "The AWS Access Key Id you provided does not exist in our records.",
          {{"AWSAccessKeyId", std::string(access_key)}}};
}

Failure time_too_skewed(std::string_view request_time, std::int64_t now_seconds) {
  return {"RequestTimeTooSkewed",
          403,
          "The difference between the request time and the current time is too large.",
          {{"RequestTime", std::string(request_time)},
           {"ServerTime", http::xml_date(now_seconds * 1000)},
           {"MaxAllowedSkewMilliseconds", std::to_string(http::kClockSkewMsMax)}}};
}

Failure request_expired(std::int64_t expired_at, std::int64_t now_seconds) {
  return {"AccessDenied",
          403,
          "Request has expired",
          {{"Expires", http::xml_date(expired_at * 1000)},
           {"ServerTime", http::xml_date(now_seconds * 1000)}}};
}

Failure signature_mismatch(std::string_view access_key, std::string_view provided,
                           std::string_view string_to_sign, std::string_view canonical) {
  Failure failure{"SignatureDoesNotMatch",
                  403,
                  "The request signature we calculated does not match the signature you provided. "
                  "Check your key and signing method.",
                  {{"AWSAccessKeyId", std::string(access_key)},
                   {"StringToSign", std::string(string_to_sign)},
                   {"SignatureProvided", std::string(provided)},
                   {"StringToSignBytes", spaced_hex(string_to_sign)}}};
  if (!canonical.empty()) {
    failure.extra.emplace_back("CanonicalRequest", canonical);
    failure.extra.emplace_back("CanonicalRequestBytes", spaced_hex(canonical));
  }
  return failure;
}

Outcome<FoundContext> find_context(const CredentialScope& scope,
                                   const CredentialStore& credentials) {
  // Read before the snapshot is taken: the context is then never older than the version it is filed
  // under.
  const std::uint64_t version = credentials.version();
  if (auto cached = ContextCache::of_this_thread().find(version, scope.text)) {
    return FoundContext{std::move(cached), version, true};
  }
  const auto snapshot = credentials.snapshot();
  const Credential* const credential = snapshot->find(scope.access_key);
  if (credential == nullptr) {
    return invalid_access_key(scope.access_key);
  }
  auto context = std::make_shared<const SigningContext>(SigningContext{
      credential->identity, std::string(scope.scope),
      derive_signing_key(credential->secret, scope.date, scope.region, scope.service)});
  return FoundContext{std::move(context), version, false};
}

Outcome<Verified> verify_v4_header(const AuthRequest& request, const Ground& ground) {
  const http::HeaderMap& headers = request.head.headers;
  auto claim = read_header_claim(headers);
  if (!claim) {
    return claim.error();
  }
  if (auto failure = check_scope(*claim, request, ground.options)) {
    return *std::move(failure);
  }
  const std::int64_t skew = claim->time_seconds - ground.now_seconds;
  if (std::max(skew, -skew) > http::kClockSkewMsMax / 1000) {
    return time_too_skewed(claim->amz_date_text(), ground.now_seconds);
  }
  const auto hash = headers.find("x-amz-content-sha256");
  if (!hash) {
    return Failure{"InvalidRequest",
                   400,
                   "Missing required header for this request: x-amz-content-sha256",
                   {}};
  }
  const auto mode = parse_payload_mode(*hash);
  if (!mode) {
    return Failure{
        "InvalidArgument",
        400,
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, "
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid "
        "sha256 value.",
        {{"ArgumentName", "x-amz-content-sha256"}, {"ArgumentValue", std::string(*hash)}}};
  }
  auto verified = verify_claim(request, ground, *claim, *hash);
  if (verified) {
    verified->payload_mode = *mode;
    if (*mode == PayloadMode::hashed) {
      static_cast<void>(
          digest::read_hex(*hash, verified->payload_sha256));  // 64 hex digits, as the mode says
    }
  }
  return verified;
}

Outcome<Verified> verify_v4_query(const AuthRequest& request, const Ground& ground) {
  auto claim = read_query_claim(request.target);
  if (!claim) {
    return claim.error();
  }
  if (auto failure = check_scope(*claim, request, ground.options)) {
    return *std::move(failure);
  }
  // A hash counts if it was signed: as a parameter or as a signed header. One that a bearer of the
  // URL adds takes no part in the signature, but the body is held against it.
  const auto sent = request.head.headers.find("x-amz-content-sha256");
  const http::QueryParam* const param = request.target.find("X-Amz-Content-Sha256");
  std::string_view signed_hash = "UNSIGNED-PAYLOAD";
  if (param != nullptr) {
    signed_hash = param->value;
  } else if (sent && lists_header(claim->signed_headers, "x-amz-content-sha256")) {
    signed_hash = *sent;
  }
  const std::string_view body_hash = sent.value_or(signed_hash);
  const auto mode = parse_payload_mode(body_hash);
  const auto signed_mode = parse_payload_mode(signed_hash);
  if (!mode || !signed_mode || is_streaming(*mode) || is_streaming(*signed_mode)) {
    return Failure{"AuthorizationQueryParametersError",
                   400,
                   "A presigned request takes UNSIGNED-PAYLOAD or a valid sha256 value.",
                   {}};
  }
  if (*signed_mode == PayloadMode::hashed && signed_hash != body_hash) {
    return Failure{
        "InvalidArgument", 400, "x-amz-content-sha256 differs from the value that was signed.", {}};
  }
  if (auto failure = check_validity(*claim, ground.now_seconds)) {
    return *std::move(failure);
  }
  auto verified = verify_claim(request, ground, *claim, signed_hash);
  if (verified) {
    verified->payload_mode = *mode;
    if (*mode == PayloadMode::hashed) {
      static_cast<void>(digest::read_hex(body_hash, verified->payload_sha256));
    }
    take_hoisted(request.target, *verified);
  }
  return verified;
}

}  // namespace mote::auth
