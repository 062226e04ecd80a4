#include "tests/server/auth/auth_fixture.h"

#include "server/auth/canonical_request.h"
#include "server/digest/encoding.h"

namespace mote::auth {

std::string Signer::signature(const TestRequest& request, bool presigned) const {
  std::string canonical;
  static_cast<void>(
      append_canonical_request(canonical, {request.head(), request.target(), signed_headers,
                                           payload_hash, presigned, http::Slash::encode}));
  const std::string text = "AWS4-HMAC-SHA256\n" + date + "\n" + scope() + "\n" +
                           digest::to_hex(digest::Sha256::of(as_bytes(canonical)));
  const auto hex = sign_hex(derive_signing_key(Secret(secret), scope_date, region, service), text);
  return {hex.data(), hex.size()};
}

TestRequest Signer::sign(const TestRequest& request) const {
  const TestRequest dated =
      request.with("x-amz-date", date).with("x-amz-content-sha256", payload_hash);
  return dated.with("Authorization", "AWS4-HMAC-SHA256 Credential=" + access_key + "/" + scope() +
                                         ", SignedHeaders=" + signed_headers +
                                         ", Signature=" + signature(dated, false));
}

TestRequest Signer::presign(const TestRequest& request, std::string_view expires) const {
  std::string target = request.target_text();
  target += target.find('?') == std::string::npos ? "?" : "&";
  target += "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" +
            http::uri_encode(access_key + "/" + scope()) + "&X-Amz-Date=" + date +
            "&X-Amz-Expires=" + std::string(expires) +
            "&X-Amz-SignedHeaders=" + http::uri_encode(signed_headers);
  return request.with_target(target +
                             "&X-Amz-Signature=" + signature(request.with_target(target), true));
}

TEST_CASE("fixture: the signer agrees with AWS's published signing example") {
  // AWS "Examples: Signature calculations", GET Object with a Range header.
  const TestRequest request("GET", "/test.txt",
                            {{"Host", "examplebucket.s3.amazonaws.com"}, {"Range", "bytes=0-9"}});
  Signer signer;
  signer.payload_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  signer.signed_headers = "host;range;x-amz-content-sha256;x-amz-date";
  CHECK(signer.sign(request)
            .field("authorization")
            .ends_with("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

}  // namespace mote::auth
