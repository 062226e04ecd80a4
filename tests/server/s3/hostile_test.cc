#include <functional>

#include <doctest/doctest.h>

#include "server/digest/checksum.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

/// One row of reliability.md 3.3: a request, the only right answer, and nothing stored.
struct Attack {
  const char* id;
  int status;
  const char* code;
  std::function<Response(S3UnderTest&)> send;
};

using Edit = std::function<void(Request&)>;

/// A PUT of "body" to /bucket/k, signed as alice, then changed.
std::function<Response(S3UnderTest&)> signed_then(Edit edit) {
  return [edit = std::move(edit)](S3UnderTest& s3) {
    Request request = S3UnderTest::request("PUT", "/bucket/k", "body");
    s3.signer().sign(request);
    edit(request);
    return s3.send(request);
  };
}

/// The same, changed before it is signed.
std::function<Response(S3UnderTest&)> edited_then_signed(Edit edit) {
  return [edit = std::move(edit)](S3UnderTest& s3) {
    Request request = S3UnderTest::request("PUT", "/bucket/k", "body");
    edit(request);
    s3.signer().sign(request);
    return s3.send(request);
  };
}

std::function<Response(S3UnderTest&)> call(std::string method, std::string target,
                                           std::string body = {}, Headers headers = {}) {
  return [=](S3UnderTest& s3) { return s3.call(method, target, body, headers); };
}

std::function<Response(S3UnderTest&)> at(std::string amz_date, std::string region = "us-east-1") {
  return [=](S3UnderTest& s3) {
    Request request = S3UnderTest::request("PUT", "/bucket/k", "body");
    Signer(S3UnderTest::alice(), amz_date, region).sign(request);
    return s3.send(request);
  };
}

std::function<Response(S3UnderTest&)> presigned(
    int expires, Edit edit = [](Request&) {}, std::int64_t later_ms = 0) {
  return [=](S3UnderTest& s3) {
    Request request = S3UnderTest::request("PUT", "/bucket/k", "body");
    s3.signer().presign(request, expires);
    edit(request);
    s3.clock().advance_ms(later_ms);
    return s3.send(request);
  };
}

std::function<Response(S3UnderTest&)> chunked_then(Edit edit) {
  return [edit = std::move(edit)](S3UnderTest& s3) {
    Request request = S3UnderTest::request("PUT", "/bucket/k", std::string(20'000, 'a'));
    s3.signer().sign_chunked(request, 8192);
    edit(request);
    return s3.send(request);
  };
}

std::string& header(Request& request, std::string_view lower) {
  for (auto& [name, value] : request.headers) {
    std::string folded = name;
    for (char& c : folded) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (folded == lower) {
      return value;
    }
  }
  return request.with(std::string(lower), "").headers.back().second;
}

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

std::string deletes(int count) {
  std::string out = "<Delete>";
  for (int i = 0; i < count; ++i) {
    out += "<Object><Key>k" + std::to_string(i) + "</Key></Object>";
  }
  return out + "</Delete>";
}

/// A batch delete with its Content-MD5.
std::function<Response(S3UnderTest&)> batch(std::string body) {
  return [body = std::move(body)](S3UnderTest& s3) {
    return s3.call("POST", "/bucket?delete", body, {{"Content-MD5", md5_base64(body)}});
  };
}

void unsigned_header(Request& request, const char* name, const char* value) {
  request.with(name, value);
}

std::vector<Attack> authentication_attacks() {
  return {
      {"01 signature digit", 403, "SignatureDoesNotMatch", signed_then([](Request& r) {
         char& last = header(r, "authorization").back();
         last = last == '0' ? '1' : '0';
       })},
      {"01 other method", 403, "SignatureDoesNotMatch", signed_then([](Request& r) {
         r.method = "POST";
         r.target += "?uploads";
       })},
      {"01 other key", 403, "SignatureDoesNotMatch",
       signed_then([](Request& r) { r.target = "/bucket/other"; })},
      {"01 other query", 403, "SignatureDoesNotMatch",
       signed_then([](Request& r) { r.target += "?acl"; })},
      {"01 wrong secret", 403, "SignatureDoesNotMatch",
       [](S3UnderTest& s3) {
         return s3.call_as({"AKALICE", "wrong"}, "PUT", "/bucket/k", "body");
       }},
      {"02 unknown key", 403, "InvalidAccessKeyId",
       [](S3UnderTest& s3) {
         return s3.call_as({"AKNOBODY", "x"}, "PUT", "/bucket/k", "body");
       }},
      {"03 anonymous", 403, "AccessDenied",
       [](S3UnderTest& s3) { return s3.send(S3UnderTest::request("PUT", "/bucket/k", "body")); }},
      {"03 anonymous list", 403, "AccessDenied",
       [](S3UnderTest& s3) { return s3.send(S3UnderTest::request("GET", "/bucket")); }},
      {"03 anonymous service", 403, "AccessDenied",
       [](S3UnderTest& s3) { return s3.send(S3UnderTest::request("GET", "/")); }},
      {"31 anonymous condition", 403, "AccessDenied",
       [](S3UnderTest& s3) {
         return s3.send(S3UnderTest::request("GET", "/bucket/old", "", {{"If-None-Match", "*"}}));
       }},
      {"32 anonymous override", 400, "InvalidRequest",
       [](S3UnderTest& s3) {
         return s3.send(S3UnderTest::request("GET", "/bucket/old?response-content-type=x"));
       }},
      {"04 junk", 400, "InvalidArgument",
       signed_then([](Request& r) { header(r, "authorization") = "junk"; })},
      {"04 unknown algorithm", 400, "InvalidArgument", signed_then([](Request& r) {
         replace(header(r, "authorization"), "AWS4-HMAC-SHA256", "AWS4-HMAC-MD5");
       })},
      {"05 no signature", 400, "AuthorizationHeaderMalformed", signed_then([](Request& r) {
         std::string& value = header(r, "authorization");
         value.resize(value.find(", Signature"));
       })},
      {"06 terminal", 400, "AuthorizationHeaderMalformed", signed_then([](Request& r) {
         replace(header(r, "authorization"), "aws4_request", "aws5_request");
       })},
      {"06 service", 400, "AuthorizationHeaderMalformed",
       signed_then([](Request& r) { replace(header(r, "authorization"), "/s3/", "/iam/"); })},
      {"06 scope date", 400, "AuthorizationHeaderMalformed", signed_then([](Request& r) {
         replace(header(r, "authorization"), "/20261130/", "/20261129/");
       })},
      {"07 no date", 403, "AccessDenied",
       signed_then([](Request& r) { header(r, "x-amz-date") = ""; })},
      {"07 late", 403, "RequestTimeTooSkewed", at("20261130T114359Z")},
      {"07 early", 403, "RequestTimeTooSkewed", at("20261130T121601Z")},
      {"08 no hash", 400, "InvalidRequest", signed_then([](Request& r) {
         std::erase_if(r.headers, [](auto& h) { return h.first == "x-amz-content-sha256"; });
       })},
      {"08 not a hash", 400, "InvalidArgument",
       edited_then_signed([](Request& r) { r.with("x-amz-content-sha256", "nonsense"); })},
      {"08 wrong hash", 400, "XAmzContentSHA256Mismatch",
       edited_then_signed([](Request& r) { r.with("x-amz-content-sha256", sha256_hex("other")); })},
      {"10 host not signed", 403, "AccessDenied", signed_then([](Request& r) {
         replace(header(r, "authorization"), "SignedHeaders=host;", "SignedHeaders=");
       })},
      {"10 listed header absent", 403, "SignatureDoesNotMatch", signed_then([](Request& r) {
         replace(header(r, "authorization"), "SignedHeaders=host;", "SignedHeaders=host;missing;");
       })},
      {"20 two dates", 400, "InvalidArgument",
       signed_then([](Request& r) { r.with("x-amz-date", S3UnderTest::kAmzDate); })},
      {"20 two hashes", 400, "InvalidArgument",
       signed_then([](Request& r) { r.with("x-amz-content-sha256", sha256_hex("body")); })},
      {"20 two authorizations", 400, "InvalidArgument",
       signed_then([](Request& r) { r.with("Authorization", header(r, "authorization")); })},
  };
}

std::vector<Attack> unsigned_header_attacks() {
  std::vector<Attack> out;
  for (const auto& [name, value] : Headers{{"x-amz-copy-source", "bucket/old"},
                                           {"x-amz-tagging", "a=b"},
                                           {"x-amz-acl", "private"},
                                           {"x-amz-meta-a", "b"},
                                           {"x-amz-storage-class", "STANDARD"},
                                           {"x-amz-website-redirect-location", "/x"},
                                           {"x-amz-server-side-encryption", "AES256"},
                                           {"x-amz-object-lock-mode", "GOVERNANCE"}}) {
    const Edit add = [n = name, v = value](Request& r) {
      unsigned_header(r, n.c_str(), v.c_str());
    };
    out.push_back({"09 unsigned on header auth", 403, "AccessDenied", signed_then(add)});
    out.push_back({"09 unsigned on presigned", 403, "AccessDenied", presigned(60, add)});
  }
  return out;
}

std::vector<Attack> presigned_attacks() {
  const auto add = [](const char* text) { return [text](Request& r) { r.target += text; }; };
  const auto change = [](const char* from, const char* to) {
    return [from, to](Request& r) { replace(r.target, from, to); };
  };
  constexpr std::int64_t kMinuteAndMore = 61'000;
  return {
      {"11 two mechanisms", 400, "InvalidArgument",
       presigned(60, [](Request& r) { r.with("Authorization", "AWS4-HMAC-SHA256 x"); })},
      {"18 expired", 403, "AccessDenied",
       presigned(
           60, [](Request&) {}, kMinuteAndMore)},
      {"18 negative", 400, "AuthorizationQueryParametersError", presigned(-1)},
      {"18 too long", 400, "AuthorizationQueryParametersError", presigned(604'801)},
      {"18 not a number", 400, "AuthorizationQueryParametersError",
       presigned(60, change("X-Amz-Expires=60", "X-Amz-Expires=x"))},
      {"19 missing", 400, "AuthorizationQueryParametersError",
       presigned(60, change("&X-Amz-Expires=60", ""))},
      {"19 doubled", 400, "AuthorizationQueryParametersError",
       presigned(60, add("&X-Amz-Expires=60"))},
      {"01 presigned changed", 403, "SignatureDoesNotMatch", presigned(60, add("&acl"))},
  };
}

std::vector<Attack> chunk_attacks() {
  return {
      {"14 flipped byte", 403, "SignatureDoesNotMatch",
       chunked_then([](Request& r) { r.body[r.body.find("aaaa")] = 'b'; })},
      {"14 swapped chunk signature", 403, "SignatureDoesNotMatch", chunked_then([](Request& r) {
         const std::size_t at = r.body.find("chunk-signature=") + 16;
         r.body[at] = r.body[at] == '0' ? '1' : '0';
       })},
      {"14 no final chunk", 400, "IncompleteBody",
       chunked_then([](Request& r) { r.body.resize(r.body.rfind("0;chunk-signature")); })},
      {"15 no decoded length", 411, "MissingContentLength", edited_then_signed([](Request& r) {
         r.with("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
       })},
      {"16 chunk of 2^64-1", 400, "IncompleteBody",
       chunked_then([](Request& r) { replace(r.body, "2000;", "ffffffffffffffff;"); })},
      {"16 chunk size of 400 digits", 400, "IncompleteBody",
       chunked_then([](Request& r) { replace(r.body, "2000;", std::string(400, '1') + ";"); })},
      {"12 unsigned trailer, junk signature", 403, "SignatureDoesNotMatch",
       [](S3UnderTest& s3) {
         Request r =
             S3UnderTest::request("PUT", "/bucket/k", "4\r\nbody\r\n0\r\n\r\n",
                                  {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
                                   {"x-amz-decoded-content-length", "4"}});
         s3.signer().sign(r);
         char& last = header(r, "authorization").back();
         last = last == '0' ? '1' : '0';
         return s3.send(r);
       }},
      {"13 streaming on another operation", 400, "InvalidRequest",
       call("PUT", "/bucket?versioning", "0\r\n\r\n",
            {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
             {"x-amz-decoded-content-length", "0"}})},
      {"17 wrong sum in trailer", 400, "BadDigest",
       call("PUT", "/bucket/k", "4\r\nbody\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n",
            {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
             {"x-amz-decoded-content-length", "4"},
             {"x-amz-trailer", "x-amz-checksum-crc32"}})},
  };
}

std::vector<Attack> name_attacks() {
  std::vector<Attack> out;
  for (const char* bucket : {"/..", "/A", "/a..b", "/ab", "/1.2.3.4", "/xn--a", "/.minio.sys"}) {
    out.push_back({"38 bucket name", 400, "InvalidBucketName", call("PUT", bucket)});
  }
  out.push_back(
      {"38 long bucket name", 400, "InvalidBucketName", call("PUT", "/" + std::string(64, 'a'))});
  out.push_back({"39 climbing key", 400, "InvalidURI", call("PUT", "/bucket/../x", "body")});
  out.push_back({"39 climbing key", 400, "InvalidURI", call("PUT", "/bucket/a/../../x", "body")});
  out.push_back({"40 long key", 400, "KeyTooLongError",
                 call("PUT", "/bucket/" + std::string(1025, 'k'), "body")});
  for (const char* key : {"/bucket/%zz", "/bucket/%ff", "/bucket/a%00b"}) {
    out.push_back({"40 bad URI", 400, "InvalidURI", call("PUT", key, "body")});
  }
  for (const char* source :
       {"", "/", "bucket", "bucket/", "bucket/../x", "bucket/%zz", "bucket/old?versionId=junk"}) {
    out.push_back({"54 copy source", 400, "InvalidArgument",
                   call("PUT", "/bucket/k", "", {{"x-amz-copy-source", source}})});
  }
  return out;
}

std::vector<Attack> body_attacks() {
  const std::string md5_of_other = md5_base64("other");
  return {
      {"46 no length", 411, "MissingContentLength", edited_then_signed([](Request& r) {
         r.http_chunked = true;
         r.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
       })},
      {"46 over 5 GiB", 400, "EntityTooLarge", edited_then_signed([](Request& r) {
         r.with("x-amz-content-sha256", "UNSIGNED-PAYLOAD").with("Content-Length", "5368709121");
       })},
      {"46 short body", 400, "IncompleteBody",
       [](S3UnderTest& s3) {
         Request r = S3UnderTest::request("PUT", "/bucket/k", "body");
         s3.signer().sign(r);
         return s3.send(r, {.breaks_after = 2});
       }},
      {"48 short MD5", 400, "InvalidDigest",
       edited_then_signed([](Request& r) { r.with("Content-MD5", "AAAA"); })},
      {"48 wrong MD5", 400, "BadDigest",
       edited_then_signed([=](Request& r) { r.with("Content-MD5", md5_of_other); })},
      {"48 two checksums", 400, "InvalidRequest", edited_then_signed([](Request& r) {
         r.with("x-amz-checksum-crc32", "AAAAAA==").with("x-amz-checksum-crc32c", "AAAAAA==");
       })},
      {"48 unknown algorithm", 400, "InvalidRequest",
       edited_then_signed([](Request& r) { r.with("x-amz-checksum-rot13", "AAAA"); })},
      {"49 DOCTYPE", 400, "MalformedXML",
       batch("<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><Delete><Object><Key>&x;"
             "</Key></Object></Delete>")},
      {"49 two roots", 400, "MalformedXML",
       batch("<Delete><Object><Key>old</Key></Object></Delete><Delete/>")},
      {"49 NUL in key", 400, "MalformedXML",
       batch("<Delete><Object><Key>old&#0;x</Key></Object></Delete>")},
      {"49 bad UTF-8", 400, "MalformedXML",
       batch("<Delete><Object><Key>\xff</Key></Object></Delete>")},
      {"50 1,001 keys", 400, "MalformedXML", batch(deletes(1001))},
      {"50 no keys", 400, "MalformedXML", batch(deletes(0))},
      {"50 10 MiB", 400, "MaxMessageLengthExceeded", batch(std::string(10 * kMiB, ' '))},
      {"50 no checksum", 400, "InvalidRequest",
       call("POST", "/bucket?delete", "<Delete><Object><Key>old</Key></Object></Delete>")},
      {"45 metadata", 400, "MetadataTooLarge",
       edited_then_signed([](Request& r) { r.with("x-amz-meta-a", std::string(2048, 'm')); })},
      {"55 metadata not UTF-8", 400, "InvalidArgument",
       edited_then_signed([](Request& r) { r.with("x-amz-meta-a", "\xff"); })},
      {"55 tag", 400, "InvalidTag",
       edited_then_signed([](Request& r) { r.with("x-amz-tagging", "a=%3Cb%3E"); })},
  };
}

std::vector<Attack> wishes_not_granted() {
  std::vector<Attack> out;
  for (const auto& [name, value] : Headers{{"x-amz-server-side-encryption", "AES256"},
                                           {"x-amz-object-lock-mode", "GOVERNANCE"},
                                           {"x-amz-object-lock-legal-hold", "ON"},
                                           {"x-amz-website-redirect-location", "/x"},
                                           {"x-amz-write-offset-bytes", "0"},
                                           {"x-amz-storage-class", "GLACIER"}}) {
    out.push_back(
        {"wish 501", 501, "NotImplemented", call("PUT", "/bucket/k", "body", {{name, value}})});
  }
  for (const auto& [name, value] :
       Headers{{"x-amz-server-side-encryption-customer-algorithm", "AES256"},
               {"x-amz-server-side-encryption-aws-kms-key-id", "k"}}) {
    out.push_back({"half a wish 400", 400, "InvalidArgument",
                   call("PUT", "/bucket/k", "body", {{name, value}})});
  }
  out.push_back({"storage class", 400, "InvalidStorageClass",
                 call("PUT", "/bucket/k", "body", {{"x-amz-storage-class", "FAST"}})});
  out.push_back({"acl", 400, "AccessControlListNotSupported",
                 call("PUT", "/bucket/k", "body", {{"x-amz-acl", "public-read"}})});
  out.push_back({"acl value", 400, "InvalidArgument",
                 call("PUT", "/bucket/k", "body", {{"x-amz-acl", "public-ready"}})});
  out.push_back({"grant", 400, "AccessControlListNotSupported",
                 call("PUT", "/bucket/k", "body", {{"x-amz-grant-read", "id=\"x\""}})});
  out.push_back({"owner", 403, "AccessDenied",
                 call("PUT", "/bucket/k", "body", {{"x-amz-expected-bucket-owner", "bob-id"}})});
  out.push_back({"other user", 403, "AccessDenied", [](S3UnderTest& s3) {
                   return s3.call_as(S3UnderTest::bob(), "PUT", "/bucket/k", "body");
                 }});
  out.push_back({"other user's head", 403, "", [](S3UnderTest& s3) {
                   return s3.call_as(S3UnderTest::bob(), "HEAD", "/bucket/old");
                 }});
  out.push_back({"57 preflight", 403, "AccessForbidden", [](S3UnderTest& s3) {
                   return s3.send(S3UnderTest::request("OPTIONS", "/bucket/k", "",
                                                       {{"Origin", "http://evil"}}));
                 }});
  out.push_back({"unknown operation", 501, "NotImplemented", call("GET", "/bucket/old?torrent")});
  return out;
}

void run(const std::vector<Attack>& attacks) {
  for (const Attack& attack : attacks) {
    CAPTURE(attack.id);
    S3UnderTest s3;
    s3.make_bucket("bucket");
    s3.call("PUT", "/bucket/old", "old");
    const std::string before = s3.census("bucket");
    const std::size_t buckets = s3.store().list_buckets().size();
    const Response answer = attack.send(s3);
    CHECK(answer.status == attack.status);
    CHECK(answer.code() == attack.code);
    CHECK(answer.replies == 1);
    CHECK(s3.census("bucket") == before);
    CHECK(s3.store().list_buckets().size() == buckets);
    CHECK(answer.body.find("alice-secret") == std::string::npos);
    if (!answer.body.empty()) {
      CHECK(answer.header("content-type") == "application/xml");
      CHECK(answer.element("RequestId") == "0123456789ABCDEF");
    }
  }
}

}  // namespace

TEST_CASE("hostile: signatures and dates (A-01 to A-10, A-20, A-31, A-32)") {
  run(authentication_attacks());
}
TEST_CASE("hostile: headers that nobody signed (A-09, CVE-2026-54330)") {
  run(unsigned_header_attacks());
}
TEST_CASE("hostile: presigned requests (A-11, A-18, A-19)") {
  run(presigned_attacks());
}
TEST_CASE("hostile: chunked bodies (A-12 to A-17)") {
  run(chunk_attacks());
}
TEST_CASE("hostile: names and copy sources (A-38 to A-40, A-54)") {
  run(name_attacks());
}
TEST_CASE("hostile: bodies and documents (A-45 to A-50, A-55)") {
  run(body_attacks());
}
TEST_CASE("hostile: what is not granted is refused, never ignored") {
  run(wishes_not_granted());
}

TEST_CASE("hostile: a full store answers 507, still reads and deletes") {
  S3UnderTest s3({}, 256 * kKiB);
  s3.make_bucket("bucket");
  CHECK(s3.call("PUT", "/bucket/a", std::string(100'000, 'a')).status == 200);
  const Response full = s3.call("PUT", "/bucket/b", std::string(200'000, 'b'));
  CHECK(full.status == 507);
  CHECK(full.code() == "InsufficientStorage");
  CHECK(s3.call("GET", "/bucket/a").status == 200);
  CHECK(s3.call("DELETE", "/bucket/a").status == 204);
  CHECK(s3.call("PUT", "/bucket/b", std::string(100'000, 'b')).status == 200);
}

TEST_CASE("hostile: the table of operations, walked by a stranger and by another user") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/old", "old");
  const std::string before = s3.census("bucket");
  for (const char* method : {"GET", "HEAD", "PUT", "POST", "DELETE"}) {
    for (const char* path : {"/bucket", "/bucket/old"}) {
      for (const char* query : {"",
                                "?acl",
                                "?attributes",
                                "?cors",
                                "?delete",
                                "?encryption",
                                "?inventory",
                                "?legal-hold",
                                "?lifecycle",
                                "?list-type=2",
                                "?location",
                                "?logging",
                                "?notification",
                                "?object-lock",
                                "?ownershipControls",
                                "?policy",
                                "?policyStatus",
                                "?publicAccessBlock",
                                "?replication",
                                "?requestPayment",
                                "?restore",
                                "?retention",
                                "?select",
                                "?tagging",
                                "?torrent",
                                "?uploadId=x",
                                "?uploads",
                                "?versioning",
                                "?versions",
                                "?website"}) {
        const std::string target = std::string(path) + query;
        CAPTURE(method);
        CAPTURE(target);
        CHECK(s3.send(S3UnderTest::request(method, target)).status == 403);
        // Another user meets the owner's rule, or a method that does not exist at all.
        const int status = s3.call_as(S3UnderTest::bob(), method, target).status;
        // A parameter that is no sub-resource of buckets makes PUT a CreateBucket.
        const bool created = std::string(method) == "PUT" && std::string(path) == "/bucket";
        CHECK((status == 403 || status == 405 || (created && status == 409)));
      }
    }
  }
  CHECK(s3.census("bucket") == before);
}

}  // namespace mote::s3::test
