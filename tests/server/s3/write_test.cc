#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

TEST_CASE("put: conditions are decided in the commit (wire 34)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Headers absent = {{"If-None-Match", "*"}};
  const std::string etag = s3.call("PUT", "/bucket/k", "one", absent).header("etag");
  const Response again = s3.call("PUT", "/bucket/k", "two", absent);
  CHECK(again.status == 412);
  CHECK(again.code() == "PreconditionFailed");
  CHECK(again.element("Condition") == "If-None-Match");
  CHECK(s3.call("GET", "/bucket/k").body == "one");
  CHECK(s3.call("PUT", "/bucket/k", "x", {{"If-Match", "\"0\""}}).status == 412);
  CHECK(s3.call("PUT", "/bucket/k", "two", {{"If-Match", etag}}).status == 200);
  CHECK(s3.call("PUT", "/bucket/k", "x", {{"If-Match", etag}}).element("Condition") == "If-Match");
  const Response missing = s3.call("PUT", "/bucket/none", "x", {{"If-Match", etag}});
  CHECK(missing.status == 404);
  CHECK(missing.code() == "NoSuchKey");
  CHECK(s3.call("DELETE", "/bucket/k", "", {{"If-Match", etag}}).status == 412);
  CHECK(s3.call("GET", "/bucket/k").body == "two");
}

TEST_CASE("put: If-None-Match with tags refuses those, and no others (wire 34)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string one =
      s3.call("PUT", "/bucket/k", "one", {{"If-None-Match", "x"}}).header("etag");
  const Response refused = s3.call("PUT", "/bucket/k", "two", {{"If-None-Match", "\"0\", " + one}});
  CHECK(refused.status == 412);
  CHECK(refused.element("Condition") == "If-None-Match");
  CHECK(s3.call("PUT", "/bucket/k", "two", {{"If-None-Match", "\"0\""}}).status == 200);
  CHECK(s3.call("PUT", "/bucket/k", "three", {{"If-None-Match", one}}).status == 200);
  CHECK(s3.call("GET", "/bucket/k").body == "three");
  const std::string copied = s3.call("PUT", "/bucket/k", "",
                                     {{"x-amz-copy-source", "bucket/k"},
                                      {"x-amz-metadata-directive", "REPLACE"},
                                      {"If-None-Match", "\"" + md5_hex("three") + "\""}})
                                 .code();
  CHECK(copied == "PreconditionFailed");
}

TEST_CASE("put: a write into a suspended bucket shows no version id, a read shows null") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const auto versioning = [&s3](const std::string& status) {
    CHECK(s3.call("PUT", "/bucket?versioning",
                  "<VersioningConfiguration><Status>" + status +
                      "</Status></VersioningConfiguration>")
              .status == 200);
  };
  CHECK(s3.call("PUT", "/bucket/k", "x").header("x-amz-version-id").empty());
  CHECK(s3.call("GET", "/bucket/k").header("x-amz-version-id").empty());
  versioning("Enabled");
  CHECK(s3.call("PUT", "/bucket/k", "x").header("x-amz-version-id").size() == 22);
  versioning("Suspended");
  CHECK(s3.call("PUT", "/bucket/k", "x").header("x-amz-version-id").empty());
  CHECK(s3.call("PUT", "/bucket/copy", "", {{"x-amz-copy-source", "bucket/k"}})
            .header("x-amz-version-id")
            .empty());
  CHECK(s3.call("GET", "/bucket/k").header("x-amz-version-id") == "null");
  CHECK(s3.call("DELETE", "/bucket/k").header("x-amz-version-id") == "null");
}

TEST_CASE("put: aws-chunked bodies, signed, of any chunking") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{8192},
                                  std::size_t{100'000}, std::size_t{300'000}}) {
    CAPTURE(bytes);
    const std::string payload(bytes, 'p');
    Request request = S3UnderTest::request("PUT", "/bucket/k", payload);
    s3.signer().sign_chunked(request, 65536);
    CHECK(s3.send(request).status == 200);
    CHECK(s3.call("GET", "/bucket/k").body == payload);
  }
  Request framed = S3UnderTest::request("PUT", "/bucket/framed", std::string(70'000, 'q'));
  s3.signer().sign_chunked(framed, 16384);
  framed.http_chunked = true;
  CHECK(s3.send(framed, {.piece_bytes = 7}).status == 200);
  CHECK(s3.call("GET", "/bucket/framed").body == std::string(70'000, 'q'));
}

TEST_CASE("put: keys that differ in a slash live side by side (wire 39)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::vector<std::string> keys = {"a",  "a/",   "a//", "a/b",   "a.b",
                                         "/x", "a//b", ".",   "a/../b"};
  for (const std::string& key : keys) {
    CHECK(s3.call("PUT", "/bucket/" + key, "body of " + key).status == 200);
  }
  for (const std::string& key : keys) {
    CHECK(s3.call("GET", "/bucket/" + key).body == "body of " + key);
  }
  CHECK(s3.call("GET", "/bucket").elements("Key").size() == keys.size());
}

TEST_CASE("delete many: every key answered, quiet, versions, missing keys (wire 50)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/a", "1");
  s3.call("PUT", "/bucket/b", "2");
  const std::string both =
      "<Delete><Object><Key>a</Key></Object><Object><Key>missing</Key></Object></Delete>";
  const Response done =
      s3.call("POST", "/bucket?delete", both, {{"Content-MD5", md5_base64(both)}});
  CHECK(done.status == 200);
  CHECK(done.elements("Key") == std::vector<std::string>{"a", "missing"});
  CHECK(done.elements("Deleted").size() == 2);
  CHECK(s3.call("GET", "/bucket/a").status == 404);
  const std::string quiet =
      "<Delete><Quiet>true</Quiet><Object><Key>b</Key><VersionId>null</VersionId></Object>"
      "<Object><Key>c</Key><VersionId>bad</VersionId></Object></Delete>";
  const Response silent =
      s3.call("POST", "/bucket?delete=", quiet, {{"Content-MD5", md5_base64(quiet)}});
  CHECK(silent.status == 200);
  CHECK(silent.elements("Deleted").empty());
  CHECK(silent.elements("Key") == std::vector<std::string>{"c"});
  CHECK(silent.code() == "NoSuchVersion");
  CHECK(s3.call("GET", "/bucket/b").status == 404);
}

TEST_CASE("tags: with the object, by themselves, counted, bucket tags") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  CHECK(s3.call("PUT", "/bucket/k", "x", {{"x-amz-tagging", "b=2&a=1"}}).status == 200);
  CHECK(s3.call("GET", "/bucket/k").header("x-amz-tagging-count") == "2");
  const Response tags = s3.call("GET", "/bucket/k?tagging");
  CHECK(tags.elements("Key") == std::vector<std::string>{"a", "b"});
  const std::string one =
      "<Tagging><TagSet><Tag><Key>x</Key><Value>y z</Value></Tag></TagSet></Tagging>";
  CHECK(s3.call("PUT", "/bucket/k?tagging", one).status == 200);
  CHECK(s3.call("GET", "/bucket/k?tagging").element("Value") == "y z");
  CHECK(s3.call("DELETE", "/bucket/k?tagging").status == 204);
  CHECK(s3.call("GET", "/bucket/k?tagging").elements("Tag").empty());
  CHECK(s3.call("GET", "/bucket/k").body == "x");
  CHECK(s3.call("GET", "/bucket?tagging").code() == "NoSuchTagSet");
  CHECK(s3.call("PUT", "/bucket?tagging", one).status == 204);
  CHECK(s3.call("GET", "/bucket?tagging").element("Key") == "x");
  CHECK(s3.call("DELETE", "/bucket?tagging").status == 204);
  CHECK(s3.call("GET", "/bucket?tagging").status == 404);
}

TEST_CASE("copy: bytes, metadata, tags, conditions (wire 38)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.make_bucket("other");
  s3.call("PUT", "/bucket/a%20b", "content",
          {{"Content-Type", "text/plain"}, {"x-amz-meta-m", "1"}, {"x-amz-tagging", "t=1"}});
  const Response copied =
      s3.call("PUT", "/other/copy", "", {{"x-amz-copy-source", "/bucket/a%20b"}});
  CHECK(copied.status == 200);
  CHECK(copied.element("ETag") == "&quot;" + md5_hex("content") + "&quot;");
  CHECK(copied.element("LastModified") == "2026-11-30T12:00:00.000Z");
  const Response got = s3.call("GET", "/other/copy");
  CHECK(got.body == "content");
  CHECK(got.header("content-type") == "text/plain");
  CHECK(got.header("x-amz-meta-m") == "1");
  CHECK(got.header("x-amz-tagging-count") == "1");

  CHECK(s3.call("PUT", "/bucket/a%20b", "", {{"x-amz-copy-source", "bucket/a%20b"}}).code() ==
        "InvalidRequest");
  CHECK(s3.call("PUT", "/bucket/a%20b", "",
                {{"x-amz-copy-source", "bucket/a%20b"},
                 {"x-amz-metadata-directive", "REPLACE"},
                 {"x-amz-meta-n", "2"}})
            .status == 200);
  const Response replaced = s3.call("GET", "/bucket/a%20b");
  CHECK(replaced.body == "content");
  CHECK(replaced.header("x-amz-meta-m").empty());
  CHECK(replaced.header("x-amz-meta-n") == "2");
  CHECK(replaced.header("content-type") == "binary/octet-stream");

  const auto refused = [&s3](Headers headers) {
    headers.emplace_back("x-amz-copy-source", "bucket/a%20b");
    return s3.call("PUT", "/other/no", "", std::move(headers)).code();
  };
  CHECK(refused({{"x-amz-copy-source-if-match", "\"x\""}}) == "PreconditionFailed");
  CHECK(refused({{"x-amz-copy-source-if-none-match", "*"}}) == "PreconditionFailed");
  CHECK(refused({{"x-amz-metadata-directive", "BAD"}}) == "InvalidArgument");
  CHECK(s3.call("PUT", "/other/no", "", {{"x-amz-copy-source", "bucket/none"}}).code() ==
        "NoSuchKey");
  CHECK(s3.call("PUT", "/other/no", "", {{"x-amz-copy-source", "nobucket/none"}}).code() ==
        "NoSuchBucket");
  CHECK(s3.call("GET", "/other/no").status == 404);
}

TEST_CASE("copy: another user's bucket is closed (A-28)") {
  S3UnderTest s3;
  s3.make_bucket("alices");
  s3.call("PUT", "/alices/secret", "secret");
  s3.call_as(S3UnderTest::bob(), "PUT", "/bobs");
  const Response stolen = s3.call_as(S3UnderTest::bob(), "PUT", "/bobs/k", "",
                                     {{"x-amz-copy-source", "alices/secret"}});
  CHECK(stolen.status == 403);
  CHECK(stolen.code() == "AccessDenied");
  CHECK(s3.census("bobs").empty());
}

}  // namespace mote::s3::test
