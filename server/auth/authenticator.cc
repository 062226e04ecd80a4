#include "server/auth/authenticator.h"

#include <algorithm>
#include <utility>

#include "server/auth/claim.h"
#include "server/auth/sigv2.h"
#include "server/auth/sigv4.h"
#include "server/digest/encoding.h"
#include "server/http/ascii.h"

namespace mote::auth {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return http::to_lower(x) == http::to_lower(y);
         });
}

/// Headers that decide something and so may come once only; user metadata may repeat, it is joined.
bool must_be_single(std::string_view name) {
  if (http::starts_with_ignore_case(name, "x-amz-")) {
    return !http::starts_with_ignore_case(name, "x-amz-meta-");
  }
  return http::equals_ignore_case(name, "authorization") ||
         http::equals_ignore_case(name, "date") || http::equals_ignore_case(name, "content-md5");
}

/// never first-wins here and last-wins there.
std::optional<Failure> check_repeats(const http::HeaderMap& headers) {
  const auto fields = headers.fields();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!must_be_single(fields[i].name)) {
      continue;
    }
    for (std::size_t j = i + 1; j < fields.size(); ++j) {
      if (same_name(fields[i].name, fields[j].name)) {
        return Failure{"InvalidArgument",
                       400,
                       "A header was given more than once.",
                       {{"ArgumentName", std::string(fields[i].name)}}};
      }
    }
  }
  return std::nullopt;
}

/// Payload mode of requests whose scheme does not sign x-amz-content-sha256: the body is still held
/// to it, but signed chunks need a signature to start from.
std::optional<Failure> read_unsigned_mode(const http::HeaderMap& headers, Verified& verified) {
  const auto hash = headers.find("x-amz-content-sha256");
  if (!hash) {
    return std::nullopt;
  }
  const auto mode = parse_payload_mode(*hash);
  if (!mode) {
    return Failure{"InvalidArgument",
                   400,
                   "x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a valid sha256 value.",
                   {}};
  }
  if (has_chunk_signatures(*mode)) {
    return Failure{"InvalidRequest",
                   400,
                   "Signed chunks need a request signed with AWS Signature Version 4.",
                   {}};
  }
  verified.payload_mode = *mode;
  if (*mode == PayloadMode::hashed) {
    static_cast<void>(digest::read_hex(*hash, verified.payload_sha256));
  }
  return std::nullopt;
}

Outcome<Verified> with_unsigned_mode(Outcome<Verified> verified, const http::HeaderMap& headers) {
  if (verified) {
    if (auto failure = read_unsigned_mode(headers, *verified)) {
      return *std::move(failure);
    }
  }
  return verified;
}

}  // namespace

std::optional<std::string_view> Verified::header(const http::RequestHead& head,
                                                 std::string_view lower) const noexcept {
  if (const auto sent = head.headers.find(lower)) {
    return sent;
  }
  for (const auto& [name, value] : hoisted) {
    if (name == lower) {
      return value;
    }
  }
  return std::nullopt;
}

Authenticator::Authenticator(Options options, const CredentialStore& credentials,
                             const Clock& clock)
    : options_(std::move(options)), credentials_(credentials), clock_(clock) {}

Outcome<Verified> Authenticator::authenticate(const AuthRequest& request) const {
  const http::HeaderMap& headers = request.head.headers;
  if (auto failure = check_repeats(headers)) {
    return *std::move(failure);
  }
  const auto authorization = headers.find("authorization");
  const bool v4_query = has_query_claim(request.target);
  const bool v2_query = has_v2_query(request.target);
  if ((authorization ? 1 : 0) + (v4_query ? 1 : 0) + (v2_query ? 1 : 0) > 1) {
    return Failure{"InvalidArgument",
                   400,
                   "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, "
                   "Signature query string parameter or the "
                   "Authorization header should be specified",
                   {{"ArgumentName", "Authorization"}}};
  }
  const Ground ground{options_, credentials_, clock_.wall_ms() / 1000};
  if (v4_query) {
    return verify_v4_query(request, ground);
  }
  if (v2_query) {
    return with_unsigned_mode(verify_v2_query(request, ground), headers);
  }
  if (!authorization) {
    return with_unsigned_mode(Verified{}, headers);
  }
  if (authorization->starts_with(kAlgorithmV4) &&
      (authorization->size() == kAlgorithmV4.size() ||
       http::is_ows((*authorization)[kAlgorithmV4.size()]))) {
    return verify_v4_header(request, ground);
  }
  if (authorization->starts_with("AWS ")) {
    return with_unsigned_mode(verify_v2_header(request, ground), headers);
  }
  return Failure{"InvalidArgument",
                 400,
                 "Unsupported Authorization Type",
                 {{"ArgumentName", "Authorization"}}};
}

Outcome<std::shared_ptr<const SigningContext>> Authenticator::signing_context(
    std::string_view credential) const {
  const auto scope = parse_credential(credential);
  if (!scope || scope->service != "s3" || scope->terminal != "aws4_request") {
    return Failure{"AuthorizationHeaderMalformed",
                   400,
                   "the Credential is mal-formed; expecting "
                   "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".",
                   {}};
  }
  if (options_.region && scope->region != *options_.region && scope->region != "US") {
    return Failure{"AuthorizationHeaderMalformed",
                   400,
                   "the region is wrong; expecting '" + *options_.region + "'",
                   {{"Region", *options_.region}}};
  }
  auto found = find_context(*scope, credentials_);
  if (!found) {
    return found.error();
  }
  return std::move(found->context);
}

}  // namespace mote::auth
