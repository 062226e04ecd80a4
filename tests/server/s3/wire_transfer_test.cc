#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

// More statements of what clients send and need on the wire, by number.
namespace mote::s3::test {

namespace {

Response signed_send(S3UnderTest& s3, Request request) {
  s3.signer().sign(request);
  return s3.send(request);
}

}  // namespace

TEST_CASE("wire 7: every payload mode, also without TLS") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string mode = "x-amz-content-sha256";
  CHECK(signed_send(
            s3, S3UnderTest::request("PUT", "/bucket/plain", "hello", {{mode, "UNSIGNED-PAYLOAD"}}))
            .status == 200);
  CHECK(s3.call("GET", "/bucket/plain").body == "hello");
  const std::string chunks = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n";
  const Headers trailer = {{mode, "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
                           {"x-amz-decoded-content-length", "5"},
                           {"x-amz-trailer", "x-amz-checksum-crc32"}};
  const Response put =
      signed_send(s3, S3UnderTest::request("PUT", "/bucket/trailer", chunks, trailer));
  CHECK(put.status == 200);
  CHECK(put.header("x-amz-checksum-crc32") == "NhCmhg==");
  CHECK(s3.call("GET", "/bucket/trailer").body == "hello");
  std::string wrong = chunks;
  wrong[3] = 'j';
  CHECK(signed_send(s3, S3UnderTest::request("PUT", "/bucket/trailer", wrong, trailer)).code() ==
        "BadDigest");
  Request streamed = S3UnderTest::request("PUT", "/bucket/signed", std::string(70'000, 's'));
  s3.signer().sign_chunked(streamed, 65536);
  CHECK(s3.send(streamed).status == 200);
}

TEST_CASE("wire 23: PUT and DELETE succeed without a body") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response put = s3.call("PUT", "/bucket/k", "x");
  CHECK(put.body.empty());
  CHECK(put.has_content_length);
  CHECK(put.content_length == 0);
  const Response removed = s3.call("DELETE", "/bucket/k");
  CHECK(removed.status == 204);
  CHECK(removed.body.empty());
  CHECK_FALSE(removed.has_content_length);
}

TEST_CASE("wire 61: dates with milliseconds, the namespace on the root, no empty elements") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "x");
  for (const char* target : {"/bucket?list-type=2", "/bucket", "/bucket?versions"}) {
    CAPTURE(target);
    const Response got = s3.call("GET", target);
    CHECK(got.element("LastModified") == "2026-11-30T12:00:00.000Z");
    CHECK(got.body.find(" xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"") != std::string::npos);
    CHECK(got.body.find("<Size></Size>") == std::string::npos);
    CHECK(got.body.find("xmlns:") == std::string::npos);
  }
}

}  // namespace mote::s3::test
