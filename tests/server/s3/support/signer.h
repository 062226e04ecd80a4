#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mote::s3::test {

struct Credentials {
  std::string access_key;
  std::string secret_key;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request as a client would build it. `target` is sent as it stands.
struct Request {
  std::string method;
  std::string target;
  Headers headers;
  std::string body;
  bool http_chunked = false;  ///< Transfer-Encoding: chunked instead of Content-Length

  Request& with(std::string name, std::string value);
  [[nodiscard]] std::string header(std::string_view lower) const;
};

/// A small SigV4 client of its own, written from AWS's description and not from the server's code,
/// so that both have to agree. Times are "20261130T120000Z".
class Signer {
 public:
  Signer(Credentials credentials, std::string amz_date, std::string region = "us-east-1");

  /// Adds x-amz-date, x-amz-content-sha256 (of the body unless the request has one) and
  /// Authorization over every header it carries.
  void sign(Request& request) const;
  /// Adds the query parameters of a presigned request; only `host` is signed.
  void presign(Request& request, int expires_seconds) const;
  /// Turns the body into aws-chunked pieces of `chunk_bytes`, each signed, and signs the request.
  void sign_chunked(Request& request, std::size_t chunk_bytes) const;
  /// The fields that sign a form's policy: the credential, and the signature over its base64.
  [[nodiscard]] std::string credential() const { return credentials_.access_key + "/" + scope(); }
  [[nodiscard]] std::string policy_signature(std::string_view base64) const {
    return signature(base64);
  }

 private:
  [[nodiscard]] std::string scope() const;
  [[nodiscard]] std::string signature(std::string_view string_to_sign) const;
  std::string sign_with_hash(Request& request, const std::string& payload_hash) const;

  Credentials credentials_;
  std::string amz_date_;
  std::string region_;
};

std::string sha256_hex(std::string_view text);
std::string md5_hex(std::string_view text);
std::string md5_base64(std::string_view text);

}  // namespace mote::s3::test
