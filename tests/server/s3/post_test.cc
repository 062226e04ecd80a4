// Form uploads from end to end: POST policy (AWS "POST Object"), reliability.md A-33 to A-37.
#include <doctest/doctest.h>

#include "server/digest/encoding.h"
#include "server/digest/hmac.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

/// A form as a browser sends it. The policy names every field that is in it.
struct Form {
  std::string bucket = "bucket";
  Headers fields = {{"key", "dir/${filename}"}};
  std::string file = "content";
  std::string file_name = "photo.jpg";
  std::string range{};  ///< more conditions, each with a comma before it
  std::string expiration = "2026-11-30T13:00:00.000Z";
  Headers unsigned_fields{};  ///< not in the policy
  Headers after{};            ///< behind the file
  Credentials who = S3UnderTest::alice();
  bool v2 = false;
  std::string policy{};     ///< instead of the one made
  std::string signature{};  ///< instead of the right one

  [[nodiscard]] std::string made_policy() const {
    std::string out = R"({"expiration":")" + expiration + R"(","conditions":[{"bucket":"bucket"})";
    for (const auto& [name, value] : fields) {
      out += name == "key" ? R"(,["starts-with","$key","dir/"])"
                           : R"(,["eq","$)" + name + R"(",")" + value + R"("])";
    }
    if (!v2) {
      out += R"(,{"x-amz-algorithm":"AWS4-HMAC-SHA256"},{"x-amz-credential":")" +
             Signer(who, S3UnderTest::kAmzDate).credential() +
             R"("},{"x-amz-date":"20261130T120000Z"})";
    }
    return out + range + "]}";
  }

  [[nodiscard]] Headers signed_fields() const {
    const Signer signer(who, S3UnderTest::kAmzDate);
    const std::string encoded =
        policy.empty() ? digest::to_base64(as_bytes(made_policy())) : policy;
    Headers out = fields;
    out.emplace_back("policy", encoded);
    if (v2) {
      const auto mac = digest::hmac_sha1(as_bytes(who.secret_key), as_bytes(encoded));
      out.emplace_back("AWSAccessKeyId", who.access_key);
      out.emplace_back("Signature", signature.empty() ? digest::to_base64(mac) : signature);
      return out;
    }
    out.emplace_back("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
    out.emplace_back("X-Amz-Credential", signer.credential());
    out.emplace_back("X-Amz-Date", S3UnderTest::kAmzDate);
    out.emplace_back("X-Amz-Signature",
                     signature.empty() ? signer.policy_signature(encoded) : signature);
    return out;
  }

  static std::string part(const std::string& name, const std::string& value) {
    return "--XyZ\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value +
           "\r\n";
  }

  [[nodiscard]] Request request(const Headers& with) const {
    std::string body;
    for (const auto& [name, value] : with) {
      body += part(name, value);
    }
    for (const auto& [name, value] : unsigned_fields) {
      body += part(name, value);
    }
    body += "--XyZ\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + file_name +
            "\"\r\nContent-Type: image/jpeg\r\n\r\n" + file + "\r\n";
    for (const auto& [name, value] : after) {
      body += part(name, value);
    }
    body += "--XyZ--\r\n";
    return S3UnderTest::request("POST", "/" + bucket, body,
                                {{"Content-Type", "multipart/form-data; boundary=XyZ"}});
  }
  [[nodiscard]] Request request() const { return request(signed_fields()); }
};

/// Sends a form that must be refused with nothing stored.
std::string refused(S3UnderTest& s3, const Request& request, int status) {
  const std::string before = s3.census("bucket") + s3.census("bobs");
  const Response response = s3.send(request);
  CHECK(response.status == status);
  CHECK(response.replies == 1);
  CHECK(s3.census("bucket") + s3.census("bobs") == before);
  CHECK(response.body.find("alice-secret") == std::string::npos);
  return response.code();
}

std::string refused(S3UnderTest& s3, const Form& form, int status) {
  return refused(s3, form.request(), status);
}

void make_buckets(S3UnderTest& s3) {
  s3.make_bucket("bucket");
  s3.call_as(S3UnderTest::bob(), "PUT", "/bobs");
}

}  // namespace

TEST_CASE("post: a form stores its file with its fields, V4 and V2") {
  for (const bool v2 : {false, true}) {
    CAPTURE(v2);
    S3UnderTest s3;
    make_buckets(s3);
    Form form{.fields = {{"key", "dir/${filename}"},
                         {"Content-Type", "image/png"},
                         {"x-amz-meta-Color", "blue"},
                         {"acl", "private"},
                         {"tagging",
                          "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag>"
                          "</TagSet></Tagging>"}},
              .file_name = "C:\\\\pictures\\\\photo.jpg",
              .v2 = v2};
    const Response stored = s3.send(form.request());
    CHECK(stored.status == 204);
    CHECK(stored.body.empty());
    CHECK(stored.header("etag") == "\"" + md5_hex("content") + "\"");
    CHECK(stored.header("location") == "http://127.0.0.1:9000/bucket/dir/photo.jpg");
    const Response got = s3.call("GET", "/bucket/dir/photo.jpg");
    CHECK(got.body == "content");
    CHECK(got.header("content-type") == "image/png");
    CHECK(got.header("x-amz-meta-color") == "blue");
    CHECK(got.header("x-amz-tagging-count") == "1");
  }
}

TEST_CASE("post: success_action_status and success_action_redirect") {
  S3UnderTest s3;
  make_buckets(s3);
  const auto status = [&](const std::string& wanted) {
    return s3.send(Form{.fields = {{"key", "dir/k"}, {"success_action_status", wanted}}}.request());
  };
  CHECK(status("200").status == 200);
  CHECK(status("200").body.empty());
  CHECK(status("204").status == 204);
  CHECK(status("404").status == 204);
  const Response created = status("201");
  CHECK(created.status == 201);
  CHECK(created.body.find("<PostResponse>") != std::string::npos);
  CHECK(created.element("Location") == "http://127.0.0.1:9000/bucket/dir/k");
  CHECK(created.element("Bucket") == "bucket");
  CHECK(created.element("Key") == "dir/k");
  CHECK(created.element("ETag").find(md5_hex("content")) != std::string::npos);
  const auto redirect = [&](const std::string& to) {
    return s3.send(Form{.fields = {{"key", "dir/a b"}, {"success_action_redirect", to}}}.request());
  };
  const Response sent = redirect("https://example.com/done?x=1");
  CHECK(sent.status == 303);
  CHECK(sent.header("location") ==
        "https://example.com/done?x=1&bucket=bucket&key=dir%2Fa%20b&etag=%22" + md5_hex("content") +
            "%22");
  CHECK(redirect("http://example.com/done")
            .header("location")
            .starts_with("http://example.com/done?bucket=bucket&key="));
}

TEST_CASE("A-37: no redirect to another scheme, and none with a line break") {
  S3UnderTest s3;
  make_buckets(s3);
  for (const char* to : {"javascript:alert(1)", "data:text/html,x", "//example.com", "/local",
                         "http://a/\\r\\nX-Injected: 1", "http://a/ b"}) {
    CAPTURE(to);
    const Response response =
        s3.send(Form{.fields = {{"key", "dir/k"}, {"success_action_redirect", to}}}.request());
    CHECK((response.status == 204 || response.status == 403));
    CHECK(response.header("x-injected").empty());
    CHECK(response.header("location").find("javascript") == std::string::npos);
  }
  // CR LF itself in the field: the policy is JSON and has it escaped, so that the values are equal.
  Form form{
      .fields = {{"key", "dir/k"}, {"success_action_redirect", "http://a/\\r\\nX-Injected: 1"}}};
  Headers fields = form.signed_fields();
  for (auto& [name, value] : fields) {
    value = name == "success_action_redirect" ? "http://a/\r\nX-Injected: 1" : value;
  }
  const Response response = s3.send(form.request(fields));
  CHECK(response.status == 204);
  CHECK(response.header("x-injected").empty());
  // Not in the signed policy.
  Form extra;
  extra.unsigned_fields = {{"success_action_redirect", "https://evil.example"}};
  CHECK(refused(s3, extra, 403) == "AccessDenied");
}

TEST_CASE("A-35: forms with a wrong signature, expired, elsewhere, with more fields") {
  S3UnderTest s3;
  make_buckets(s3);
  for (const bool v2 : {false, true}) {
    CAPTURE(v2);
    Form base;
    base.v2 = v2;
    Form form = base;
    form.signature = std::string(64, 'a');
    CHECK(refused(s3, form, 403) == "SignatureDoesNotMatch");
    form = base;
    form.who = {"AKALICE", "guess"};
    CHECK(refused(s3, form, 403) == "SignatureDoesNotMatch");
    form.who = {"AKNOBODY", "guess"};
    CHECK(refused(s3, form, 403) == "InvalidAccessKeyId");
    form = base;
    form.expiration = "2026-11-30T12:00:00.000Z";
    CHECK(refused(s3, form, 403) == "AccessDenied");
    form = base;
    form.bucket = "bobs";  // signed for "bucket"
    CHECK(refused(s3, form, 403) == "AccessDenied");
    form = base;
    form.who = S3UnderTest::bob();  // right signature, someone else's bucket
    CHECK(refused(s3, form, 403) == "AccessDenied");
    form = base;
    form.fields = {{"key", "elsewhere"}};
    CHECK(refused(s3, form, 403) == "AccessDenied");
    form = base;
    form.unsigned_fields = {{"x-amz-meta-more", "1"}};
    CHECK(refused(s3, form, 403) == "AccessDenied");
    form.unsigned_fields = {{"x-ignore-more", "1"}};
    CHECK(s3.send(form.request()).status == 204);
  }
}

TEST_CASE("A-35: a form without a signature, and one with two") {
  S3UnderTest s3;
  make_buckets(s3);
  const Form form;
  CHECK(refused(s3, form.request({{"key", "dir/k"}}), 403) == "AccessDenied");
  Request header = form.request();
  s3.signer().sign(header);
  CHECK(refused(s3, header, 400) == "InvalidArgument");
  Headers twice = form.signed_fields();
  twice.emplace_back("key", "dir/other");
  CHECK(refused(s3, form.request(twice), 400) == "InvalidArgument");
}

TEST_CASE("A-33 CVE_2023_43040: a form into a bucket that is not there or has no name") {
  S3UnderTest s3;
  make_buckets(s3);
  Form form;
  form.bucket = "missing";
  form.policy = digest::to_base64(as_bytes(std::string(
      R"({"expiration":"2026-11-30T13:00:00Z","conditions":[{"bucket":"missing"},)"
      R"(["starts-with","$key",""],["starts-with","$x-amz-date",""],)"
      R"(["starts-with","$x-amz-credential",""],["starts-with","$x-amz-algorithm",""]]})")));
  CHECK(refused(s3, form, 404) == "NoSuchBucket");
  form.bucket = ".sys";
  CHECK(refused(s3, form, 403) == "AccessDenied");
}

TEST_CASE("A-36: the file's length against content-length-range") {
  S3UnderTest s3;
  make_buckets(s3);
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{200'000}, std::size_t{9 * kMiB}}) {
    CAPTURE(bytes);
    Form form;
    form.file = std::string(bytes, 'f');
    form.range = ",[\"content-length-range\",0," + std::to_string(bytes - 1) + "]";
    CHECK(refused(s3, form, 400) == "EntityTooLarge");
    form.range = ",[\"content-length-range\"," + std::to_string(bytes + 1) + ",99999999]";
    CHECK(refused(s3, form, 400) == "EntityTooSmall");
    form.range =
        ",[\"content-length-range\"," + std::to_string(bytes) + "," + std::to_string(bytes) + "]";
    CHECK(s3.send(form.request()).status == 204);
    CHECK(s3.call("GET", "/bucket/dir/photo.jpg").body == form.file);
  }
}

TEST_CASE("A-36: fields after the file are ignored, a second file is not") {
  S3UnderTest s3;
  make_buckets(s3);
  Form form;
  form.after = {{"submit", "Upload"}, {"x-amz-meta-late", "1"}, {"key", "dir/late"}};
  CHECK(s3.send(form.request()).status == 204);
  CHECK(s3.call("GET", "/bucket/dir/photo.jpg").header("x-amz-meta-late").empty());
  CHECK(s3.call("GET", "/bucket/dir/late").status == 404);
  form.fields = {{"key", "dir/two"}};
  form.after = {{"file", "again"}};
  CHECK(refused(s3, form, 400) == "InvalidArgument");
}

TEST_CASE("A-36: bodies that are no form, and policies that are none") {
  S3UnderTest s3;
  make_buckets(s3);
  Form form;
  Request no_form = form.request();
  no_form.headers = {{"Host", "h"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  CHECK(refused(s3, no_form, 403) == "AccessDenied");
  for (const char* type : {"multipart/form-data", "multipart/form-data; boundary=Other"}) {
    CAPTURE(type);
    Request request = form.request();
    request.headers = {{"Host", "h"}, {"Content-Type", type}};
    CHECK(refused(s3, request, 400) == "MalformedPOSTRequest");
  }
  Request cut = form.request();
  cut.body.resize(cut.body.size() - 8);
  CHECK(refused(s3, cut, 400) == "MalformedPOSTRequest");
  cut.body = "";
  CHECK(refused(s3, cut, 400) == "MalformedPOSTRequest");
  Request chunked = form.request();
  chunked.http_chunked = true;
  CHECK(refused(s3, chunked, 411) == "MissingContentLength");
  for (const char* policy : {"!!", "e30=", "W10=", "bm90IGpzb24="}) {
    CAPTURE(policy);
    Form bad;
    bad.policy = policy;
    CHECK(refused(s3, bad, 400) == "InvalidPolicyDocument");
  }
  Form keyless;
  keyless.fields = {{"x-amz-meta-a", "b"}};
  CHECK(refused(s3, keyless, 400) == "InvalidArgument");
  Form long_key;
  long_key.fields = {{"key", "dir/" + std::string(1021, 'k')}};
  CHECK(refused(s3, long_key, 400) == "KeyTooLongError");
  Form wide;
  wide.unsigned_fields = {{"x-ignore-padding", std::string(21'000, 'p')}};
  CHECK(refused(s3, wide, 400) == "MaxPostPreDataLengthExceeded");
}

TEST_CASE("post: a connection that breaks leaves nothing behind") {
  S3UnderTest s3;
  make_buckets(s3);
  Form form;
  form.file = std::string(9 * kMiB, 'f');
  const Request request = form.request();
  for (const std::size_t after : {std::size_t{100}, std::size_t{kMiB}, request.body.size() - 1}) {
    CAPTURE(after);
    s3.send(request, {.breaks_after = after});
    CHECK(s3.census("bucket").empty());
  }
}

TEST_CASE("post: wishes that are not built are refused as on a PUT") {
  S3UnderTest s3;
  make_buckets(s3);
  Form form;
  form.fields.emplace_back("x-amz-server-side-encryption", "AES256");
  CHECK(refused(s3, form, 501) == "NotImplemented");
  form.fields.back() = {"acl", "public-read"};
  CHECK(refused(s3, form, 400) == "AccessControlListNotSupported");
  form.fields.back() = {"x-amz-checksum-crc32", "AAAAAA=="};
  CHECK(refused(s3, form, 400) == "BadDigest");
}

}  // namespace mote::s3::test
