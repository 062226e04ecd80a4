#include "server/auth/sigv2.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "server/auth/claim.h"
#include "server/digest/encoding.h"
#include "server/digest/hmac.h"
#include "server/http/ascii.h"
#include "server/http/limits.h"

namespace mote::auth {

namespace {

// Parameters that are part of the resource, sorted; all others are not signed.
constexpr std::string_view kSubresources[] = {
    "accelerate",
    "acl",
    "analytics",
    "cors",
    "delete",
    "encryption",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "partNumber",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "replication",
    "requestPayment",
    "response-cache-control",
    "response-content-disposition",
    "response-content-encoding",
    "response-content-language",
    "response-content-type",
    "response-expires",
    "restore",
    "retention",
    "select",
    "select-type",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versionId",
    "versioning",
    "versions",
    "website",
};

void append_amz_headers(std::string& out, const http::HeaderMap& headers) {
  std::vector<std::pair<std::string, std::string>> sorted;
  for (const http::HeaderField& field : headers.fields()) {
    if (!http::starts_with_ignore_case(field.name, "x-amz-")) {
      continue;
    }
    std::string name(field.name);
    std::transform(name.begin(), name.end(), name.begin(), http::to_lower);
    const auto same = std::find_if(sorted.begin(), sorted.end(),
                                   [&name](const auto& entry) { return entry.first == name; });
    if (same == sorted.end()) {
      sorted.emplace_back(std::move(name), field.value);
    } else {
      same->second.append(",").append(field.value);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [name, value] : sorted) {
    out.append(name).append(":").append(value).append("\n");
  }
}

/// What clients sign differently from what they send, meaning the same operation: a subresource
/// without a value (`?uploads=` is signed as `?uploads`), and a bucket without a slash (boto3 sends
/// `/bucket` and signs `/bucket/`).
struct Reading {
  bool bare_subresource = false;
  bool slash_after_bucket = false;
};
constexpr Reading kReadings[] = {{}, {true, false}, {false, true}, {true, true}};

bool is_bucket_without_slash(std::string_view path) noexcept {
  return path.size() > 1 && path.find('/', 1) == std::string_view::npos;
}

void append_resource(std::string& out, const AuthRequest& request, Reading reading) {
  if (!request.host_bucket.empty()) {
    out.append("/").append(request.host_bucket);
  }
  out.append(request.target.raw_path());
  if (reading.slash_after_bucket && request.host_bucket.empty() &&
      is_bucket_without_slash(request.target.raw_path())) {
    out.push_back('/');
  }
  char separator = '?';
  for (const std::string_view name : kSubresources) {
    const http::QueryParam* const param = request.target.find(name);
    if (param == nullptr) {
      continue;
    }
    out.push_back(separator);
    separator = '&';
    out.append(name);
    if (!param->value.empty() || (param->has_equals && !reading.bare_subresource)) {
      out.append("=").append(param->value);
    }
  }
}

/// What a SigV2 request claims. Views.
struct ClaimV2 {
  std::string_view access_key;
  std::string_view signature;
  std::string_view date;  ///< the Date line of the string to sign
};

std::string make_string_to_sign(const AuthRequest& request, const ClaimV2& claim, Reading reading) {
  const http::HeaderMap& headers = request.head.headers;
  std::string out;
  out.append(request.head.method_text).append("\n");
  out.append(headers.get("content-md5")).append("\n");
  out.append(headers.get("content-type")).append("\n");
  out.append(claim.date).append("\n");
  append_amz_headers(out, headers);
  append_resource(out, request, reading);
  return out;
}

bool matches(const Credential& credential, const std::string& string_to_sign,
             std::string_view signature) {
  const auto mac =
      digest::hmac_sha1(as_bytes(credential.secret.reveal()), as_bytes(string_to_sign));
  return digest::constant_time_equal(digest::to_base64(mac), signature);
}

Outcome<Verified> verify(const AuthRequest& request, const Ground& ground, const ClaimV2& claim) {
  const auto snapshot = ground.credentials.snapshot();
  const Credential* const credential = snapshot->find(claim.access_key);
  if (credential == nullptr) {
    return invalid_access_key(claim.access_key);
  }
  const bool matched =
      std::any_of(std::begin(kReadings), std::end(kReadings), [&](const Reading reading) {
        return matches(*credential, make_string_to_sign(request, claim, reading), claim.signature);
      });
  if (!matched) {
    return signature_mismatch(claim.access_key, claim.signature,
                              make_string_to_sign(request, claim, {}), {});
  }
  if (request.head.headers.contains("x-amz-security-token")) {
    return Failure{
        "InvalidToken", 400, "The provided token is malformed or otherwise invalid.", {}};
  }
  Verified verified;
  verified.context = std::make_shared<const SigningContext>(
      SigningContext{credential->identity, {}, digest::HmacSha256Key({})});
  return verified;
}

}  // namespace

bool has_v2_query(const http::Target& target) noexcept {
  return target.has("AWSAccessKeyId") || target.has("Signature");
}

Outcome<Verified> verify_v2_header(const AuthRequest& request, const Ground& ground) {
  const http::HeaderMap& headers = request.head.headers;
  const std::string_view value = http::trim_ows(headers.get("authorization").substr(4));
  const std::size_t colon = value.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == value.size()) {
    return Failure{"InvalidArgument",
                   400,
                   "AWS authorization header is invalid.  Expected AwsAccessKeyId:signature",
                   {}};
  }
  const auto time = request_time(headers);
  if (!time) {
    return Failure{
        "AccessDenied", 403, "AWS authentication requires a valid Date or x-amz-date header", {}};
  }
  const std::int64_t skew = *time - ground.now_seconds;
  if (std::max(skew, -skew) > http::kClockSkewMsMax / 1000) {
    return time_too_skewed(headers.find("x-amz-date").value_or(headers.get("date")),
                           ground.now_seconds);
  }
  // With x-amz-date among the signed headers the Date line is empty.
  const std::string_view date =
      headers.contains("x-amz-date") ? std::string_view{} : headers.get("date");
  auto verified = verify(request, ground, {value.substr(0, colon), value.substr(colon + 1), date});
  if (verified) {
    verified->scheme = Scheme::v2_header;
  }
  return verified;
}

Outcome<Verified> verify_v2_query(const AuthRequest& request, const Ground& ground) {
  const http::Target& target = request.target;
  for (const std::string_view name : {"AWSAccessKeyId", "Signature", "Expires"}) {
    if (target.count(name) != 1 || target.value(name).empty()) {
      return Failure{"AccessDenied",
                     403,
                     "Query-string authentication requires the Signature, Expires and "
                     "AWSAccessKeyId parameters",
                     {}};
    }
  }
  const auto expires = http::parse_number<std::int64_t>(target.value("Expires"));
  if (!expires) {
    return Failure{
        "AccessDenied",
        403,
        "Invalid date (should be seconds since epoch): " + std::string(target.value("Expires")),
        {}};
  }
  if (ground.now_seconds >= *expires) {
    return request_expired(*expires, ground.now_seconds);
  }
  auto verified =
      verify(request, ground,
             {target.value("AWSAccessKeyId"), target.value("Signature"), target.value("Expires")});
  if (verified) {
    verified->scheme = Scheme::v2_query;
  }
  return verified;
}

}  // namespace mote::auth
