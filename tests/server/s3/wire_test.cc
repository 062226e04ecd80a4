// Statements of what clients put on the wire and need back. The numbers in the names are those of
// the list of 62 that this server was written from; the ones missing here are in the tests of what
// they are about.
#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

constexpr std::size_t kPartBytes = 5 * kMiB;

std::string unhex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

std::string upload_part(S3UnderTest& s3, const std::string& id, int number,
                        const std::string& body) {
  const Response sent =
      s3.call("PUT", "/bucket/m?partNumber=" + std::to_string(number) + "&uploadId=" + id, body);
  CHECK(sent.status == 200);
  return sent.header("etag");
}

Response complete(S3UnderTest& s3, const std::string& id, const std::vector<std::string>& etags) {
  std::string document = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    document += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + etags[i] +
                "</ETag></Part>";
  }
  return s3.call("POST", "/bucket/m?uploadId=" + id, document + "</CompleteMultipartUpload>");
}

/// Makes /bucket/m of two parts and returns the answer.
Response two_parts(S3UnderTest& s3, const std::string& first, const std::string& second) {
  const std::string id = s3.call("POST", "/bucket/m?uploads").element("UploadId");
  const std::string one = upload_part(s3, id, 1, first);
  const std::string two = upload_part(s3, id, 2, second);
  return complete(s3, id, {one, two});
}

}  // namespace

TEST_CASE("wire 3, 6: headers may stay unsigned, parameters without meaning are signed only") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  Request put = S3UnderTest::request("PUT", "/bucket/k?x-id=PutObject", "x");
  s3.signer().sign(put);
  put.with("Content-Type", "text/plain").with("User-Agent", "some client");
  CHECK(s3.send(put).status == 200);
  const Response got = s3.call("GET", "/bucket/k?x-id=GetObject");
  CHECK(got.body == "x");
  CHECK(got.header("content-type") == "text/plain");
  Request changed = S3UnderTest::request("GET", "/bucket/k?x-id=GetObject");
  s3.signer().sign(changed);
  changed.target = "/bucket/k?x-id=HeadObject";
  CHECK(s3.send(changed).code() == "SignatureDoesNotMatch");
}

TEST_CASE("wire 18: presigned GET and PUT, expiry from 1 second to 7 days") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  Request put = S3UnderTest::request("PUT", "/bucket/k", "by url");
  s3.signer().presign(put, 60);
  CHECK(s3.send(put).status == 200);
  struct Row {
    int seconds;
    int status;
    const char* code;
  };
  for (const Row& row :
       {Row{1, 200, ""}, Row{604'800, 200, ""},
        Row{604'801, 400, "AuthorizationQueryParametersError"}, Row{0, 403, "AccessDenied"},
        Row{-1, 400, "AuthorizationQueryParametersError"}}) {
    CAPTURE(row.seconds);
    Request get = S3UnderTest::request("GET", "/bucket/k");
    s3.signer().presign(get, row.seconds);
    const Response got = s3.send(get);
    CHECK(got.status == row.status);
    CHECK(got.code() == row.code);
  }
  Request late = S3UnderTest::request("GET", "/bucket/k");
  s3.signer().presign(late, 60);
  s3.clock().advance_ms(61'000);
  const Response expired = s3.send(late);
  CHECK(expired.status == 403);
  CHECK(expired.code() == "AccessDenied");
}

TEST_CASE("wire 22, 40: a missing key is an XML 404 on GET, an empty one on HEAD") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response got = s3.call("GET", "/bucket/not/there");
  CHECK(got.status == 404);
  CHECK(got.code() == "NoSuchKey");
  CHECK(got.element("Key") == "not/there");
  CHECK(got.header("content-type") == "application/xml");
  const Response head = s3.call("HEAD", "/bucket/not/there");
  CHECK(head.status == 404);
  CHECK(head.body.empty());
  CHECK(head.content_length == 0);
  s3.call("PUT", "/bucket/k", "12345");
  const Response there = s3.call("HEAD", "/bucket/k");
  CHECK(there.body.empty());
  CHECK(there.content_length == 5);
}

TEST_CASE("wire 24, 26: what every GET and HEAD shows, never compressed") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string body(4000, 'z');
  s3.call("PUT", "/bucket/k", body);
  for (const char* method : {"GET", "HEAD"}) {
    CAPTURE(method);
    const Response got = s3.call(method, "/bucket/k", "", {{"Accept-Encoding", "gzip"}});
    CHECK(got.status == 200);
    CHECK(got.header("etag") == "\"" + md5_hex(body) + "\"");
    CHECK(got.header("last-modified") == "Mon, 30 Nov 2026 12:00:00 GMT");
    CHECK(got.header("content-type") == "binary/octet-stream");
    CHECK(got.header("accept-ranges") == "bytes");
    CHECK(got.header("content-encoding").empty());
    CHECK(got.content_length == body.size());
  }
}

TEST_CASE("wire 32: the tag is the MD5 of one piece, the MD5 of MD5s of several") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  CHECK(s3.call("PUT", "/bucket/k", "abc").header("etag") ==
        "\"900150983cd24fb0d6963f7d28e17f72\"");
  const std::string first(kPartBytes, 'a');
  const Response done = two_parts(s3, first, "tail");
  const std::string expected = md5_hex(unhex(md5_hex(first)) + unhex(md5_hex("tail"))) + "-2";
  CHECK(done.element("ETag") == "&quot;" + expected + "&quot;");
  CHECK(s3.call("HEAD", "/bucket/m").header("etag") == "\"" + expected + "\"");
}

TEST_CASE("wire 35: metadata of 2 KiB comes back in lower case, more is refused") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string value(2048 - 4, 'v');
  CHECK(s3.call("PUT", "/bucket/k", "x", {{"X-Amz-Meta-NaMe", value}}).status == 200);
  CHECK(s3.call("HEAD", "/bucket/k").head.find("x-amz-meta-name: " + value) != std::string::npos);
  const Response over = s3.call("PUT", "/bucket/over", "x", {{"x-amz-meta-name", value + "v"}});
  CHECK(over.status == 400);
  CHECK(over.code() == "MetadataTooLarge");
  CHECK(s3.call("HEAD", "/bucket/over").status == 404);
}

TEST_CASE("wire 36: what asks for nothing special is taken, the rest is never ignored") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  struct Row {
    const char* name;
    const char* value;
    int status;
    const char* code;
  };
  const Row rows[] = {
      {"x-amz-acl", "private", 200, ""},
      {"x-amz-acl", "bucket-owner-full-control", 200, ""},
      {"x-amz-acl", "public-read", 400, "AccessControlListNotSupported"},
      {"x-amz-acl", "nonsense", 400, "InvalidArgument"},
      {"x-amz-storage-class", "STANDARD", 200, ""},
      {"x-amz-storage-class", "GLACIER", 501, "NotImplemented"},
      {"x-amz-storage-class", "NONSENSE", 400, "InvalidStorageClass"},
      {"amz-sdk-invocation-id", "1-2-3", 200, ""},
      {"amz-sdk-request", "attempt=1; max=3", 200, ""},
      {"x-amz-expected-bucket-owner", "somebody-else", 403, "AccessDenied"},
      {"x-amz-server-side-encryption", "AES256", 501, "NotImplemented"},
      {"x-amz-server-side-encryption-customer-algorithm", "AES256", 400, "InvalidArgument"},
      {"x-amz-object-lock-mode", "GOVERNANCE", 501, "NotImplemented"},
      {"x-amz-object-lock-legal-hold", "ON", 501, "NotImplemented"},
      {"x-amz-website-redirect-location", "/x", 501, "NotImplemented"},
      {"x-amz-grant-read", "id=x", 400, "AccessControlListNotSupported"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.value);
    const Response put = s3.call("PUT", "/bucket/k", "x", {{row.name, row.value}});
    CHECK(put.status == row.status);
    CHECK(put.code() == row.code);
    CHECK(s3.call("HEAD", "/bucket/k").status == (row.status == 200 ? 200 : 404));
    s3.call("DELETE", "/bucket/k");
  }
}

TEST_CASE("wire 36: encryption headers that make no sense are the client's fault, not ours") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";  // 32 characters
  const std::string md5 = md5_base64("0123456789abcdef0123456789abcdef");
  const std::string prefix = "x-amz-server-side-encryption";
  const std::string customer = prefix + "-customer-";
  struct Row {
    const char* method;
    Headers headers;
    int status;
  };
  const Row rows[] = {
      {"PUT", {{prefix, "aws:kms"}, {prefix + "-aws-kms-key-id", "k"}}, 501},
      {"PUT", {{prefix + "-aws-kms-key-id", "k"}}, 400},
      {"GET", {{prefix, "aws:kms"}}, 400},
      {"HEAD", {{prefix, "AES256"}}, 400},
      {"PUT",
       {{customer + "algorithm", "AES256"}, {customer + "key", key}, {customer + "key-md5", md5}},
       501},
      {"GET",
       {{customer + "algorithm", "AES256"}, {customer + "key", key}, {customer + "key-md5", md5}},
       501},
      {"PUT",
       {{prefix, "AES256"},
        {customer + "algorithm", "AES256"},
        {customer + "key", key},
        {customer + "key-md5", md5}},
       400},
      {"PUT", {{customer + "key", key}, {customer + "key-md5", md5}}, 400},
      {"PUT", {{customer + "algorithm", "AES256"}, {customer + "key-md5", md5}}, 400},
      {"PUT", {{customer + "algorithm", "AES256"}, {customer + "key", key}}, 400},
      {"PUT",
       {{customer + "algorithm", "AES256"},
        {customer + "key", "c2hvcnQ="},
        {customer + "key-md5", md5_base64("short")}},
       400},
      {"PUT",
       {{customer + "algorithm", "AES256"},
        {customer + "key", key},
        {customer + "key-md5", md5_base64("another")}},
       400},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    s3.call("PUT", "/bucket/k", "plain");
    const Response got = s3.call(row.method, "/bucket/k", "", row.headers);
    CHECK(got.status == row.status);
    if (std::string(row.method) != "HEAD") {
      CHECK(got.code() == (row.status == 400 ? "InvalidArgument" : "NotImplemented"));
    }
    CHECK(got.body.find(key) == std::string::npos);
    CHECK(s3.call("GET", "/bucket/k").body == "plain");
  }
}

TEST_CASE("wire 37: deleting what is missing is 204, a bucket in use is 409") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response missing = s3.call("DELETE", "/bucket/none");
  CHECK(missing.status == 204);
  CHECK(missing.body.empty());
  s3.call("PUT", "/bucket/k", "x");
  const Response used = s3.call("DELETE", "/bucket");
  CHECK(used.status == 409);
  CHECK(used.code() == "BucketNotEmpty");
  CHECK(used.element("BucketName") == "bucket");
  s3.call("DELETE", "/bucket/k");
  CHECK(s3.call("DELETE", "/bucket").status == 204);
  CHECK(s3.call("DELETE", "/bucket").code() == "NoSuchBucket");
}

TEST_CASE("wire 41: a part by its number, of objects in parts and in one piece") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string first(kPartBytes, 'a');
  two_parts(s3, first, "tail");
  const Response second = s3.call("GET", "/bucket/m?partNumber=2");
  CHECK(second.status == 206);
  CHECK(second.body == "tail");
  CHECK(second.header("x-amz-mp-parts-count") == "2");
  CHECK(second.header("content-range") == "bytes 5242880-5242883/5242884");
  CHECK(s3.call("HEAD", "/bucket/m?partNumber=1").content_length == kPartBytes);
  CHECK(s3.call("GET", "/bucket/m?partNumber=3").code() == "InvalidPartNumber");
  CHECK(s3.call("GET", "/bucket/m?partNumber=3").status == 416);
  CHECK(s3.call("GET", "/bucket/m?partNumber=0").status == 400);
  CHECK(s3.call("GET", "/bucket/m?partNumber=1", "", {{"Range", "bytes=0-1"}}).code() ==
        "InvalidRequest");
  s3.call("PUT", "/bucket/one", "whole");
  CHECK(s3.call("GET", "/bucket/one?partNumber=1").body == "whole");
  CHECK(s3.call("GET", "/bucket/one?partNumber=2").code() == "InvalidPartNumber");
}

TEST_CASE("wire 43, 44: a bucket's region, and names that cannot be buckets") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response head = s3.call("HEAD", "/bucket");
  CHECK(head.status == 200);
  CHECK(head.header("x-amz-bucket-region") == "us-east-1");
  CHECK(head.body.empty());
  const Response none = s3.call("HEAD", "/no-such-bucket");
  CHECK(none.status == 404);
  CHECK(none.body.empty());
  const Response invalid = s3.call("HEAD", "/%24extremelyunlikelytoexist%24");
  CHECK(invalid.status == 400);
  CHECK(invalid.body.empty());
  const Response location = s3.call("GET", "/bucket?location=");
  CHECK(location.status == 200);
  CHECK(location.element("LocationConstraint").empty());
  CHECK(location.body.find("<LocationConstraint") != std::string::npos);
  CHECK(s3.call("GET", "/no-such-bucket?location").code() == "NoSuchBucket");
}

TEST_CASE("wire 47: version 1 lists by marker, and names the next one where there is a delimiter") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (const char* key : {"a", "b/1", "b/2", "c"}) {
    s3.call("PUT", std::string("/bucket/") + key, "x");
  }
  const Response first = s3.call("GET", "/bucket?delimiter=%2F&max-keys=2");
  CHECK(first.elements("Key") == std::vector<std::string>{"a"});
  CHECK(first.element("IsTruncated") == "true");
  CHECK(first.element("NextMarker") == "b/");
  CHECK(first.element("EncodingType").empty());
  const Response rest = s3.call("GET", "/bucket?delimiter=%2F&marker=b%2F");
  CHECK(rest.elements("Key") == std::vector<std::string>{"c"});
  CHECK(rest.element("Marker") == "b/");
  CHECK(rest.element("IsTruncated") == "false");
  const Response plain = s3.call("GET", "/bucket?max-keys=2&delimiter=");
  CHECK(plain.elements("Key") == std::vector<std::string>{"a", "b/1"});
  CHECK(plain.element("NextMarker").empty());
}

TEST_CASE("wire 48: encoding-type=url encodes every name, plus signs above all") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/a%2Bb%20c/%C3%A9%0A", "x");
  const Response listed =
      s3.call("GET", "/bucket?list-type=2&encoding-type=url&prefix=a%2B&start-after=a%2B");
  CHECK(listed.element("EncodingType") == "url");
  const std::string key = listed.element("Key");
  CHECK(key.find('+') == std::string::npos);
  CHECK(key == "a%2Bb%20c/%C3%A9%0A");
  CHECK(listed.element("Prefix") == "a%2B");
  CHECK(listed.element("StartAfter") == "a%2B");
  const Response refused = s3.call("GET", "/bucket?encoding-type=base64");
  CHECK(refused.status == 400);
  CHECK(refused.code() == "InvalidArgument");
}

TEST_CASE("wire 51: a page and a batch are 1,000 long; a longer batch is malformed") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  std::string batch = "<Delete>";
  for (int i = 0; i < 1000; ++i) {
    batch += "<Object><Key>k" + std::to_string(i) + "</Key></Object>";
  }
  const std::string full = batch + "</Delete>";
  const Response done =
      s3.call("POST", "/bucket?delete", full, {{"Content-MD5", md5_base64(full)}});
  CHECK(done.status == 200);
  CHECK(done.elements("Deleted").size() == 1000);
  const std::string over = batch + "<Object><Key>k1000</Key></Object></Delete>";
  const Response refused =
      s3.call("POST", "/bucket?delete", over, {{"Content-MD5", md5_base64(over)}});
  CHECK(refused.status == 400);
  CHECK(refused.code() == "MalformedXML");
  CHECK(s3.call("GET", "/bucket?max-keys=5000").element("MaxKeys") == "1000");
}

TEST_CASE("wire 55: what an upload's steps answer") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string id = s3.call("POST", "/bucket/m?uploads").element("UploadId");
  const Response part = s3.call("PUT", "/bucket/m?partNumber=1&uploadId=" + id, "123456789",
                                {{"x-amz-checksum-crc32", "y/Q5Jg=="}});
  CHECK(part.status == 200);
  CHECK(part.body.empty());
  CHECK(part.header("x-amz-checksum-crc32") == "y/Q5Jg==");
  const std::string small = upload_part(s3, id, 2, "x");
  const Response early = complete(s3, id, {part.header("etag"), small});
  CHECK(early.status == 400);
  CHECK(early.code() == "EntityTooSmall");
  CHECK(early.element("MinSizeAllowed") == "5242880");
  const Response done = complete(s3, id, {part.header("etag")});
  CHECK(done.element("Bucket") == "bucket");
  CHECK(done.element("Key") == "m");
  CHECK(done.element("Location").ends_with("/bucket/m"));
  const std::string other = s3.call("POST", "/bucket/m?uploads").element("UploadId");
  CHECK(s3.call("DELETE", "/bucket/m?uploadId=" + other).status == 204);
  const Response gone = s3.call("PUT", "/bucket/m?partNumber=1&uploadId=" + other, "x");
  CHECK(gone.status == 404);
  CHECK(gone.code() == "NoSuchUpload");
  CHECK(gone.element("UploadId") == other);
}

TEST_CASE("wire 58, 59: the error document, and what is not built is 501") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response error = s3.call("GET", "/none/k");
  CHECK(error.header("content-type") == "application/xml");
  CHECK(error.body.find("<Error>") != std::string::npos);  // no namespace
  CHECK(error.code() == "NoSuchBucket");
  CHECK(error.element("Message") == "The specified bucket does not exist");
  CHECK(error.element("BucketName") == "none");
  CHECK(error.element("Resource") == "/none/k");
  CHECK_FALSE(error.element("RequestId").empty());
  CHECK_FALSE(error.element("HostId").empty());
  struct Row {
    const char* method;
    const char* target;
  };
  for (const Row& row : {Row{"GET", "/bucket/k?torrent"}, Row{"POST", "/bucket/k?restore"},
                         Row{"POST", "/bucket/k?select"}, Row{"PUT", "/bucket?analytics&id=x"},
                         Row{"GET", "/bucket?session"}}) {
    CAPTURE(row.target);
    const Response refused = s3.call(row.method, row.target);
    CHECK(refused.status == 501);
    CHECK(refused.code() == "NotImplemented");
  }
  CHECK(s3.call("POST", "/bucket/k?tagging").status == 405);
}

TEST_CASE("wire 59: a store that is full says so, and goes on serving") {
  S3UnderTest s3({}, 1 * kMiB);
  s3.make_bucket("bucket");
  CHECK(s3.call("PUT", "/bucket/small", "x").status == 200);
  const Response full = s3.call("PUT", "/bucket/big", std::string(4 * kMiB, 'x'));
  CHECK(full.status == 507);
  CHECK(full.code() == "InsufficientStorage");
  CHECK(s3.call("GET", "/bucket/small").body == "x");
  CHECK(s3.call("HEAD", "/bucket/big").status == 404);
}

}  // namespace mote::s3::test
