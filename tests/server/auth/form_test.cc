// Form uploads: the signature over the policy, and what the policy says. Published example:
// docs.aws.amazon.com/AmazonS3/latest/API/sigv4-post-example.html. The version 2 signature was
// computed with Python's hmac over AWS's "HTTPPOSTExamples" policy and AWS's example secret.
#include <string>

#include <doctest/doctest.h>

#include "server/auth/form_signature.h"
#include "server/auth/post_policy.h"
#include "server/digest/encoding.h"
#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {
namespace {

constexpr std::string_view kPolicyV4 =
    "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7"
    "ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91"
    "c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3Qi"
    "OiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwi"
    "fSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRh"
    "LXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVT"
    "MjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNy"
    "ZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9"
    "LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAi"
    "MjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";

constexpr std::string_view kPolicyV2 =
    "eyAiZXhwaXJhdGlvbiI6ICIyMDA3LTEyLTAxVDEyOjAwOjAwLjAwMFoiLAogICJjb25kaXRpb25zIjogWwogICAgeyJi"
    "dWNrZXQiOiAiam9obnNtaXRoIiB9LAogICAgWyJzdGFydHMtd2l0aCIsICIka2V5IiwgInVzZXIvZXJpYy8iXSwKICAg"
    "IHsiYWNsIjogInB1YmxpYy1yZWFkIiB9LAogICAgeyJyZWRpcmVjdCI6ICJodHRwOi8vam9obnNtaXRoLnMzLmFtYXpv"
    "bmF3cy5jb20vc3VjY2Vzc2Z1bF91cGxvYWQuaHRtbCIgfSwKICAgIFsic3RhcnRzLXdpdGgiLCAiJENvbnRlbnQtVHlw"
    "ZSIsICJpbWFnZS8iXSwKICAgIHsieC1hbXotbWV0YS11dWlkIjogIjE0MzY1MTIzNjUxMjc0In0sCiAgICBbInN0YXJ0"
    "cy13aXRoIiwgIiR4LWFtei1tZXRhLXRhZyIsICIiXQogIF0KfQo=";

FormFields published_v4() {
  return {{"key", "user/user1/photo.jpg"},
          {"acl", "public-read"},
          {"success_action_redirect",
           "http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html"},
          {"content-type", "image/jpeg"},
          {"x-amz-meta-uuid", "14365123651274"},
          {"x-amz-server-side-encryption", "AES256"},
          {"x-amz-credential", "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},
          {"x-amz-algorithm", "AWS4-HMAC-SHA256"},
          {"x-amz-date", "20151229T000000Z"},
          {"x-amz-meta-tag", ""},
          {"policy", std::string(kPolicyV4)},
          {"x-amz-signature", "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e"}};
}

FormFields example_v2() {
  return {{"key", "user/eric/photo.jpg"},
          {"acl", "public-read"},
          {"redirect", "http://johnsmith.s3.amazonaws.com/successful_upload.html"},
          {"content-type", "image/jpeg"},
          {"x-amz-meta-uuid", "14365123651274"},
          {"x-amz-meta-tag", "some,tag"},
          {"awsaccesskeyid", "AKIAIOSFODNN7EXAMPLE"},
          {"policy", std::string(kPolicyV2)},
          {"signature", "CaPr9rn1BXIXEFjTUzoiTGL1cYI="}};
}

FormFields replacing(FormFields fields, std::string_view name, std::string value) {
  for (auto& field : fields) {
    if (field.first == name) {
      field.second = std::move(value);
      return fields;
    }
  }
  FAIL("no such field");
  return fields;
}

FormFields without(FormFields fields, std::string_view name) {
  REQUIRE(std::erase_if(fields, [name](const auto& field) { return field.first == name; }) == 1);
  return fields;
}

std::string code(const FormFields& fields) {
  const AuthBench bench;
  const Outcome<Verified> who = verify_form(fields, bench.authenticator);
  return who ? "" : std::string(who.error().code);
}

std::int64_t at(std::string_view amz_date) {
  return http::parse_amz_date(amz_date).value() * 1000;
}

/// The refusal's code for a policy in clear text, "" if it is read.
std::string read_code(std::string_view json, std::string_view now = "20261130T120000Z") {
  const Outcome<PostPolicy> policy = PostPolicy::read(digest::to_base64(as_bytes(json)), at(now));
  return policy ? "" : std::string(policy.error().code);
}

std::string conditions(const std::string& list) {
  return R"({"expiration":"2026-11-30T12:00:00.000Z","conditions":[)" + list + "]}";
}

PostPolicy policy_of(const std::string& list) {
  const std::string text = conditions(R"({"bucket":"b"})" + (list.empty() ? list : "," + list));
  Outcome<PostPolicy> policy =
      PostPolicy::read(digest::to_base64(as_bytes(text)), at("20261130T115959Z"));
  REQUIRE(policy);
  return *std::move(policy);
}

/// "" if the fields satisfy it.
std::string judged(const std::string& list, const FormFields& fields) {
  const auto failure = policy_of(list).check_fields(fields, "b");
  return failure ? failure->message : "";
}

}  // namespace

TEST_CASE("golden: the published form of version 4") {
  const AuthBench bench;
  const Outcome<Verified> who = verify_form(published_v4(), bench.authenticator);
  REQUIRE(who);
  CHECK(who->scheme == Scheme::form);
  CHECK(who->identity().access_key == kExampleKey);
  const Outcome<PostPolicy> policy = PostPolicy::read(kPolicyV4, at("20151230T115959Z"));
  REQUIRE(policy);
  CHECK_FALSE(policy->check_fields(published_v4(), "sigv4examplebucket"));
  CHECK(policy->check_fields(published_v4(), "another")->code == "AccessDenied");
  CHECK(PostPolicy::read(kPolicyV4, at("20151230T120000Z")).error().message ==
        "Invalid according to Policy: Policy expired.");
}

TEST_CASE("golden: a form of version 2") {
  const AuthBench bench;
  const Outcome<Verified> who = verify_form(example_v2(), bench.authenticator);
  REQUIRE(who);
  CHECK(who->scheme == Scheme::form);
  CHECK(who->identity().user_id == "owner-id");
  const Outcome<PostPolicy> policy = PostPolicy::read(kPolicyV2, at("20071130T000000Z"));
  REQUIRE(policy);
  CHECK_FALSE(policy->check_fields(example_v2(), "johnsmith"));
}

TEST_CASE("A-35: forms whose signature is wrong, partial or of nobody") {
  CHECK(code(replacing(published_v4(), "x-amz-signature", std::string(64, '0'))) ==
        "SignatureDoesNotMatch");
  CHECK(code(replacing(published_v4(), "policy", std::string(kPolicyV2))) ==
        "SignatureDoesNotMatch");
  CHECK(code(replacing(published_v4(), "x-amz-credential",
                       "AKIANOBODY/20151229/us-east-1/s3/aws4_request")) == "InvalidAccessKeyId");
  for (const char* name :
       {"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature", "policy"}) {
    CAPTURE(name);
    CHECK(code(without(published_v4(), name)) == "InvalidArgument");
    CHECK(code(replacing(published_v4(), name, "")) == "InvalidArgument");
  }
  CHECK(code(replacing(published_v4(), "x-amz-algorithm", "AWS4-HMAC-SHA1")) == "InvalidArgument");
  CHECK(code(replacing(published_v4(), "x-amz-date", "20151230T000000Z")) == "InvalidArgument");
  CHECK(code(replacing(example_v2(), "signature", "AAAA")) == "SignatureDoesNotMatch");
  CHECK(code(replacing(example_v2(), "awsaccesskeyid", "AKIANOBODY")) == "InvalidAccessKeyId");
  for (const char* name : {"awsaccesskeyid", "signature", "policy"}) {
    CAPTURE(name);
    CHECK(code(without(example_v2(), name)) == "InvalidArgument");
  }
  CHECK(code({{"key", "k"}}) == "AccessDenied");
  CHECK(code({{"key", "k"}, {"policy", std::string(kPolicyV4)}}) == "InvalidArgument");
  FormFields both = published_v4();
  both.emplace_back("signature", "AAAA");
  CHECK(code(both) == "InvalidArgument");
  FormFields token = published_v4();
  token.emplace_back("x-amz-security-token", "t");
  CHECK(code(token) == "InvalidToken");
}

TEST_CASE("A-36: documents that are no policy") {
  CHECK(PostPolicy::read("not base64!", 0).error().code == "InvalidPolicyDocument");
  for (const char* text :
       {"", "[]", "{", R"({"conditions":[]})", R"({"expiration":"2026-11-30T12:00:01Z"})",
        R"({"expiration":"tomorrow","conditions":[]})", R"({"expiration":1,"conditions":[]})",
        R"({"expiration":"2026-11-30T12:00:01Z","conditions":{}})"}) {
    CAPTURE(text);
    CHECK(read_code(text) == "InvalidPolicyDocument");
  }
  for (const char* item :
       {"1", "{}", R"({"a":"b","c":"d"})", R"({"a":1})", "[]", R"(["eq","$key"])",
        R"(["eq","key","v"])", R"(["like","$key","v"])", R"(["eq","$","v"])", R"(["eq","$key",1])",
        R"(["content-length-range",1])", R"(["content-length-range",-1,2])",
        R"(["content-length-range","x",2])", R"(["content-length-range",1.5,2])"}) {
    CAPTURE(item);
    CHECK(read_code(conditions(item), "20261130T115959Z") == "InvalidPolicyDocument");
  }
  CHECK(read_code(conditions(""), "20261130T115959Z").empty());
  CHECK(read_code(conditions(""), "20261130T120000Z") == "AccessDenied");
}

TEST_CASE("policy: conditions and the fields they cover") {
  CHECK(judged("", {}).empty());
  CHECK(judged("", {{"key", "k"}}) == "Invalid according to Policy: Extra input fields: key");
  CHECK(judged("", {{"x-ignore-me", "1"}, {"policy", "p"}, {"x-amz-signature", "s"}}).empty());
  CHECK(judged("", {{"x-amz-checksum-sha256", "c"}, {"policy", "p"}, {"x-amz-signature", "s"}})
            .empty());
  CHECK(judged(R"({"Key":"k"})", {{"key", "k"}}).empty());
  CHECK(judged(R"(["eq","$key","k"])", {{"key", "kk"}}) ==
        "Invalid according to Policy: Policy Condition failed: [\"eq\",\"$key\",\"k\"]");
  CHECK(judged(R"(["starts-with","$key","user/"])", {{"key", "user/1"}}).empty());
  CHECK_FALSE(judged(R"(["starts-with","$key","user/"])", {{"key", "use"}}).empty());
  CHECK(judged(R"(["starts-with","$key",""])", {{"key", "anything"}}).empty());
  CHECK_FALSE(judged(R"({"acl":"private"})", {}).empty());
  const std::string type = R"(["starts-with","$Content-Type","image/"])";
  CHECK(judged(type, {{"content-type", "image/png,image/gif"}}).empty());
  CHECK_FALSE(judged(type, {{"content-type", "image/png,text/html"}}).empty());
  CHECK_FALSE(judged("", {{"bucket", "other"}}).empty());
  CHECK(judged("", {{"bucket", "b"}}).empty());
  // A policy that names no bucket would be good for every bucket of its signer.
  const std::string none = conditions(R"({"key":"k"})");
  const auto policy = PostPolicy::read(digest::to_base64(as_bytes(none)), at("20261130T115959Z"));
  REQUIRE(policy);
  CHECK(policy->check_fields({{"key", "k"}}, "b").has_value());
}

TEST_CASE("A-36: content-length-range") {
  const PostPolicy policy = policy_of(R"(["content-length-range",2,"4"])");
  CHECK(policy.check_length(1)->code == "EntityTooSmall");
  CHECK_FALSE(policy.check_length(2));
  CHECK_FALSE(policy.check_length(4));
  CHECK(policy.check_length(5)->code == "EntityTooLarge");
  CHECK(policy.bytes_max() == 4);
}

}  // namespace mote::auth
