#pragma once

#include "server/auth/authenticator.h"
#include "server/auth/claim.h"
#include "server/auth/failure.h"

/// The SigV4 half of Authenticator.
namespace mote::auth {

/// What both signature versions are verified against. References outlive the call.
struct Ground {
  const Authenticator::Options& options;
  const CredentialStore& credentials;
  std::int64_t now_seconds;
};

/// REQUIRES an Authorization header that begins with kAlgorithmV4.
[[nodiscard]] Outcome<Verified> verify_v4_header(const AuthRequest& request, const Ground& ground);
/// REQUIRES has_query_claim.
[[nodiscard]] Outcome<Verified> verify_v4_query(const AuthRequest& request, const Ground& ground);

/// A signing context and where it is from.
struct FoundContext {
  std::shared_ptr<const SigningContext> context;
  std::uint64_t version = 0;  ///< of the credential store it is good for
  bool cached = false;
};
/// From the thread's cache, or derived anew and then not yet cached. InvalidAccessKeyId.
[[nodiscard]] Outcome<FoundContext> find_context(const CredentialScope& scope,
                                                 const CredentialStore& credentials);

[[nodiscard]] Failure invalid_access_key(std::string_view access_key);
[[nodiscard]] Failure time_too_skewed(std::string_view request_time, std::int64_t now_seconds);
/// AccessDenied with the elements AWS adds; `expired_at` in seconds.
[[nodiscard]] Failure request_expired(std::int64_t expired_at, std::int64_t now_seconds);
/// SignatureDoesNotMatch with the elements that show a client its mistake; `canonical` may be empty
/// (SigV2).
[[nodiscard]] Failure signature_mismatch(std::string_view access_key, std::string_view provided,
                                         std::string_view string_to_sign,
                                         std::string_view canonical);

}  // namespace mote::auth
