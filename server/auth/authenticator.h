#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "erasure/base/clock.h"
#include "server/auth/credentials.h"
#include "server/auth/failure.h"
#include "server/auth/payload_mode.h"
#include "server/auth/signing_key.h"
#include "server/digest/hash.h"
#include "server/http/date.h"
#include "server/http/head.h"
#include "server/http/target.h"

namespace mote::auth {

/// How a request proved who it is from.
enum class Scheme : std::uint8_t { anonymous, v4_header, v4_query, v2_header, v2_query, form };

/// A request whose signature was right, or that carried none.
struct Verified {
  Scheme scheme = Scheme::anonymous;
  PayloadMode payload_mode = PayloadMode::unsigned_payload;
  /// Null for anonymous requests. For SigV2 only `identity` in it is meaningful.
  std::shared_ptr<const SigningContext> context;
  digest::Sha256Value payload_sha256{};  ///< with PayloadMode::hashed
  HexSignature seed_signature{};         ///< starts the chain of chunk signatures
  std::array<char, http::kAmzDateBytes>
      amz_date{};  ///< of the request; part of every chunk's string to sign
  /// Headers that a presigner moved into the signed query (x-amz-meta-*, x-amz-acl, …), name in
  /// lower case. S3 applies them as if they were headers. Empty otherwise.
  std::vector<std::pair<std::string, std::string>> hoisted;

  [[nodiscard]] bool anonymous() const noexcept { return context == nullptr; }
  /// REQUIRES !anonymous().
  [[nodiscard]] const Identity& identity() const noexcept { return context->identity; }
  /// Value of a header as S3 sees it: sent, or else hoisted; nullopt if neither. `lower` in lower
  /// case.
  [[nodiscard]] std::optional<std::string_view> header(const http::RequestHead& head,
                                                       std::string_view lower) const noexcept;
};

/// What is judged: head and target of one request and the bucket that the Host header named ("" in
/// path style; SigV2 signs it).
struct AuthRequest {
  const http::RequestHead& head;
  const http::Target& target;
  std::string_view host_bucket;
};

/// Finds out who a request is from (the "authenticate" of INV-10). One per server, thread-safe,
/// const: its scratch memory and signing-key cache are per thread, so a repeated key costs no lock
/// and no allocation. It never looks at the body; BodyReader does that with what is in Verified.
class Authenticator {
 public:
  struct Options {
    /// Where set, the only region a scope may name, but for "us-east-1" on ?location and s3cmd's
    /// "US".
    std::optional<std::string> region;
  };

  /// `credentials` and `clock` outlive the authenticator.
  Authenticator(Options options, const CredentialStore& credentials, const Clock& clock);

  /// Judges by reliability.md. A request without any credential is Scheme::anonymous;
  /// whether it may go on is the policy's business. Errors are S3's: InvalidAccessKeyId,
  /// SignatureDoesNotMatch, AccessDenied, RequestTimeTooSkewed, AuthorizationHeaderMalformed,
  /// AuthorizationQueryParametersError, InvalidArgument, InvalidRequest.
  [[nodiscard]] Outcome<Verified> authenticate(const AuthRequest& request) const;

  /// The identity and signing key of a scope, for what is signed outside the Authorization header
  /// (POST policy). InvalidAccessKeyId, AuthorizationHeaderMalformed. `credential` =
  /// "AK/20130524/us-east-1/s3/aws4_request".
  [[nodiscard]] Outcome<std::shared_ptr<const SigningContext>> signing_context(
      std::string_view credential) const;

  [[nodiscard]] const CredentialStore& credentials() const noexcept { return credentials_; }

 private:
  Options options_;
  const CredentialStore& credentials_;
  const Clock& clock_;
};

}  // namespace mote::auth
