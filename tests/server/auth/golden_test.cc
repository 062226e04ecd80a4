// AWS's own published examples. Sources, all under docs.aws.amazon.com/AmazonS3/latest/API/:
// sig-v4-header-based-auth, sigv4-query-string-auth, sigv4-streaming, sigv4-streaming-trailers;
// SigV2: AmazonS3/latest/userguide/RESTAuthentication.
#include <string>

#include <doctest/doctest.h>

#include "server/auth/canonical_request.h"
#include "server/auth/chunk_decoder.h"
#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {
namespace {

constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kHost = "examplebucket.s3.amazonaws.com";

TestRequest example(std::string_view method, std::string_view target,
                    std::vector<std::pair<std::string, std::string>> fields) {
  fields.emplace_back("Host", kHost);
  return {method, target, std::move(fields)};
}

std::string authorization(std::string_view signed_headers, std::string_view signature) {
  return "AWS4-HMAC-SHA256 "
         "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=" +
         std::string(signed_headers) + ",Signature=" + std::string(signature);
}

TEST_CASE("golden: GET object with a Range header") {
  const AuthBench bench;
  const auto request = example(
      "GET", "/test.txt",
      {{"Range", "bytes=0-9"},
       {"x-amz-content-sha256", std::string(kEmptyHash)},
       {"x-amz-date", "20130524T000000Z"},
       {"Authorization",
        authorization("host;range;x-amz-content-sha256;x-amz-date",
                      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")}});
  const auto verified = bench.run(request, "examplebucket");
  REQUIRE(verified);
  CHECK(verified->scheme == Scheme::v4_header);
  CHECK(verified->identity().access_key == kExampleKey);
  CHECK(verified->payload_mode == PayloadMode::hashed);
  CHECK(verified->context->scope == "20130524/us-east-1/s3/aws4_request");
}

TEST_CASE("golden: canonical request of the Range example") {
  const auto request = example("GET", "/test.txt",
                               {{"Range", "bytes=0-9"},
                                {"x-amz-content-sha256", std::string(kEmptyHash)},
                                {"x-amz-date", "20130524T000000Z"}});
  std::string canonical;
  CHECK(append_canonical_request(canonical, {request.head(),
                                             request.target(),
                                             "host;range;x-amz-content-sha256;x-amz-date",
                                             kEmptyHash,
                                             false,
                                             {}}));
  CHECK(canonical ==
        "GET\n/test.txt\n\nhost:examplebucket.s3.amazonaws.com\nrange:bytes=0-9\n"
        "x-amz-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\nx-"
        "amz-date:20130524T000000Z\n\n"
        "host;range;x-amz-content-sha256;x-amz-"
        "date\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("golden: PUT object, key with a dollar sign, Date header besides x-amz-date") {
  const AuthBench bench;
  const auto request = example(
      "PUT", "/test%24file.text",
      {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
       {"x-amz-date", "20130524T000000Z"},
       {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
       {"x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
       {"Authorization",
        authorization("date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")}});
  CHECK(bench.code(request) == "");
  CHECK(bench.code(request.with_target("/test$file.text")) == "");  // the same path, not encoded
}

TEST_CASE("golden: GET bucket lifecycle, a parameter without value") {
  const AuthBench bench;
  const auto request = example(
      "GET", "/?lifecycle",
      {{"x-amz-date", "20130524T000000Z"},
       {"x-amz-content-sha256", std::string(kEmptyHash)},
       {"Authorization",
        authorization("host;x-amz-content-sha256;x-amz-date",
                      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")}});
  CHECK(bench.code(request) == "");
  CHECK(bench.code(request.with_target("/?lifecycle=")) == "");
  CHECK(bench.code(request.with_target("/?lifecycle=x")) == "SignatureDoesNotMatch");
}

TEST_CASE("golden: list with prefix, parameters in any order") {
  const AuthBench bench;
  const auto request = example(
      "GET", "/?max-keys=2&prefix=J",
      {{"x-amz-date", "20130524T000000Z"},
       {"x-amz-content-sha256", std::string(kEmptyHash)},
       {"Authorization",
        authorization("host;x-amz-content-sha256;x-amz-date",
                      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")}});
  CHECK(bench.code(request) == "");
  CHECK(bench.code(request.with_target("/?prefix=J&max-keys=2")) == "");
  CHECK(bench.code(request.with_target("/?prefix=J")) == "SignatureDoesNotMatch");
}

TEST_CASE("golden: presigned GET") {
  const AuthBench bench;
  const auto request =
      example("GET",
              "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%"
              "2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
              "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
              "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
              {});
  const auto verified = bench.run(request);
  REQUIRE(verified);
  CHECK(verified->scheme == Scheme::v4_query);
  CHECK(verified->payload_mode == PayloadMode::unsigned_payload);
  CHECK(verified->hoisted.empty());
}

/// The verified head of AWS's chunked upload example.
Verified chunked_seed(const AuthBench& bench) {
  const TestRequest request(
      "PUT", "/examplebucket/chunkObject.txt",
      {{"Host", "s3.amazonaws.com"},
       {"x-amz-date", "20130524T000000Z"},
       {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
       {"x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"},
       {"Content-Encoding", "aws-chunked"},
       {"x-amz-decoded-content-length", "66560"},
       {"Content-Length", "66824"},
       {"Authorization",
        authorization("content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;"
                      "x-amz-decoded-content-length;x-amz-storage-class",
                      "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9")}});
  auto verified = bench.run(request);
  REQUIRE(verified);
  CHECK(verified->payload_mode == PayloadMode::streaming_signed);
  return *std::move(verified);
}

TEST_CASE("golden: signed chunks") {
  const AuthBench bench;
  const Verified seed = chunked_seed(bench);
  const std::string body =
      "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
      std::string(65536, 'a') +
      "\r\n400;chunk-signature="
      "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n" +
      std::string(1024, 'a') +
      "\r\n0;chunk-signature="
      "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n";
  REQUIRE(body.size() == 66824);
  ChunkDecoder decoder(seed, 66560, "");
  std::string payload;
  REQUIRE(decoder.feed(as_bytes(body), [&payload](ByteView run) { payload.append(as_text(run)); }));
  CHECK(decoder.finish());
  CHECK(payload == std::string(66560, 'a'));
}

TEST_CASE("golden: signed chunks and a signed trailer") {
  const AuthBench bench;
  const TestRequest request(
      "PUT", "/examplebucket/chunkObject.txt",
      {{"Host", "s3.amazonaws.com"},
       {"x-amz-date", "20130524T000000Z"},
       {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
       {"x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"},
       {"Content-Encoding", "aws-chunked"},
       {"x-amz-decoded-content-length", "66560"},
       {"x-amz-trailer", "x-amz-checksum-crc32c"},
       {"Authorization",
        authorization(
            "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;"
            "x-amz-storage-class;x-amz-trailer",
            "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e")}});
  const auto verified = bench.run(request);
  REQUIRE(verified);
  const std::string body =
      "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n" +
      std::string(65536, 'a') +
      "\r\n400;chunk-signature="
      "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n" +
      std::string(1024, 'a') +
      "\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
      "x-amz-checksum-crc32c:sOO8/Q==\r\n"
      "x-amz-trailer-signature:"
      "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n";
  ChunkDecoder decoder(*verified, 66560, "x-amz-checksum-crc32c");
  REQUIRE(decoder.feed(as_bytes(body), [](ByteView) {}));
  CHECK(decoder.finish());
  REQUIRE(decoder.trailers().size() == 1);
  CHECK(decoder.trailers().front() == Trailer{"x-amz-checksum-crc32c", "sOO8/Q=="});
}

/// The SigV2 examples are of 2007 and use their own date.
struct V2Bench : AuthBench {
  explicit V2Bench(std::string_view now) { clock.set(now); }
};

TEST_CASE("golden: SigV2 object GET and PUT, list, subresource and x-amz-date") {
  const V2Bench get("20070327T193642Z");
  CHECK(get.code({"GET",
                  "/photos/puppy.jpg",
                  {{"Host", "awsexamplebucket1.us-west-1.s3.amazonaws.com"},
                   {"Date", "Tue, 27 Mar 2007 19:36:42 +0000"},
                   {"Authorization", "AWS AKIAIOSFODNN7EXAMPLE:qgk2+6Sv9/oM7G3qLEjTH1a1l1g="}}},
                 "awsexamplebucket1") == "");
  const V2Bench put("20070327T211508Z");
  CHECK(put.code({"PUT",
                  "/photos/puppy.jpg",
                  {{"Content-Type", "image/jpeg"},
                   {"Content-Length", "94328"},
                   {"Host", "awsexamplebucket1.s3.us-west-1.amazonaws.com"},
                   {"Date", "Tue, 27 Mar 2007 21:15:45 +0000"},
                   {"Authorization", "AWS AKIAIOSFODNN7EXAMPLE:iqRzw+ileNPu1fhspnRs8nOjjIA="}}},
                 "awsexamplebucket1") == "");
  const V2Bench list("20070327T194246Z");
  CHECK(list.code({"GET",
                   "/?prefix=photos&max-keys=50&marker=puppy",
                   {{"User-Agent", "Mozilla/5.0"},
                    {"Host", "awsexamplebucket1.s3.us-west-1.amazonaws.com"},
                    {"Date", "Tue, 27 Mar 2007 19:42:41 +0000"},
                    {"Authorization", "AWS AKIAIOSFODNN7EXAMPLE:m0WP8eCtspQl5Ahe6L1SozdX9YA="}}},
                  "awsexamplebucket1") == "");
  const V2Bench acl("20070327T194446Z");
  CHECK(acl.code({"GET",
                  "/?acl",
                  {{"Host", "awsexamplebucket1.s3.us-west-1.amazonaws.com"},
                   {"Date", "Tue, 27 Mar 2007 19:44:46 +0000"},
                   {"Authorization", "AWS AKIAIOSFODNN7EXAMPLE:82ZHiFIjc+WbcwFKGUVEQspPn+0="}}},
                 "awsexamplebucket1") == "");
}

}  // namespace
}  // namespace mote::auth
