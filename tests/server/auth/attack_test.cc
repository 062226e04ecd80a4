// One test case per row of the attack table in reliability.md 3.3 that this layer answers.
#include <algorithm>
#include <cctype>
#include <string>

#include <doctest/doctest.h>

#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {
namespace {

TestRequest plain(std::string_view method = "GET", std::string_view target = "/bucket/key") {
  return {method, target, {{"Host", "localhost:9000"}}};
}

/// The Authorization header of `request` with `from` replaced.
TestRequest edit_authorization(const TestRequest& request, std::string_view from,
                               std::string_view to) {
  std::string value(request.field("authorization"));
  const std::size_t at = value.find(from);
  REQUIRE(at != std::string::npos);
  value.replace(at, from.size(), to);
  return request.replacing("Authorization", value);
}

/// The target of `request` with `from` replaced.
TestRequest edit_target(const TestRequest& request, std::string_view from, std::string_view to) {
  std::string target = request.target_text();
  const std::size_t at = target.find(from);
  REQUIRE(at != std::string::npos);
  target.replace(at, from.size(), to);
  return request.with_target(target);
}

TEST_CASE(
    "A-01: a wrong secret, signature, method, key, bucket or query is SignatureDoesNotMatch with "
    "its elements") {
  const AuthBench bench;
  Signer signer;
  const TestRequest good = signer.sign(plain("PUT", "/bucket/key?x=1"));
  REQUIRE(bench.run(good));
  signer.secret += "x";
  const TestRequest bad = signer.sign(plain("PUT", "/bucket/key?x=1"));
  const auto refused = bench.run(bad);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == "SignatureDoesNotMatch");
  CHECK(refused.error().status == 403);
  CHECK(extra(refused.error(), "AWSAccessKeyId") == kExampleKey);
  CHECK(
      extra(refused.error(), "StringToSign")
          .starts_with("AWS4-HMAC-SHA256\n20130524T000000Z\n20130524/us-east-1/s3/aws4_request\n"));
  CHECK(extra(refused.error(), "StringToSignBytes").starts_with("41 57 53 34 2d"));
  CHECK(extra(refused.error(), "CanonicalRequest")
            .starts_with("PUT\n/bucket/key\nx=1\nhost:localhost:9000\n"));
  CHECK(extra(refused.error(), "CanonicalRequestBytes").starts_with("50 55 54 0a"));
  CHECK(extra(refused.error(), "SignatureProvided") ==
        bad.field("authorization").substr(bad.field("authorization").rfind('=') + 1));
  for (const auto& [name, value] : refused.error().extra) {
    CHECK(value.find(kExampleSecret) == std::string::npos);
  }
  CHECK(bench.code(good.with_method("DELETE")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/bucket/other?x=1")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/other/key?x=1")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/bucket/key?x=2")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/bucket/key")) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.replacing("Host", "localhost:9001")) == "SignatureDoesNotMatch");
  CHECK(bench.code(edit_authorization(good, "Signature=", "Signature=00")) ==
        "SignatureDoesNotMatch");
}

TEST_CASE("A-02: an unknown access key") {
  const AuthBench bench;
  Signer signer;
  signer.access_key = "AKIAUNKNOWN";
  for (const TestRequest& request : {signer.sign(plain()), signer.presign(plain())}) {
    const auto refused = bench.run(request);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "InvalidAccessKeyId");
    CHECK(refused.error().status == 403);
  }
  CHECK(bench.code(plain()
                       .with("Authorization", "AWS AKIAUNKNOWN:x")
                       .with("Date", "Fri, 24 May 2013 00:00:00 GMT")) == "InvalidAccessKeyId");
}

TEST_CASE("A-03: no credentials is anonymous, for the policy to judge") {
  const AuthBench bench;
  const auto verified = bench.run(plain());
  REQUIRE(verified);
  CHECK(verified->anonymous());
  CHECK(verified->scheme == Scheme::anonymous);
}

TEST_CASE("A-04: junk and unknown algorithms") {
  const AuthBench bench;
  for (const std::string_view value :
       {"junk", "", "Basic dTpw", "AWS4-ECDSA-P256-SHA256 Credential=a",
        "AWS4-HMAC-SHA256x Credential=a", "AWS AKIA", "AWS :x", "AWS a:", "AWS "}) {
    CAPTURE(value);
    const auto refused = bench.run(
        plain().with("Authorization", value).with("Date", "Fri, 24 May 2013 00:00:00 GMT"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "InvalidArgument");
    CHECK(refused.error().status == 400);
  }
}

TEST_CASE("A-05: missing, repeated and malformed components") {
  const AuthBench bench;
  const TestRequest good = Signer().sign(plain());
  const std::string credential = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
  const std::string sig = "Signature=" + std::string(64, '0');
  for (const std::string& components : {
           std::string(),
           std::string("Credential=") + credential,
           "Credential=" + credential + ", " + sig,
           "SignedHeaders=host, " + sig,
           "Credential=" + credential + ", SignedHeaders=host",
           "Credential=" + credential + ", SignedHeaders=host, Signature=",
           "Credential=" + credential + ", SignedHeaders=, " + sig,
           "Credential=" + credential + ", SignedHeaders=host, " + sig + ", " + sig,
           "Credential=" + credential + ", SignedHeaders=host, " + sig + ", Other=1",
           "Credential=" + credential + ", SignedHeaders=host, " + sig + ",",
           "Credential=" + credential + " SignedHeaders=host " + sig,
           "Credential, SignedHeaders=host, " + sig,
           "Credential=AKIA, SignedHeaders=host, " + sig,
           "Credential=/20130524/us-east-1/s3/aws4_request, SignedHeaders=host, " + sig,
           "Credential=AKIA/20130524/us-east-1/s3, SignedHeaders=host, " + sig,
           "Credential=AKIA/20130524//s3/aws4_request, SignedHeaders=host, " + sig,
           "Credential=AKIA/20130524/us-east-1/s3/, SignedHeaders=host, " + sig,
           "Credential=AKIA/2013052/us-east-1/s3/aws4_request, SignedHeaders=host, " + sig,
           "Credential=AKIA/2013052x/us-east-1/s3/aws4_request, SignedHeaders=host, " + sig,
       }) {
    CAPTURE(components);
    const auto refused =
        bench.run(good.replacing("Authorization", "AWS4-HMAC-SHA256 " + components));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "AuthorizationHeaderMalformed");
    CHECK(refused.error().status == 400);
  }
}

TEST_CASE("A-06: scope of another region, service, terminal or date (wire 19)") {
  const AuthBench any;
  const AuthBench fixed("eu-central-1");
  struct Row {
    std::string Signer::*field;
    std::string_view value;
    bool any_ok;
    bool fixed_ok;
  };
  const Row rows[] = {
      {&Signer::region, "us-east-1", true, false},
      {&Signer::region, "eu-central-1", true, true},
      {&Signer::region, "US", true, true},
      {&Signer::region, "mars", true, false},
      {&Signer::service, "s3tables", false, false},
      {&Signer::terminal, "aws5_request", false, false},
      {&Signer::scope_date, "20130523", false, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    Signer signer;
    signer.region = "eu-central-1";
    signer.*row.field = row.value;
    CHECK(any.code(signer.sign(plain())) == (row.any_ok ? "" : "AuthorizationHeaderMalformed"));
    CHECK(fixed.code(signer.sign(plain())) == (row.fixed_ok ? "" : "AuthorizationHeaderMalformed"));
    signer.signed_headers = "host";
    CHECK(any.code(signer.presign(plain())) ==
          (row.any_ok ? "" : "AuthorizationQueryParametersError"));
    CHECK(fixed.code(signer.presign(plain())) ==
          (row.fixed_ok ? "" : "AuthorizationQueryParametersError"));
  }
  const auto refused = fixed.run(Signer().sign(plain()));
  REQUIRE_FALSE(refused);
  CHECK(extra(refused.error(), "Region") == "eu-central-1");
  CHECK(fixed.code(Signer().sign(plain("GET", "/bucket/?location"))) ==
        "");  // us-east-1 asks where it is
}

TEST_CASE("A-07: no date, a bad date, a date more than 15 minutes off") {
  const TestRequest good = Signer().sign(plain());
  AuthBench bench;
  CHECK(bench.code(good.without("x-amz-date")) == "AccessDenied");
  for (const std::string_view bad : {"", "yesterday", "20130524", "20131324T000000Z"}) {
    CHECK(bench.code(good.replacing("x-amz-date", bad)) == "AccessDenied");
  }
  struct Row {
    std::int64_t seconds;
    bool ok;
  };
  for (const Row& row :
       {Row{900, true}, Row{901, false}, Row{-900, true}, Row{-901, false}, Row{960, false}}) {
    CAPTURE(row.seconds);
    AuthBench shifted;
    shifted.clock.advance(row.seconds);
    const auto verified = shifted.run(good);
    CHECK(verified.has_value() == row.ok);
    if (!verified) {
      CHECK(verified.error().code == "RequestTimeTooSkewed");
      CHECK(verified.error().status == 403);
      CHECK(extra(verified.error(), "RequestTime") == "20130524T000000Z");
      CHECK(extra(verified.error(), "ServerTime").ends_with("Z"));
      CHECK(extra(verified.error(), "MaxAllowedSkewMilliseconds") == "900000");
    }
  }
}

TEST_CASE("A-07: the Date header serves where x-amz-date is absent") {
  const AuthBench bench;
  Signer signer;
  signer.signed_headers = "date;host;x-amz-content-sha256";
  const TestRequest dated = plain().with("Date", "Fri, 24 May 2013 00:00:00 GMT");
  CHECK(bench.code(signer.sign(dated).without("x-amz-date")) == "");
  CHECK(bench.code(signer.sign(dated)
                       .without("x-amz-date")
                       .replacing("Date", "Fri, 24 May 2013 00:00:01 GMT")) ==
        "SignatureDoesNotMatch");
}

TEST_CASE("A-08: x-amz-content-sha256 absent or not a hash") {
  const AuthBench bench;
  const TestRequest good = Signer().sign(plain());
  CHECK(bench.code(good.without("x-amz-content-sha256")) == "InvalidRequest");
  for (const std::string_view bad :
       {"", "x", "unsigned-payload", "STREAMING-AWS4-HMAC-SHA256",
        "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85g"}) {
    CAPTURE(bad);
    CHECK(bench.code(good.replacing("x-amz-content-sha256", bad)) == "InvalidArgument");
  }
  CHECK(bench.code(plain().with("x-amz-content-sha256", "x")) == "InvalidArgument");
}

TEST_CASE(
    "A-09: a header that matters and was not signed (CVE-2026-54330), header and presigned form") {
  const AuthBench bench;
  const TestRequest signed_put = Signer().sign(plain("PUT"));
  Signer presigner;
  presigner.signed_headers = "host";
  const TestRequest presigned_put = presigner.presign(plain("PUT"));
  for (const std::string_view name :
       {"x-amz-copy-source", "x-amz-tagging", "x-amz-acl", "x-amz-grant-read", "x-amz-meta-a",
        "X-Amz-Meta-B", "x-amz-storage-class", "x-amz-website-redirect-location",
        "x-amz-server-side-encryption", "x-amz-object-lock-mode",
        "x-amz-bypass-governance-retention", "x-amz-metadata-directive", "x-amz-anything-new",
        "x-amz-checksum-crc32", "x-amz-security-token"}) {
    CAPTURE(name);
    for (const TestRequest& request : {signed_put, presigned_put}) {
      const auto refused = bench.run(request.with(name, "secret/obj"));
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == "AccessDenied");
      CHECK(refused.error().status == 403);
      CHECK(refused.error().message ==
            "There were headers present in the request which were not signed");
      CHECK(extra(refused.error(), "HeadersNotSigned") == name);
    }
  }
  const auto both = bench.run(signed_put.with("x-amz-acl", "private").with("x-amz-tagging", "a=b"));
  REQUIRE_FALSE(both);
  CHECK(extra(both.error(), "HeadersNotSigned") == "x-amz-acl, x-amz-tagging");
  for (const std::string_view name :
       {"x-amz-decoded-content-length", "X-Amz-Trailer", "x-amz-checksum-algorithm", "x-amz-cf-id",
        "Content-Type", "User-Agent", "Content-MD5", "Expect", "amz-sdk-request", "xamz-acl"}) {
    CAPTURE(name);
    CHECK(bench.code(signed_put.with(name, "x")) == "");
    CHECK(bench.code(presigned_put.with(name, "x")) == "");
  }
  // A wrong signature is still the first thing said.
  CHECK(bench.code(edit_authorization(signed_put, "Signature=", "Signature=0")
                       .with("x-amz-acl", "private")) == "SignatureDoesNotMatch");
}

TEST_CASE("A-10: host must be signed, a listed header must be there") {
  const AuthBench bench;
  Signer signer;
  signer.signed_headers = "x-amz-content-sha256;x-amz-date";
  const auto refused = bench.run(signer.sign(plain()));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == "AccessDenied");
  CHECK(extra(refused.error(), "HeadersNotSigned") == "host");
  CHECK(bench.code(signer.presign(plain())) == "AccessDenied");
  signer.signed_headers = "host;x-amz-acl;x-amz-content-sha256;x-amz-date";
  CHECK(bench.code(signer.sign(plain())) ==
        "SignatureDoesNotMatch");  // absent, and signed as if empty
  CHECK(bench.code(signer.sign(plain().with("x-amz-acl", ""))) == "");
}

TEST_CASE("A-11: two ways of authentication at once") {
  const AuthBench bench;
  const TestRequest both =
      Signer().presign(plain()).with("Authorization", "AWS4-HMAC-SHA256 Credential=a");
  CHECK(bench.code(both) == "InvalidArgument");
  CHECK(bench.code(plain("GET", "/b/k?AWSAccessKeyId=a&Signature=b&Expires=1")
                       .with("Authorization", "AWS a:b")) == "InvalidArgument");
  CHECK(bench.code(Signer().presign(plain("GET", "/b/k?AWSAccessKeyId=a"))) == "InvalidArgument");
}

TEST_CASE("A-12: unsigned trailers are no way round the signature") {
  const AuthBench bench;
  Signer signer;
  signer.payload_hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
  const TestRequest good = signer.sign(plain("PUT"));
  const auto verified = bench.run(good);
  REQUIRE(verified);
  CHECK(verified->payload_mode == PayloadMode::streaming_unsigned_trailer);
  CHECK(bench.code(good.replacing(
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=" +
                std::string(64, 'f'))) == "SignatureDoesNotMatch");
  CHECK(bench.code(good.with_target("/bucket/key?partNumber=1&uploadId=u")) ==
        "SignatureDoesNotMatch");
  // Only the credential in the query, as in CVE-2026-41145.
  const TestRequest query =
      plain("PUT",
            "/bucket/"
            "key?X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request");
  CHECK(bench.code(query.with("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")) ==
        "AuthorizationQueryParametersError");
  // A right presigned request cannot be turned into chunks by its bearer.
  CHECK(bench.code(Signer()
                       .presign(plain("PUT"))
                       .with("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")) ==
        "AuthorizationQueryParametersError");
}

TEST_CASE("A-13: anonymous or SigV2 requests have nothing to start signed chunks from") {
  const AuthBench bench;
  for (const std::string_view mode :
       {"STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"}) {
    CHECK(bench.code(plain("PUT").with("x-amz-content-sha256", mode)) == "InvalidRequest");
  }
  const auto trailer =
      bench.run(plain("PUT").with("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"));
  REQUIRE(trailer);
  CHECK(trailer->payload_mode == PayloadMode::streaming_unsigned_trailer);
  const auto hashed = bench.run(plain("PUT").with("x-amz-content-sha256", std::string(64, 'a')));
  REQUIRE(hashed);
  CHECK(hashed->payload_mode == PayloadMode::hashed);
  CHECK(hashed->payload_sha256[31] == std::byte{0xaa});
}

TEST_CASE("A-18: presigned requests expire, start and have bounds (wire 18)") {
  Signer signer;
  signer.signed_headers = "host";
  struct Row {
    std::string_view expires;
    std::int64_t now;  // seconds after signing
    std::string_view code;
    int status;
  };
  const Row rows[] = {
      {"100", 0, "", 200},
      {"100", 99, "", 200},
      {"100", 100, "AccessDenied", 403},
      {"0", 0, "AccessDenied", 403},
      {"604800", 604799, "", 200},
      {"604801", 0, "AuthorizationQueryParametersError", 400},
      {"99999999999999999999999", 0, "AuthorizationQueryParametersError", 400},
      {"-1", 0, "AuthorizationQueryParametersError", 400},
      {"x", 0, "AuthorizationQueryParametersError", 400},
      {"-", 0, "AuthorizationQueryParametersError", 400},
      {"1e3", 0, "AuthorizationQueryParametersError", 400},
      {"", 0, "AuthorizationQueryParametersError", 400},
      {"100", -900, "", 200},
      {"100", -901, "AccessDenied", 403},
  };
  for (const Row& row : rows) {
    CAPTURE(row.expires);
    CAPTURE(row.now);
    AuthBench bench;
    bench.clock.advance(row.now);
    const auto verified = bench.run(signer.presign(plain(), row.expires));
    CHECK(verified.has_value() == row.code.empty());
    if (!verified) {
      CHECK(verified.error().code == row.code);
      CHECK(verified.error().status == row.status);
    }
  }
  AuthBench late;
  late.clock.advance(101);
  const auto expired = late.run(signer.presign(plain(), "100"));
  REQUIRE_FALSE(expired);
  CHECK(expired.error().message == "Request has expired");
  CHECK(extra(expired.error(), "Expires") == "2013-05-24T00:01:40.000Z");
  CHECK(extra(expired.error(), "X-Amz-Expires") == "100");
}

TEST_CASE("A-19: presigned parameters missing, repeated, or in another case") {
  const AuthBench bench;
  const TestRequest good = Signer().presign(plain());
  REQUIRE(
      bench.code(good.with("x-amz-date", "x").with("x-amz-content-sha256", "UNSIGNED-PAYLOAD")) !=
      "AuthorizationQueryParametersError");
  for (const std::string_view name : {"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date",
                                      "X-Amz-Expires", "X-Amz-SignedHeaders", "X-Amz-Signature"}) {
    CAPTURE(name);
    const std::string text(name);
    CHECK(bench.code(edit_target(good, text + "=", "Gone=")) ==
          "AuthorizationQueryParametersError");
    CHECK(bench.code(good.with_target(good.target_text() + "&" + text + "=1")) ==
          "AuthorizationQueryParametersError");
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return static_cast<char>(std::tolower(c)); });
    CHECK(bench.code(edit_target(good, text + "=", lower + "=")) ==
          "AuthorizationQueryParametersError");
    CHECK(bench.code(good.with_target(good.target_text() + "&" + lower + "=1")) ==
          "AuthorizationQueryParametersError");
  }
  CHECK(bench.code(edit_target(good, "=AWS4-HMAC-SHA256", "=AWS4-HMAC-SHA1")) ==
        "AuthorizationQueryParametersError");
  CHECK(bench.code(edit_target(good, "aws4_request", "")) == "AuthorizationQueryParametersError");
  CHECK(bench.code(edit_target(good, "Date=20130524T000000Z", "Date=yesterday")) ==
        "AuthorizationQueryParametersError");
}

TEST_CASE("A-20: headers that decide something come once") {
  const AuthBench bench;
  const TestRequest good = Signer().sign(plain("PUT"));
  for (const std::string_view name :
       {"Authorization", "X-AMZ-DATE", "x-amz-content-sha256", "x-amz-decoded-content-length"}) {
    CAPTURE(name);
    const TestRequest once =
        good.field("x-amz-decoded-content-length").empty() && name == "x-amz-decoded-content-length"
            ? good.with(name, "1")
            : good;
    const auto refused = bench.run(once.with(
        name, std::string(once.head().headers.get(name == "Authorization" ? "authorization"
                                                  : name == "X-AMZ-DATE"  ? "x-amz-date"
                                                                          : name))));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == "InvalidArgument");
    CHECK(refused.error().status == 400);
  }
  CHECK(bench.code(plain()
                       .with("Authorization", "junk")
                       .with("Authorization", good.field("authorization"))) == "InvalidArgument");
}

TEST_CASE("A-21: there are no session tokens") {
  const AuthBench bench;
  Signer signer;
  signer.signed_headers = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token";
  const auto refused = bench.run(signer.sign(plain().with("x-amz-security-token", "t")));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == "InvalidToken");
  CHECK(refused.error().status == 400);
  Signer presigner;
  presigner.signed_headers = "host";
  CHECK(bench.code(presigner.presign(plain("GET", "/b/k?X-Amz-Security-Token=t"))) ==
        "InvalidToken");
}

}  // namespace
}  // namespace mote::auth
