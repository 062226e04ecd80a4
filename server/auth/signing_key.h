#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "server/auth/credentials.h"
#include "server/digest/hmac.h"

namespace mote::auth {

/// 64 lower-case hex digits of an HMAC-SHA256.
using HexSignature = std::array<char, 64>;

/// What a verified identity signs with on one day in one region: identity, scope and derived key.
/// Made once per (key, date, region, service) and thread, then shared by the requests that use it.
/// Immutable.
struct SigningContext {
  Identity identity;
  std::string scope;          ///< "20130524/us-east-1/s3/aws4_request"
  digest::HmacSha256Key key;  ///< the derived signing key
};

/// kSigning of AWS "Create a signed request": HMAC chain over date, region, service,
/// "aws4_request".
[[nodiscard]] digest::HmacSha256Key derive_signing_key(const Secret& secret, std::string_view date,
                                                       std::string_view region,
                                                       std::string_view service);

/// Hex MAC of a string to sign.
[[nodiscard]] HexSignature sign_hex(const digest::HmacSha256Key& key,
                                    std::string_view string_to_sign);

}  // namespace mote::auth
