#include <doctest/doctest.h>

#include "server/digest/checksum.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

const std::string kFive(5 * kMiB, 'x');

std::string start(S3UnderTest& s3, Headers headers = {}) {
  const Response made = s3.call("POST", "/bucket/big?uploads", "", std::move(headers));
  CHECK(made.status == 200);
  CHECK(made.element("Bucket") == "bucket");
  CHECK(made.element("Key") == "big");
  return made.element("UploadId");
}

Response part(S3UnderTest& s3, const std::string& id, int number, const std::string& body,
              Headers headers = {}) {
  return s3.call("PUT", "/bucket/big?partNumber=" + std::to_string(number) + "&uploadId=" + id,
                 body, std::move(headers));
}

using PartList = std::vector<std::pair<int, std::string>>;

std::string document(const PartList& parts) {
  std::string out = "<CompleteMultipartUpload>";
  for (const auto& [number, etag] : parts) {
    out += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + etag +
           "</ETag></Part>";
  }
  return out + "</CompleteMultipartUpload>";
}

Response complete(S3UnderTest& s3, const std::string& id, const PartList& parts,
                  Headers headers = {}) {
  return s3.call("POST", "/bucket/big?uploadId=" + id, document(parts), std::move(headers));
}

std::string unhex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

}  // namespace

TEST_CASE("multipart: out of order, overwritten, numbers with gaps (wire 53-55)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string id = start(s3, {{"Content-Type", "text/x"}, {"x-amz-meta-a", "b"}});
  CHECK(part(s3, id, 7, "tail").status == 200);
  CHECK(part(s3, id, 2, "old").status == 200);
  const std::string first = part(s3, id, 2, kFive).header("etag");
  CHECK(first == "\"" + md5_hex(kFive) + "\"");
  const std::string last = "\"" + md5_hex("tail") + "\"";

  const Response listed = s3.call("GET", "/bucket/big?uploadId=" + id);
  CHECK(listed.elements("PartNumber") == std::vector<std::string>{"2", "7"});
  CHECK(listed.elements("Size") == std::vector<std::string>{"5242880", "4"});
  CHECK(s3.call("GET", "/bucket?uploads").element("UploadId") == id);
  CHECK(s3.call("GET", "/bucket/big").status == 404);

  const Response done = complete(s3, id, {{2, first}, {7, last}});
  CHECK(done.status == 200);
  const std::string etag = md5_hex(unhex(md5_hex(kFive)) + unhex(md5_hex("tail"))) + "-2";
  CHECK(done.element("ETag") == "&quot;" + etag + "&quot;");
  CHECK(done.element("Bucket") == "bucket");
  CHECK(done.element("Key") == "big");
  CHECK(done.element("Location") == "http://127.0.0.1:9000/bucket/big");

  const Response got = s3.call("GET", "/bucket/big");
  CHECK(got.body == kFive + "tail");
  CHECK(got.header("etag") == "\"" + etag + "\"");
  CHECK(got.header("content-type") == "text/x");
  CHECK(got.header("x-amz-meta-a") == "b");
  CHECK(s3.call("GET", "/bucket?uploads").elements("Upload").empty());

  // Completed again after a lost answer: the same answer. With other parts: unknown.
  CHECK(complete(s3, id, {{2, first}, {7, last}}).element("ETag") == done.element("ETag"));
  CHECK(complete(s3, id, {{2, first}}).code() == "NoSuchUpload");

  const Response one = s3.call("GET", "/bucket/big?partNumber=7");
  CHECK(one.status == 206);
  CHECK(one.body == "tail");
  CHECK(one.header("x-amz-mp-parts-count") == "2");
  CHECK(one.header("content-range") == "bytes 5242880-5242883/5242884");
  CHECK(s3.call("GET", "/bucket/big?partNumber=1").code() == "InvalidPartNumber");
  CHECK(s3.call("GET", "/bucket/big?partNumber=1", "", {{"Range", "bytes=0-1"}}).code() ==
        "InvalidRequest");
}

TEST_CASE("multipart: refusals leave the upload and store nothing (A-51)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string id = start(s3);
  const std::string e1 = part(s3, id, 1, "small").header("etag");
  const std::string e2 = part(s3, id, 2, "last").header("etag");
  CHECK(complete(s3, id, {{2, e2}, {1, e1}}).code() == "InvalidPartOrder");
  CHECK(complete(s3, id, {{1, e1}, {1, e1}}).code() == "InvalidPartOrder");
  CHECK(complete(s3, id, {{1, e1}, {2, e2}}).code() == "EntityTooSmall");
  CHECK(complete(s3, id, {{1, e2}}).code() == "InvalidPart");
  CHECK(complete(s3, id, {{1, "junk"}}).code() == "InvalidPart");
  CHECK(complete(s3, id, {{3, e1}}).code() == "InvalidPart");
  CHECK(complete(s3, id, {{0, e1}}).code() == "InvalidArgument");
  CHECK(complete(s3, id, {{10001, e1}}).code() == "InvalidArgument");
  CHECK(complete(s3, id, {}).code() == "MalformedXML");
  CHECK(s3.call("POST", "/bucket/big?uploadId=" + id, "").code() == "MalformedXML");
  CHECK(complete(s3, "..%2F..%2Fx", {{1, e1}}).code() == "NoSuchUpload");
  CHECK(complete(s3, id, {{1, e1}}, {{"x-amz-mp-object-size", "6"}}).code() == "InvalidRequest");
  PartList many;
  for (int i = 1; i <= 10'001; ++i) {
    many.emplace_back(i, e1);
  }
  CHECK(complete(s3, id, many).code() == "MalformedXML");
  CHECK(part(s3, id, 0, "x").code() == "InvalidArgument");
  CHECK(part(s3, id, 10'001, "x").code() == "InvalidArgument");
  CHECK(part(s3, "nonsense", 1, "x").code() == "NoSuchUpload");
  CHECK(s3.census("bucket") == "upload big\n");
  const Response other = s3.call("POST", "/bucket/other?uploadId=" + id, document({{1, e1}}));
  CHECK(other.code() == "NoSuchUpload");
  CHECK(complete(s3, id, {{1, e1}}).status == 200);
  CHECK(s3.call("GET", "/bucket/big").body == "small");
}

TEST_CASE("multipart: abort") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string id = start(s3);
  part(s3, id, 1, "x");
  CHECK(s3.call("DELETE", "/bucket/big?uploadId=" + id).status == 204);
  CHECK(s3.call("DELETE", "/bucket/big?uploadId=" + id).code() == "NoSuchUpload");
  CHECK(part(s3, id, 1, "x").code() == "NoSuchUpload");
  CHECK(s3.census("bucket").empty());
}

TEST_CASE("multipart: checksums, composite and of the full object") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string whole = kFive + "tail";
  for (const bool full : {false, true}) {
    CAPTURE(full);
    const std::string id = start(s3, {{"x-amz-checksum-algorithm", "CRC32C"},
                                      {"x-amz-checksum-type", full ? "FULL_OBJECT" : "COMPOSITE"}});
    using digest::ChecksumAlgorithm;
    const auto sum = [](const std::string& text) {
      return digest::Checksum::of(ChecksumAlgorithm::crc32c, as_bytes(text));
    };
    const Response p1 = part(s3, id, 1, kFive, {{"x-amz-checksum-crc32c", sum(kFive).base64()}});
    CHECK(p1.header("x-amz-checksum-crc32c") == sum(kFive).base64());
    const Response p2 = part(s3, id, 2, "tail");  // the server computes what the client left out
    CHECK(p2.header("x-amz-checksum-crc32c") == sum("tail").base64());
    CHECK(part(s3, id, 3, "x", {{"x-amz-checksum-crc32", "jNwaDQ=="}}).status == 400);
    const std::string joined =
        std::string(as_text(sum(kFive).bytes())) + std::string(as_text(sum("tail").bytes()));
    const std::string expected = full ? sum(whole).base64() : sum(joined).base64() + "-2";
    const PartList parts = {{1, p1.header("etag")}, {2, p2.header("etag")}};
    CHECK(complete(s3, id, parts, {{"x-amz-checksum-crc32c", "AAAAAA=="}}).code() == "BadDigest");
    const Response done = complete(s3, id, parts, {{"x-amz-checksum-crc32c", expected}});
    CHECK(done.status == 200);
    CHECK(done.element("ChecksumCRC32C") == expected);
    CHECK(done.element("ChecksumType") == (full ? "FULL_OBJECT" : "COMPOSITE"));
    const Response got = s3.call("HEAD", "/bucket/big", "", {{"x-amz-checksum-mode", "ENABLED"}});
    CHECK(got.header("x-amz-checksum-crc32c") == expected);
    const Response attributes =
        s3.call("GET", "/bucket/big?attributes", "",
                {{"x-amz-object-attributes", "ETag,Checksum,ObjectParts,ObjectSize"}});
    CHECK(attributes.element("ChecksumCRC32C") == expected);
    CHECK(attributes.element("PartsCount") == "2");
    CHECK(attributes.element("ObjectSize") == std::to_string(whole.size()));
  }
  CHECK(s3.call("POST", "/bucket/x?uploads", "",
                {{"x-amz-checksum-algorithm", "SHA256"}, {"x-amz-checksum-type", "FULL_OBJECT"}})
            .code() == "InvalidRequest");
  CHECK(s3.call("POST", "/bucket/x?uploads", "", {{"x-amz-checksum-algorithm", "ROT13"}}).code() ==
        "InvalidRequest");
}

TEST_CASE("multipart: parts copied from other objects, with and without a range (wire 57)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/src", kFive + "0123456789");
  const std::string id = start(s3);
  const auto copy = [&](int number, Headers headers) {
    headers.emplace_back("x-amz-copy-source", "bucket/src");
    return part(s3, id, number, "", std::move(headers));
  };
  const Response p1 = copy(1, {{"x-amz-copy-source-range", "bytes=0-5242879"}});
  CHECK(p1.element("ETag") == "&quot;" + md5_hex(kFive) + "&quot;");
  const Response p2 = copy(2, {{"x-amz-copy-source-range", "bytes=5242883-5242885"}});
  CHECK(p2.element("ETag") == "&quot;" + md5_hex("345") + "&quot;");
  CHECK(copy(3, {{"x-amz-copy-source-range", "bytes=0-99999999"}}).code() == "InvalidRange");
  CHECK(copy(3, {{"x-amz-copy-source-range", "bytes=0-"}}).code() == "InvalidArgument");
  CHECK(complete(s3, id, {{1, p1.element("ETag")}, {2, p2.element("ETag")}}).status == 200);
  CHECK(s3.call("GET", "/bucket/big").body == kFive + "345");
  // A copy of a multipart object is one piece: its tag is the MD5 of its bytes.
  const Response copied = s3.call("PUT", "/bucket/flat", "", {{"x-amz-copy-source", "bucket/big"}});
  CHECK(copied.element("ETag") == "&quot;" + md5_hex(kFive + "345") + "&quot;");
}

TEST_CASE("multipart: lists of parts and uploads page (wire 56)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string id = start(s3);
  for (int i = 1; i <= 5; ++i) {
    part(s3, id, i, "p");
  }
  const Response page =
      s3.call("GET", "/bucket/big?uploadId=" + id + "&max-parts=2&part-number-marker=1");
  CHECK(page.elements("PartNumber") == std::vector<std::string>{"2", "3"});
  CHECK(page.element("NextPartNumberMarker") == "3");
  CHECK(page.element("IsTruncated") == "true");
  for (const char* key : {"a/1", "a/2", "b"}) {
    s3.call("POST", std::string("/bucket/") + key + "?uploads");
  }
  const Response uploads = s3.call("GET", "/bucket?uploads&delimiter=%2F");
  CHECK(uploads.elements("Key") == std::vector<std::string>{"b", "big"});
  CHECK(uploads.elements("Prefix") == std::vector<std::string>{"", "a/"});
  const Response first = s3.call("GET", "/bucket?uploads&max-uploads=1");
  CHECK(first.elements("Key") == std::vector<std::string>{"a/1"});
  CHECK(first.element("IsTruncated") == "true");
  const Response next =
      s3.call("GET", "/bucket?uploads&max-uploads=2&key-marker=a%2F1&upload-id-marker=" +
                         first.element("NextUploadIdMarker"));
  CHECK(next.elements("Key") == std::vector<std::string>{"a/2", "b"});
}

}  // namespace mote::s3::test
