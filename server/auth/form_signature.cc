#include "server/auth/form_signature.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/auth/claim.h"
#include "server/digest/encoding.h"
#include "server/digest/hmac.h"
#include "server/http/date.h"

namespace mote::auth {

namespace {

Failure missing_field(std::string_view name) {
  return {"InvalidArgument",
          400,
          "Bucket POST must contain a field named '" + std::string(name) +
              "'.  If it is specified, please check the order of the fields.",
          {{"ArgumentName", std::string(name)}, {"ArgumentValue", ""}}};
}

Failure invalid_field(std::string_view name, std::string_view value, std::string message) {
  return {"InvalidArgument",
          400,
          std::move(message),
          {{"ArgumentName", std::string(name)}, {"ArgumentValue", std::string(value)}}};
}

Failure wrong_signature(std::string_view access_key, std::string_view provided,
                        std::string_view policy) {
  return signature_mismatch(access_key, provided, policy, {});
}

Outcome<Verified> verify_v4(const FormFields& fields, const Authenticator& authenticator) {
  for (const std::string_view name :
       {"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature", "policy"}) {
    if (find_field(fields, name).value_or("").empty()) {
      return missing_field(name);
    }
  }
  const std::string_view algorithm = *find_field(fields, "x-amz-algorithm");
  if (algorithm != kAlgorithmV4) {
    return invalid_field("x-amz-algorithm", algorithm,
                         "X-Amz-Algorithm only supports \"AWS4-HMAC-SHA256\"");
  }
  const std::string_view date = *find_field(fields, "x-amz-date");
  const std::string_view credential = *find_field(fields, "x-amz-credential");
  const auto scope = parse_credential(credential);
  if (!http::parse_amz_date(date) || (scope && scope->date != date.substr(0, scope->date.size()))) {
    return invalid_field("x-amz-date", date,
                         "X-Amz-Date must be an ISO8601 date of the day that the credential names");
  }
  auto context = authenticator.signing_context(credential);
  if (!context) {
    return std::move(context).error();
  }
  const std::string_view policy = *find_field(fields, "policy");
  const std::string_view provided = *find_field(fields, "x-amz-signature");
  const HexSignature expected = sign_hex((*context)->key, policy);
  if (!digest::constant_time_equal(std::string_view(expected.data(), expected.size()), provided)) {
    return wrong_signature((*context)->identity.access_key, provided, policy);
  }
  Verified verified;
  verified.scheme = Scheme::form;
  verified.context = *std::move(context);
  return verified;
}

Outcome<Verified> verify_v2(const FormFields& fields, const Authenticator& authenticator) {
  for (const auto& [lower, name] :
       {std::pair<std::string_view, std::string_view>{"awsaccesskeyid", "AWSAccessKeyId"},
        {"signature", "signature"},
        {"policy", "policy"}}) {
    if (find_field(fields, lower).value_or("").empty()) {
      return missing_field(name);
    }
  }
  const std::string_view access_key = *find_field(fields, "awsaccesskeyid");
  const std::string_view policy = *find_field(fields, "policy");
  const std::string_view provided = *find_field(fields, "signature");
  const auto snapshot = authenticator.credentials().snapshot();
  const Credential* const credential = snapshot->find(access_key);
  if (credential == nullptr) {
    return invalid_access_key(access_key);
  }
  const auto mac = digest::hmac_sha1(as_bytes(credential->secret.reveal()), as_bytes(policy));
  if (!digest::constant_time_equal(digest::to_base64(mac), provided)) {
    return wrong_signature(access_key, provided, policy);
  }
  Verified verified;
  verified.scheme = Scheme::form;
  verified.context = std::make_shared<const SigningContext>(
      SigningContext{credential->identity, {}, digest::HmacSha256Key({})});
  return verified;
}

}  // namespace

Outcome<Verified> verify_form(const FormFields& fields, const Authenticator& authenticator) {
  const auto has = [&fields](std::string_view name) {
    return find_field(fields, name).has_value();
  };
  const bool v4 = has("x-amz-algorithm") || has("x-amz-credential") || has("x-amz-signature");
  const bool v2 = has("awsaccesskeyid") || has("signature");
  if (has("x-amz-security-token")) {
    return Failure{
        "InvalidToken", 400, "The provided token is malformed or otherwise invalid.", {}};
  }
  if (v4 && v2) {
    return Failure{"InvalidArgument", 400, "Only one auth mechanism allowed", {}};
  }
  if (v4) {
    return verify_v4(fields, authenticator);
  }
  if (v2) {
    return verify_v2(fields, authenticator);
  }
  if (has("policy")) {
    return missing_field("AWSAccessKeyId");
  }
  return Failure{"AccessDenied", 403, "Access Denied", {}};
}

}  // namespace mote::auth
