#include "server/auth/authenticator.h"

#include <atomic>
#include <string>
#include <thread>
#include <type_traits>

#include <doctest/doctest.h>

#include "server/auth/canonical_request.h"
#include "server/auth/claim.h"
#include "server/auth/context_cache.h"
#include "server/digest/encoding.h"
#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {
namespace {

TestRequest plain(std::string_view method = "GET", std::string_view target = "/bucket/key") {
  return {method, target, {{"Host", "localhost:9000"}}};
}

std::string canonical_uri(std::string_view raw, http::Slash slash = http::Slash::encode) {
  http::Target target;
  REQUIRE_FALSE(target.parse(raw));
  std::string out;
  append_canonical_uri(out, target, slash);
  return out;
}

std::string canonical_query(std::string_view raw, std::string_view except = {}) {
  http::Target target;
  REQUIRE_FALSE(target.parse(raw));
  std::string out;
  append_canonical_query(out, target, except);
  return out;
}

TEST_CASE("canonical: the path as sent, every segment encoded once (wire 4)") {
  CHECK(canonical_uri("/") == "/");
  CHECK(canonical_uri("/b/a%20b%2Bc/%C3%A9") == "/b/a%20b%2Bc/%C3%A9");
  CHECK(canonical_uri("/b/a+b(1)") == "/b/a%2Bb%281%29");
  CHECK(canonical_uri("/b/%7e%41%2a") == "/b/~A%2A");
  CHECK(canonical_uri("/b//./../x/") == "/b//./../x/");
  CHECK(canonical_uri("/b/%2fx%2F") == "/b/%2Fx%2F");
  CHECK(canonical_uri("/b/%2fx%2F", http::Slash::keep) == "/b//x/");
  CHECK(canonical_uri("/b/\xc3\xa9") == "/b/%C3%A9");
  CHECK(canonical_uri("/b/%25") == "/b/%25");
}

TEST_CASE(
    "canonical: query sorted by encoded name, then value; missing values are empty (wire 5)") {
  CHECK(canonical_query("/").empty());
  CHECK(canonical_query("/?uploads") == "uploads=");
  CHECK(canonical_query("/?uploads=") == "uploads=");
  CHECK(canonical_query("/?b=2&a=1&b=1&a") == "a=&a=1&b=1&b=2");
  CHECK(canonical_query("/?a-b=1&a=2") == "a=2&a-b=1");  // by name, not by the joined text
  CHECK(canonical_query("/?prefix=a+b%2Bc/") == "prefix=a%20b%2Bc%2F");
  CHECK(canonical_query("/?X=1&x=2") == "X=1&x=2");
  CHECK(canonical_query("/?S=1", "S").empty());
  CHECK(canonical_query("/?S=1&a=2", "S") == "a=2");
}

TEST_CASE("canonical: values are trimmed, blanks collapsed, repeats joined; names in lower case") {
  const TestRequest request(
      "GET", "/", {{"Host", "h"}, {"X-A", " one   two\t three "}, {"x-b", "1"}, {"X-B", "2"}});
  std::string out;
  CHECK(append_canonical_request(
      out, {request.head(), request.target(), "host;X-A;x-b", "HASH", false, {}}));
  CHECK(out == "GET\n/\n\nhost:h\nx-a:one two three\nx-b:1,2\n\nhost;X-A;x-b\nHASH");
  out.clear();
  CHECK_FALSE(append_canonical_request(
      out, {request.head(), request.target(), "gone;host", "HASH", false, {}}));
  CHECK(out == "GET\n/\n\ngone:\nhost:h\n\ngone;host\nHASH");
}

TEST_CASE("authorization: with and without blanks after commas, in any order (wire 1)") {
  const AuthBench bench;
  const TestRequest good = Signer().sign(plain());
  std::string value(good.field("authorization"));
  for (std::size_t at = value.find(", "); at != std::string::npos; at = value.find(", ")) {
    value.erase(at + 1, 1);
  }
  CHECK(bench.code(good.replacing("Authorization", value)) == "");
  const std::string signature = value.substr(value.find("Signature="));
  const std::string rest = value.substr(17, value.find(",Signature=") - 17);
  CHECK(bench.code(good.replacing("Authorization",
                                  "AWS4-HMAC-SHA256   " + signature + " , " + rest)) == "");
}

TEST_CASE("authorization: any set of signed headers (wire 2)") {
  const AuthBench bench;
  Signer signer;
  signer.signed_headers =
      "accept-encoding;amz-sdk-invocation-id;content-length;host;range;x-amz-content-sha256;x-amz-"
      "date;x-amz-user-agent";
  const TestRequest request = signer.sign(plain()
                                              .with("Accept-Encoding", "identity")
                                              .with("amz-sdk-invocation-id", "1")
                                              .with("Content-Length", "0")
                                              .with("Range", "bytes=0-1")
                                              .with("X-Amz-User-Agent", "js"));
  CHECK(bench.code(request) == "");
  CHECK(bench.code(request.replacing("Accept-Encoding", "gzip")) == "SignatureDoesNotMatch");
}

TEST_CASE("path: a slash that the client encoded verifies in both of the readings clients sign") {
  const AuthBench bench;
  const std::string encoded = "/bucket/a%2Fb";
  CHECK(bench.code(Signer().sign(plain("GET", encoded))) == "");
  const TestRequest slash = Signer().sign(plain("GET", "/bucket/a/b"));
  CHECK(bench.code(slash.with_target(encoded)) == "");  // the same key
  CHECK(bench.code(slash.with_target("/bucket/a%2Fc")) == "SignatureDoesNotMatch");
}

TEST_CASE("presigned: headers moved into the query are applied as headers") {
  const AuthBench bench;
  Signer signer;
  signer.signed_headers = "host";
  const TestRequest request =
      signer.presign(plain("PUT",
                           "/bucket/"
                           "key?X-Amz-Acl=private&x-amz-meta-Name=a%20b&X-Amz-Checksum-CRC32="
                           "AAAAAA%3D%3D&x-id=PutObject"));
  const auto verified = bench.run(request);
  REQUIRE(verified);
  REQUIRE(verified->hoisted.size() == 3);
  CHECK(verified->header(request.head(), "x-amz-acl") == "private");
  CHECK(verified->header(request.head(), "x-amz-meta-name") == "a b");
  CHECK(verified->header(request.head(), "x-amz-checksum-crc32") == "AAAAAA==");
  CHECK(verified->header(request.head(), "host") == "localhost:9000");
  CHECK_FALSE(verified->header(request.head(), "x-amz-credential"));
  CHECK_FALSE(verified->header(request.head(), "x-id"));
  const auto header = bench.run(Signer().sign(plain("PUT", "/bucket/key?X-Amz-Acl=private")));
  REQUIRE(header);
  CHECK(header->hoisted.empty());  // in a header-signed request a parameter is a parameter
}

TEST_CASE("presigned: a payload hash counts if it was signed, and is enforced if it was not") {
  const AuthBench bench;
  const std::string hash(64, 'a');
  Signer signer;
  signer.signed_headers = "host";
  const TestRequest unsigned_payload = signer.presign(plain("PUT"));
  CHECK(bench.run(unsigned_payload)->payload_mode == PayloadMode::unsigned_payload);
  CHECK(bench.run(unsigned_payload.with("x-amz-content-sha256", hash))->payload_mode ==
        PayloadMode::hashed);
  CHECK(bench.code(unsigned_payload.with("x-amz-content-sha256", "junk")) ==
        "AuthorizationQueryParametersError");

  signer.payload_hash = hash;
  const TestRequest in_query =
      signer.presign(plain("PUT", "/bucket/key?X-Amz-Content-Sha256=" + hash));
  CHECK(bench.run(in_query)->payload_mode == PayloadMode::hashed);
  CHECK(bench.run(in_query)->hoisted.empty());
  CHECK(bench.code(in_query.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD")) == "InvalidArgument");
  CHECK(bench.code(in_query.with("x-amz-content-sha256", std::string(64, 'b'))) ==
        "InvalidArgument");

  signer.signed_headers = "host;x-amz-content-sha256";
  const TestRequest in_header = signer.presign(plain("PUT").with("x-amz-content-sha256", hash));
  CHECK(bench.run(in_header)->payload_mode == PayloadMode::hashed);
  CHECK(bench.code(in_header.replacing("x-amz-content-sha256", "UNSIGNED-PAYLOAD")) ==
        "SignatureDoesNotMatch");
}

TEST_CASE("SigV2: wasabi's form, X-Amz-Date in ISO basic and no Date (wire 17)") {
  const AuthBench bench;
  const TestRequest unsigned_put = TestRequest("PUT", "/bucket/Object-1",
                                               {{"Host", "h"},
                                                {"X-Amz-Date", "20130524T000000Z"},
                                                {"Content-Md5", "1B2M2Y8AsgTpgAmY7PhCfg=="}});
  const std::string text =
      "PUT\n1B2M2Y8AsgTpgAmY7PhCfg==\n\n\nx-amz-date:20130524T000000Z\n/bucket/Object-1";
  const std::string signature =
      digest::to_base64(digest::hmac_sha1(as_bytes(kExampleSecret), as_bytes(text)));
  const TestRequest good =
      unsigned_put.with("Authorization", "AWS " + std::string(kExampleKey) + ":" + signature);
  const auto verified = bench.run(good);
  REQUIRE(verified);
  CHECK(verified->scheme == Scheme::v2_header);
  CHECK(verified->identity().user_id == "owner-id");
  CHECK(verified->payload_mode == PayloadMode::unsigned_payload);
  CHECK(bench.code(good.with("x-amz-acl", "private")) ==
        "SignatureDoesNotMatch");  // it would have been signed
  CHECK(bench.code(good.with_target("/bucket/Object-1?acl")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/bucket/Object-1?x-id=1")) == "");  // no subresource
  CHECK(bench.code(good.without("X-Amz-Date")) == "AccessDenied");
  AuthBench late;
  late.clock.advance(1000);
  CHECK(late.code(good) == "RequestTimeTooSkewed");
  CHECK(bench.code(good.with("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")) ==
        "SignatureDoesNotMatch");
}

TEST_CASE("SigV2: boto3 signs a bucket with a slash that it does not send") {
  const AuthBench bench;
  const auto signed_as = [](std::string_view target, std::string_view resource) {
    const std::string text = "GET\n\n\n\nx-amz-date:20130524T000000Z\n" + std::string(resource);
    const std::string signature =
        digest::to_base64(digest::hmac_sha1(as_bytes(kExampleSecret), as_bytes(text)));
    return TestRequest("GET", target, {{"Host", "h"}, {"X-Amz-Date", "20130524T000000Z"}})
        .with("Authorization", "AWS " + std::string(kExampleKey) + ":" + signature);
  };
  for (const char* target : {"/bucket", "/bucket?list-type=2"}) {
    CHECK(bench.code(signed_as(target, "/bucket/")) == "");
    CHECK(bench.code(signed_as(target, "/bucket")) == "");
    CHECK(bench.code(signed_as(target, "/bucket//")) == "SignatureDoesNotMatch");
  }
  CHECK(bench.code(signed_as("/bucket?location=", "/bucket/?location")) == "");
  CHECK(bench.code(signed_as("/bucket/key", "/bucket/key/")) == "SignatureDoesNotMatch");
  CHECK(bench.code(signed_as("/bucket", "/other/")) == "SignatureDoesNotMatch");
}

TEST_CASE("SigV2: token, streaming and presigned borders") {
  const AuthBench bench;
  const auto sign = [](const TestRequest& request, const std::string& headers) {
    const std::string text = "GET\n\n\n\n" + headers + "/b/k";
    const std::string signature =
        digest::to_base64(digest::hmac_sha1(as_bytes(kExampleSecret), as_bytes(text)));
    return request.with("Authorization", "AWS " + std::string(kExampleKey) + ":" + signature);
  };
  const TestRequest base("GET", "/b/k", {{"Host", "h"}, {"X-Amz-Date", "20130524T000000Z"}});
  CHECK(bench.code(sign(base.with("x-amz-security-token", "t"),
                        "x-amz-date:20130524T000000Z\nx-amz-security-token:t\n")) ==
        "InvalidToken");
  const std::string mode = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
  CHECK(bench.code(sign(base.with("x-amz-content-sha256", mode),
                        "x-amz-content-sha256:" + mode + "\nx-amz-date:20130524T000000Z\n")) ==
        "InvalidRequest");
  CHECK(bench.code(
            sign(base.with("x-amz-meta-b", "2").with("x-amz-meta-a", "1").with("X-Amz-Meta-A", "3"),
                 "x-amz-date:20130524T000000Z\nx-amz-meta-a:1,3\nx-amz-meta-b:2\n")) == "");

  const auto presign = [](std::string_view expires) {
    const std::string text = "GET\n\n\n" + std::string(expires) + "\n/b/k";
    const std::string signature =
        digest::to_base64(digest::hmac_sha1(as_bytes(kExampleSecret), as_bytes(text)));
    return plain("GET", "/b/k?AWSAccessKeyId=" + std::string(kExampleKey) + "&Expires=" +
                            std::string(expires) + "&Signature=" + http::uri_encode(signature));
  };
  const std::string ahead = std::to_string(bench.clock.seconds() + 1);
  const std::string now = std::to_string(bench.clock.seconds());
  CHECK(bench.run(presign(ahead))->scheme == Scheme::v2_query);
  CHECK(bench.run(presign(now)).error().message == "Request has expired");
  CHECK(bench.code(presign("x")) == "AccessDenied");
  CHECK(bench.code(plain("GET", "/b/k?AWSAccessKeyId=a&Signature=b")) == "AccessDenied");
  CHECK(bench.code(plain("GET", "/b/k?Signature=b")) == "AccessDenied");
  CHECK(bench.code(presign(ahead).with_target(presign(ahead).target_text() +
                                              "&Expires=9999999999")) == "AccessDenied");
}

TEST_CASE("credentials: replaced keys take effect with the next request, on every thread's cache") {
  AuthBench bench;
  const TestRequest request = Signer().sign(plain());
  REQUIRE(bench.run(request));
  REQUIRE(bench.run(request));
  std::vector<Credential> rotated;
  rotated.push_back({{std::string(kExampleKey), "id", "", ""}, Secret("another")});
  bench.store.replace(std::move(rotated));
  CHECK(bench.code(request) == "SignatureDoesNotMatch");
  bench.store.replace({});
  CHECK(bench.code(request) == "InvalidAccessKeyId");
  bench.store.replace(example_credentials());
  CHECK(bench.code(request) == "");
}

TEST_CASE("credentials: two stores in one process never share a cached key") {
  const AuthBench first;
  AuthBench second;
  std::vector<Credential> other;
  other.push_back({{std::string(kExampleKey), "id", "", ""}, Secret("another")});
  second.store.replace(std::move(other));
  const TestRequest request = Signer().sign(plain());
  CHECK(first.code(request) == "");
  CHECK(second.code(request) == "SignatureDoesNotMatch");
  CHECK(first.code(request) == "");
}

TEST_CASE("cache: a hit is the same context, a wrong signature leaves nothing behind") {
  const AuthBench bench;
  Signer signer;
  signer.region = "cache-test-1";
  const TestRequest good = signer.sign(plain());
  const std::string credential = std::string(kExampleKey) + "/" + signer.scope();
  signer.secret = "wrong";
  CHECK(bench.code(signer.sign(plain())) == "SignatureDoesNotMatch");
  CHECK(ContextCache::of_this_thread().find(bench.store.version(), credential) == nullptr);
  const auto first = bench.run(good);
  const auto second = bench.run(good);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->context == second->context);
  CHECK(ContextCache::of_this_thread().find(bench.store.version(), credential) == first->context);
  CHECK(ContextCache::of_this_thread().find(bench.store.version() + 1, credential) == nullptr);
  CHECK(ContextCache::of_this_thread().find(bench.store.version(), credential) ==
        nullptr);  // wiped by the look above
}

TEST_CASE("authenticator: usable from many threads while credentials are replaced") {
  AuthBench bench;
  const TestRequest request = Signer().sign(plain());
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&bench, &request, &refused] {
      for (int i = 0; i < 300; ++i) {
        refused += bench.authenticator.authenticate({request.head(), request.target(), {}}) ? 0 : 1;
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    bench.store.replace(example_credentials());
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(refused == 0);
}

TEST_CASE("signing context: for POST policies") {
  const AuthBench bench("eu-central-1");
  CHECK(bench.authenticator.signing_context(
      "AKIAIOSFODNN7EXAMPLE/20130524/eu-central-1/s3/aws4_request"));
  CHECK(bench.authenticator.signing_context("AKIAIOSFODNN7EXAMPLE/20130524/US/s3/aws4_request"));
  CHECK(
      bench.authenticator.signing_context("AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request")
          .error()
          .code == "AuthorizationHeaderMalformed");
  CHECK(bench.authenticator
            .signing_context("AKIAIOSFODNN7EXAMPLE/20130524/eu-central-1/ec2/aws4_request")
            .error()
            .code == "AuthorizationHeaderMalformed");
  CHECK(bench.authenticator.signing_context("junk").error().code == "AuthorizationHeaderMalformed");
  CHECK(
      bench.authenticator.signing_context("X/20130524/eu-central-1/s3/aws4_request").error().code ==
      "InvalidAccessKeyId");
}

TEST_CASE("credential: an access key may hold slashes") {
  const auto scope = parse_credential("a/b/20130524/r/s3/aws4_request");
  REQUIRE(scope);
  CHECK(scope->access_key == "a/b");
  CHECK(scope->scope == "20130524/r/s3/aws4_request");
}

TEST_CASE("credentials: look-ups by key, user and e-mail") {
  const CredentialStore store(example_credentials());
  const auto snapshot = store.snapshot();
  REQUIRE(snapshot->size() == 1);
  CHECK(snapshot->find(kExampleKey)->identity.display_name == "Owner");
  CHECK(snapshot->find("nobody") == nullptr);
  CHECK(snapshot->find_user("owner-id")->access_key == kExampleKey);
  CHECK(snapshot->find_user("nobody") == nullptr);
  CHECK(snapshot->find_email("owner@example.com")->user_id == "owner-id");
  CHECK(snapshot->find_email("") == nullptr);
  CHECK(CredentialStore().snapshot()->size() == 0);
}

TEST_CASE("secret: moves leave nothing behind, copies are explicit, nothing prints it") {
  Secret first("short");
  Secret second = std::move(first);
  CHECK(first.empty());  // NOLINT(bugprone-use-after-move): that is the claim
  CHECK(second.reveal() == "short");
  Secret third;
  third = std::move(second);
  CHECK(second.empty());  // NOLINT(bugprone-use-after-move)
  CHECK(third.clone().reveal() == "short");
  Secret& same = third;
  third = std::move(same);
  CHECK(third.reveal() == "short");
  static_assert(!std::is_copy_constructible_v<Secret>);
  static_assert(!std::is_convertible_v<Secret, std::string_view>);
}

}  // namespace
}  // namespace mote::auth
