#include <doctest/doctest.h>

#include "server/digest/checksum.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

constexpr const char* kUploaded = "Mon, 30 Nov 2026 12:00:00 GMT";
constexpr const char* kBefore = "Mon, 30 Nov 2026 11:59:59 GMT";

}  // namespace

TEST_CASE("get: ranges (wire 27, A-52)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "0123456789");
  s3.call("PUT", "/bucket/empty", "");
  struct Row {
    const char* range;
    int status;
    const char* body;
    const char* content_range;
  };
  const Row rows[] = {
      {"bytes=0-3", 206, "0123", "bytes 0-3/10"},
      {"bytes=8-", 206, "89", "bytes 8-9/10"},
      {"bytes=-3", 206, "789", "bytes 7-9/10"},
      {"bytes=-99", 206, "0123456789", "bytes 0-9/10"},
      {"bytes=5-99", 206, "56789", "bytes 5-9/10"},
      {"bytes=10-", 416, "", "bytes */10"},
      {"bytes=-0", 416, "", "bytes */10"},
      {"bytes=99999999999999999999-", 200, "0123456789", ""},
      {"bytes=0-1,3-4", 200, "0123456789", ""},
      {"bytes=5-2", 200, "0123456789", ""},
      {"items=0-1", 200, "0123456789", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.range);
    const Response got = s3.call("GET", "/bucket/k", "", {{"Range", row.range}});
    CHECK(got.status == row.status);
    CHECK(got.header("content-range") == row.content_range);
    if (row.status == 416) {
      CHECK(got.code() == "InvalidRange");
      CHECK(got.element("ActualObjectSize") == "10");
      CHECK(got.element("RangeRequested") == row.range);
    } else {
      CHECK(got.body == row.body);
      CHECK(got.content_length == got.body.size());
    }
    const Response head = s3.call("HEAD", "/bucket/k", "", {{"Range", row.range}});
    CHECK(head.status == row.status);
    CHECK(head.body.empty());
  }
  const Response empty = s3.call("GET", "/bucket/empty", "", {{"Range", "bytes=0-"}});
  CHECK(empty.status == 416);
  CHECK(empty.element("ActualObjectSize") == "0");
}

TEST_CASE("get and head: conditions (wire 33)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string etag = s3.call("PUT", "/bucket/k", "data").header("etag");
  s3.clock().advance_ms(60'000);
  struct Row {
    Headers headers;
    int status;
  };
  const Row rows[] = {
      {{{"If-Match", etag}}, 200},
      {{{"If-Match", etag.substr(1, etag.size() - 2)}}, 200},
      {{{"If-Match", "*"}}, 200},
      {{{"If-Match", "\"other\""}}, 412},
      {{{"If-None-Match", etag}}, 304},
      {{{"If-None-Match", "\"a\", " + etag}}, 304},
      {{{"If-None-Match", "*"}}, 304},
      {{{"If-None-Match", "\"other\""}}, 200},
      {{{"If-Modified-Since", kUploaded}}, 304},
      {{{"If-Modified-Since", kBefore}}, 200},
      {{{"If-Modified-Since", "nonsense"}}, 200},
      {{{"If-Unmodified-Since", kUploaded}}, 200},
      {{{"If-Unmodified-Since", kBefore}}, 412},
      {{{"If-Match", etag}, {"If-Unmodified-Since", kBefore}}, 200},
      {{{"If-None-Match", "\"other\""}, {"If-Modified-Since", kUploaded}}, 200},
  };
  for (const Row& row : rows) {
    CAPTURE(row.headers[0].first);
    CAPTURE(row.headers[0].second);
    const Response got = s3.call("GET", "/bucket/k", "", row.headers);
    CHECK(got.status == row.status);
    CHECK(s3.call("HEAD", "/bucket/k", "", row.headers).status == row.status);
    if (row.status == 304) {
      CHECK(got.body.empty());
      CHECK_FALSE(got.has_content_length);
      CHECK(got.header("etag") == etag);
      CHECK(got.header("last-modified") == kUploaded);
    }
    if (row.status == 412) {
      CHECK(got.code() == "PreconditionFailed");
      CHECK(got.element("Condition") == row.headers[0].first);
    }
  }
}

TEST_CASE("get: the content coding as it was sent, without aws-chunked (wire 15)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"gzip", "gzip"},
      {"deflate, gzip", "deflate, gzip"},
      {"deflate,gzip", "deflate,gzip"},
      {"gzip, aws-chunked", "gzip"},
      {"aws-chunked,gzip", "gzip"},
      {"AWS-chunked, deflate,gzip", "deflate, gzip"},
      {"aws-chunked", ""},
      {"aws-chunked, aws-chunked", ""},
  };
  for (const auto& [sent, kept] : rows) {
    CAPTURE(sent);
    s3.call("PUT", "/bucket/k", "x", {{"Content-Encoding", sent}});
    CHECK(s3.call("HEAD", "/bucket/k").header("content-encoding") == kept);
  }
}

TEST_CASE("get: stored headers come back and response-* overrides them (A-55)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "x",
          {{"Content-Type", "text/html"},
           {"Cache-Control", "no-cache"},
           {"Content-Disposition", "inline"},
           {"Content-Encoding", "aws-chunked,gzip"},
           {"Content-Language", "de"},
           {"Expires", "Thu, 01 Jan 2037 00:00:00 GMT"},
           {"x-amz-meta-UPPER", "Value"},
           {"x-amz-meta-utf8", "caf\xC3\xA9"}});
  const Response got = s3.call("GET", "/bucket/k");
  CHECK(got.header("content-type") == "text/html");
  CHECK(got.header("cache-control") == "no-cache");
  CHECK(got.header("content-disposition") == "inline");
  CHECK(got.header("content-encoding") == "gzip");
  CHECK(got.header("content-language") == "de");
  CHECK(got.header("expires") == "Thu, 01 Jan 2037 00:00:00 GMT");
  CHECK(got.header("x-amz-meta-upper") == "Value");
  CHECK(got.header("x-amz-meta-utf8") == "=?UTF-8?B?Y2Fmw6k=?=");
  CHECK(s3.call("HEAD", "/bucket/k").head == got.head);

  const Response changed =
      s3.call("GET",
              "/bucket/k?response-cache-control=max-age%3D1&response-content-type=text%2Fplain"
              "&response-content-disposition=attachment");
  CHECK(changed.status == 200);
  CHECK(changed.header("content-type") == "text/plain");
  CHECK(changed.header("cache-control") == "max-age=1");
  CHECK(changed.header("content-disposition") == "attachment");
  CHECK(changed.header("content-language") == "de");
  CHECK(changed.head.find("text/html") == std::string::npos);

  const Response injected =
      s3.call("GET", "/bucket/k?response-content-type=a%0D%0AX-Injected%3A%20yes");
  CHECK(injected.status == 400);
  CHECK(injected.code() == "InvalidArgument");
  CHECK(injected.head.find("X-Injected") == std::string::npos);
}

TEST_CASE("get: checksums only where they cover what is sent (wire 28, 29)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const Response put =
      s3.call("PUT", "/bucket/k", "123456789", {{"x-amz-checksum-crc32", "y/Q5Jg=="}});
  CHECK(put.status == 200);
  CHECK(put.header("x-amz-checksum-crc32") == "y/Q5Jg==");
  CHECK(put.header("x-amz-checksum-type") == "FULL_OBJECT");
  CHECK(s3.call("GET", "/bucket/k").header("x-amz-checksum-crc32").empty());
  const Headers mode = {{"x-amz-checksum-mode", "ENABLED"}};
  CHECK(s3.call("GET", "/bucket/k", "", mode).header("x-amz-checksum-crc32") == "y/Q5Jg==");
  CHECK(s3.call("HEAD", "/bucket/k", "", mode).header("x-amz-checksum-crc32") == "y/Q5Jg==");
  const Response range =
      s3.call("GET", "/bucket/k", "", {{"x-amz-checksum-mode", "ENABLED"}, {"Range", "bytes=0-3"}});
  CHECK(range.status == 206);
  CHECK(range.head.find("x-amz-checksum") == std::string::npos);
  // Without one from the client S3's own default is kept: CRC64NVME of "123456789".
  s3.call("PUT", "/bucket/d", "123456789");
  CHECK(s3.call("GET", "/bucket/d", "", mode).header("x-amz-checksum-crc64nvme") == "rosUhgp5mIg=");
}

TEST_CASE("put: all ten checksum algorithms are verified, kept and echoed (wire 30)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (const digest::ChecksumAlgorithm algorithm : digest::kChecksumAlgorithms) {
    const std::string header(digest::header_name(algorithm));
    CAPTURE(header);
    const std::string right = digest::Checksum::of(algorithm, as_bytes("payload")).base64();
    const std::string wrong = digest::Checksum::of(algorithm, as_bytes("other")).base64();
    const Response bad = s3.call("PUT", "/bucket/k", "payload", {{header, wrong}});
    CHECK(bad.status == 400);
    CHECK(bad.code() == "BadDigest");
    CHECK(s3.call("GET", "/bucket/k").status == 404);
    const Response good = s3.call("PUT", "/bucket/k", "payload", {{header, right}});
    CHECK(good.status == 200);
    CHECK(good.header(header) == right);
    CHECK(s3.call("GET", "/bucket/k", "", {{"x-amz-checksum-mode", "ENABLED"}}).header(header) ==
          right);
    s3.call("DELETE", "/bucket/k");
  }
}

TEST_CASE("large objects stream in and out through the engine's readers and sinks") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  std::string large(3 * kMiB + 12345, '\0');
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>('a' + (i * 7 + i / 1000) % 26);
  }
  const Response put = s3.call("PUT", "/bucket/large", large);
  CHECK(put.status == 200);
  CHECK(put.header("etag") == "\"" + md5_hex(large) + "\"");
  const Response got = s3.call("GET", "/bucket/large");
  CHECK(got.body == large);
  CHECK(got.replies == 1);
  const Response range = s3.call("GET", "/bucket/large", "", {{"Range", "bytes=1048570-2097160"}});
  CHECK(range.status == 206);
  CHECK(range.body == large.substr(1048570, 2097160 - 1048570 + 1));
}

TEST_CASE("versions: ids, markers and what a marker answers") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const char* enable =
      "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  CHECK(s3.call("PUT", "/bucket?versioning", enable).status == 200);
  CHECK(s3.call("GET", "/bucket?versioning").element("Status") == "Enabled");
  const std::string first = s3.call("PUT", "/bucket/k", "one").header("x-amz-version-id");
  const std::string second = s3.call("PUT", "/bucket/k", "two").header("x-amz-version-id");
  CHECK(first.size() == 22);
  CHECK(first != second);
  CHECK(s3.call("GET", "/bucket/k").header("x-amz-version-id") == second);
  CHECK(s3.call("GET", "/bucket/k?versionId=" + first).body == "one");

  const Response deleted = s3.call("DELETE", "/bucket/k");
  CHECK(deleted.status == 204);
  CHECK(deleted.header("x-amz-delete-marker") == "true");
  const std::string marker = deleted.header("x-amz-version-id");
  const Response gone = s3.call("GET", "/bucket/k");
  CHECK(gone.status == 404);
  CHECK(gone.code() == "NoSuchKey");
  CHECK(gone.header("x-amz-delete-marker") == "true");
  const Response named = s3.call("GET", "/bucket/k?versionId=" + marker);
  CHECK(named.status == 405);
  CHECK(named.code() == "MethodNotAllowed");

  const Response listed = s3.call("GET", "/bucket?versions");
  CHECK(listed.elements("VersionId") == std::vector<std::string>{marker, second, first});
  CHECK(listed.elements("IsLatest") == std::vector<std::string>{"true", "false", "false"});
  CHECK(s3.call("DELETE", "/bucket/k?versionId=" + marker).status == 204);
  CHECK(s3.call("GET", "/bucket/k").body == "two");
  const Response unknown = s3.call("GET", "/bucket/k?versionId=AAAAAAAAAAAAAAAAAAAAAQ");
  CHECK(unknown.status == 404);
  CHECK(unknown.code() == "NoSuchVersion");
  CHECK(s3.call("GET", "/bucket/k?versionId=nonsense").code() == "InvalidArgument");
  CHECK(s3.call("GET", "/bucket/k?versionId=").code() == "InvalidArgument");
}

}  // namespace mote::s3::test
