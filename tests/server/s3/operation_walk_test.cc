// Every operation of the table, refused in every way that holds for all of them: no credentials,
// wrong ones, another user's bucket, a bucket that is not there, a head with something missing or
// doubled, a body that is malformed or too long. And every whole-number parameter at its borders.
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "server/s3/router.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

/// A request that is routed to an operation. {bucket} stands for the bucket's name.
struct Example {
  std::string method;
  std::string target;
  bool copy = false;
  bool form = false;

  [[nodiscard]] std::string target_in(const std::string& bucket) const {
    std::string out = target;
    const std::size_t at = out.find("{bucket}");
    return at == std::string::npos ? out : out.replace(at, 8, bucket);
  }
  [[nodiscard]] Request request(const std::string& bucket, std::string body = {}) const {
    Headers headers;
    if (copy) {
      headers.emplace_back("x-amz-copy-source", bucket + "/old");
    }
    if (form) {
      headers.emplace_back("Content-Type", "multipart/form-data; boundary=B");
    }
    return S3UnderTest::request(method, target_in(bucket), std::move(body), std::move(headers));
  }
};

constexpr const char* kQueries[] = {"",
                                    "?abac",
                                    "?accelerate",
                                    "?acl",
                                    "?analytics",
                                    "?analytics&id=1",
                                    "?attributes",
                                    "?cors",
                                    "?delete",
                                    "?encryption",
                                    "?encryption&id=1",
                                    "?intelligent-tiering",
                                    "?intelligent-tiering&id=1",
                                    "?inventory",
                                    "?inventory&id=1",
                                    "?legal-hold",
                                    "?lifecycle",
                                    "?list-type=2",
                                    "?location",
                                    "?logging",
                                    "?metadataConfiguration",
                                    "?metadataInventoryTable",
                                    "?metadataJournalTable",
                                    "?metadataTable",
                                    "?metrics",
                                    "?metrics&id=1",
                                    "?notification",
                                    "?object-lock",
                                    "?ownershipControls",
                                    "?partNumber=1&uploadId=u",
                                    "?policy",
                                    "?policyStatus",
                                    "?publicAccessBlock",
                                    "?renameObject",
                                    "?replication",
                                    "?requestPayment",
                                    "?restore",
                                    "?retention",
                                    "?select&select-type=2",
                                    "?session",
                                    "?tagging",
                                    "?torrent",
                                    "?uploadId=u",
                                    "?uploads",
                                    "?versioning",
                                    "?versions",
                                    "?website"};

std::optional<Op> route_of(const Example& example) {
  http::Target target;
  const std::string text = example.target_in("bucket");
  if (target.parse(text)) {
    return std::nullopt;
  }
  const Outcome<Route> routed =
      route({.method = http::parse_method(example.method),
             .method_text = example.method,
             .target = target,
             .host_bucket = {},
             .has_copy_source = example.copy,
             .content_type = example.form ? "multipart/form-data; boundary=B" : ""});
  return routed ? std::optional(routed->op) : std::nullopt;
}

/// One example for each operation that a request can reach.
const std::map<Op, Example>& examples() {
  static const std::map<Op, Example> all = [] {
    std::map<Op, Example> found;
    for (const char* method : {"GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS"}) {
      for (const char* path : {"/", "/{bucket}", "/{bucket}/old"}) {
        for (const char* query : kQueries) {
          for (const int variant : {0, 1, 2}) {
            const Example example{method, std::string(path) + query, variant == 1, variant == 2};
            if (const auto op = route_of(example)) {
              found.emplace(*op, example);
            }
          }
        }
      }
    }
    return found;
  }();
  return all;
}

/// alice's bucket with an object and an open upload, bob's with nothing.
struct World : S3UnderTest {
  World() {
    make_bucket("bucket");
    call("PUT", "/bucket/old", "old");
    call("POST", "/bucket/open?uploads");
    call_as(bob(), "PUT", "/bobs");
  }
  std::string everything() { return census("bucket") + "|" + census("bobs") + buckets(); }
  std::string buckets() {
    std::string out;
    for (const auto& bucket : store().list_buckets()) {
      out += bucket->name + ";";
    }
    return out;
  }
};

std::string signature_of(const Request& request) {
  return request.header("authorization");
}

/// Operations that name no bucket, or decide by themselves who may.
bool is_open(Op op) {
  return describe(op).access != Access::bucket_owner;
}

}  // namespace

TEST_CASE("walk: every operation of the table is reached by a request") {
  std::set<std::string> missing;
  for (const OperationInfo& info : operations()) {
    if (!examples().contains(info.op)) {
      missing.emplace(info.name);
    }
  }
  CAPTURE(missing.size());
  for (const std::string& name : missing) {
    FAIL_CHECK(name);
  }
}

TEST_CASE(
    "walk: no credentials, wrong ones, doubled and missing headers (A-01, A-03, A-07, A-20)") {
  World s3;
  const std::string before = s3.everything();
  for (const auto& [op, example] : examples()) {
    const std::string operation(describe(op).name);
    CAPTURE(operation);
    const bool body = example.method != "HEAD";
    const Response anonymous = s3.send(example.request("bucket"));
    // A form carries its signature inside: this one is empty, and so no form.
    CHECK(anonymous.status == (op == Op::post_object ? 400 : 403));
    if (op == Op::preflight) {
      continue;  // it is never signed
    }
    const auto refused = [&](const Request& request, int status, const char* code) {
      const Response response = s3.send(request);
      CHECK(response.status == status);
      CHECK(response.code() == (body ? code : ""));
      CHECK(response.replies == 1);
    };
    Request wrong = example.request("bucket");
    Signer({"AKALICE", "guess"}, S3UnderTest::kAmzDate).sign(wrong);
    refused(wrong, 403, "SignatureDoesNotMatch");
    Request unknown = example.request("bucket");
    Signer({"AKNOBODY", "guess"}, S3UnderTest::kAmzDate).sign(unknown);
    refused(unknown, 403, "InvalidAccessKeyId");
    Request doubled = example.request("bucket");
    s3.signer().sign(doubled);
    doubled.with("Authorization", signature_of(doubled));
    refused(doubled, 400, "InvalidArgument");
    Request dateless = example.request("bucket");
    s3.signer().sign(dateless);
    std::erase_if(dateless.headers, [](const auto& field) { return field.first == "x-amz-date"; });
    refused(dateless, 403, "AccessDenied");
    Request late = example.request("bucket");
    Signer(S3UnderTest::alice(), "20261130T114359Z").sign(late);
    refused(late, 403, "RequestTimeTooSkewed");
  }
  CHECK(s3.everything() == before);
}

TEST_CASE("walk: another user's bucket, and one that is not there") {
  World s3;
  const std::string before = s3.everything();
  for (const auto& [op, example] : examples()) {
    if (is_open(op)) {
      continue;
    }
    const std::string operation(describe(op).name);
    CAPTURE(operation);
    const bool body = example.method != "HEAD";
    Request foreign = example.request("bucket");
    Signer(S3UnderTest::bob(), S3UnderTest::kAmzDate).sign(foreign);
    const Response denied = s3.send(foreign);
    CHECK(denied.status == 403);
    CHECK(denied.code() == (body ? "AccessDenied" : ""));
    Request nowhere = example.request("missing");
    s3.signer().sign(nowhere);
    const Response absent = s3.send(nowhere);
    CHECK(absent.status == 404);
    CHECK(absent.code() == (body ? "NoSuchBucket" : ""));
  }
  CHECK(s3.everything() == before);
}

TEST_CASE("walk: documents that are malformed or too long (A-49, A-50)") {
  // Where a bucket has no object lock, that is said before the document is read.
  const std::set<std::string> malformed = {
      "MalformedXML",   "MalformedPolicy",    "NotImplemented",   "NoSuchUpload",
      "InvalidRequest", "InvalidBucketState", "MalformedACLError"};
  for (const auto& [op, example] : examples()) {
    if (describe(op).body != BodyUse::document) {
      continue;
    }
    const std::string operation(describe(op).name);
    CAPTURE(operation);
    World s3;
    const std::string before = s3.everything();
    for (const std::string& text : {std::string("<a><b></a>"), std::string("<!DOCTYPE x><x/>"),
                                    std::string("\x00\xff", 2), std::string(10 * kMiB, ' ')}) {
      Request request = example.request("bucket", text);
      request.with("Content-MD5", md5_base64(text));
      s3.signer().sign(request);
      const Response response = s3.send(request);
      CAPTURE(response.code());
      CHECK((response.status >= 400 && response.status != 500 && response.status != 503));
      if (text.size() > kMiB) {
        CHECK(
            (response.code() == "MaxMessageLengthExceeded" || malformed.contains(response.code())));
      } else {
        CHECK(malformed.contains(response.code()));
      }
    }
    Request changed = example.request("bucket", "<x/>");
    changed.with("Content-MD5", md5_base64("<y/>"));
    s3.signer().sign(changed);
    const Response response = s3.send(changed);
    CAPTURE(response.code());
    CHECK((response.code() == "BadDigest" ||
           (malformed.contains(response.code()) && !response.code().starts_with("Malformed"))));
    CHECK(s3.everything() == before);
  }
}

TEST_CASE("walk: whole numbers at -1, 0, the largest, one more, and as text (A-53)") {
  struct Number {
    const char* method;
    std::string target;  ///< the number goes behind it
    std::uint64_t min;
    std::uint64_t max;
    int within;  ///< status where it is taken
  };
  World s3;
  const std::string upload = s3.call("POST", "/bucket/parts?uploads").element("UploadId");
  REQUIRE_FALSE(upload.empty());
  constexpr std::uint64_t kInt = 0x7FFFFFFF;
  const std::vector<Number> numbers = {
      {"GET", "/bucket?max-keys=", 0, kInt, 200},
      {"GET", "/bucket?list-type=2&max-keys=", 0, kInt, 200},
      {"GET", "/bucket?versions&max-keys=", 0, kInt, 200},
      {"GET", "/bucket?uploads&max-uploads=", 0, kInt, 200},
      {"GET", "/?max-buckets=", 1, 10'000, 200},
      {"GET", "/bucket/parts?uploadId=" + upload + "&max-parts=", 0, kInt, 200},
      {"GET", "/bucket/parts?uploadId=" + upload + "&part-number-marker=", 0, kInt, 200},
      {"PUT", "/bucket/parts?uploadId=" + upload + "&partNumber=", 1, 10'000, 200},
      {"GET", "/bucket/old?partNumber=", 1, 10'000, 0}};
  for (const Number& number : numbers) {
    CAPTURE(number.target);
    const auto status = [&](const std::string& text) {
      const Response response = s3.call(number.method, number.target + text);
      CAPTURE(text);
      CHECK((response.status < 400 || !response.code().empty()));
      return std::pair(response.status, response.code());
    };
    const auto refused = std::pair(400, std::string("InvalidArgument"));
    for (const std::string& text :
         {std::string("-1"), std::to_string(number.max + 1), std::string("18446744073709551616"),
          std::string("x"), std::string("1x"), std::string("%2B1"), std::string("0x1"),
          std::string("1.5"), std::string("%201")}) {
      CAPTURE(text);
      CHECK(status(text) == refused);
    }
    if (number.min > 0) {
      CHECK(status(std::to_string(number.min - 1)) == refused);
    }
    if (number.within > 0) {
      CHECK(status(std::to_string(number.min)).first == number.within);
      CHECK(status(std::to_string(number.max)).first == number.within);
    }
  }
  CHECK(s3.call("GET", "/bucket/old?partNumber=1").body == "old");
  CHECK(s3.call("GET", "/bucket/old?partNumber=10000").status == 416);
}

}  // namespace mote::s3::test
