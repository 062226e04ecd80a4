#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

TEST_CASE("objects: put, get, head, delete") {
  S3UnderTest s3;
  CHECK(s3.call("PUT", "/bucket").status == 200);
  const Response put = s3.call("PUT", "/bucket/a/key", "hello", {{"x-amz-meta-Color", "blue"}});
  CHECK(put.status == 200);
  CHECK(put.header("etag") == "\"" + md5_hex("hello") + "\"");
  CHECK(put.body.empty());

  const Response got = s3.call("GET", "/bucket/a/key");
  CHECK(got.status == 200);
  CHECK(got.body == "hello");
  CHECK(got.header("content-type") == "binary/octet-stream");
  CHECK(got.header("x-amz-meta-color") == "blue");
  CHECK(got.header("last-modified") == "Mon, 30 Nov 2026 12:00:00 GMT");
  CHECK(got.header("accept-ranges") == "bytes");
  CHECK(got.header("etag") == put.header("etag"));

  const Response head = s3.call("HEAD", "/bucket/a/key");
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.content_length == 5);

  CHECK(s3.call("DELETE", "/bucket/a/key").status == 204);
  const Response gone = s3.call("GET", "/bucket/a/key");
  CHECK(gone.status == 404);
  CHECK(gone.code() == "NoSuchKey");
  CHECK(gone.element("Key") == "a/key");
  CHECK(s3.call("DELETE", "/bucket/a/key").status == 204);
  CHECK(s3.call("DELETE", "/bucket").status == 204);
  CHECK(s3.call("GET", "/bucket/a/key").code() == "NoSuchBucket");
}

}  // namespace mote::s3::test
