#pragma once

#include "server/auth/authenticator.h"
#include "server/auth/failure.h"
#include "server/auth/sigv4.h"

/// AWS signature version 2 ("Signing and authenticating REST requests"): HMAC-SHA1 over method, a
/// few headers, all x-amz-* headers and the resource. The body is bound by Content-MD5 at most.
namespace mote::auth {

/// REQUIRES an Authorization header that begins with "AWS ".
[[nodiscard]] Outcome<Verified> verify_v2_header(const AuthRequest& request, const Ground& ground);
/// True if AWSAccessKeyId or Signature is in the query.
[[nodiscard]] bool has_v2_query(const http::Target& target) noexcept;
/// REQUIRES has_v2_query.
[[nodiscard]] Outcome<Verified> verify_v2_query(const AuthRequest& request, const Ground& ground);

}  // namespace mote::auth
