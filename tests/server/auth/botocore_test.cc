// Requests signed by another implementation (botocore) must verify, and must not once anything
// signed changes.
#include <string>

#include <doctest/doctest.h>

#include "tests/server/auth/auth_fixture.h"

namespace mote::auth {
namespace {

struct Vector {
  std::string_view kind;
  std::string_view path;  // decoded
  std::string_view raw;
};

constexpr Vector kVectors[] = {
#include "tests/server/auth/botocore_vectors.inc"
};

struct Parsed {
  explicit Parsed(std::string text) : raw(std::move(text)) {
    REQUIRE_FALSE(http::parse_head(raw, head));
    REQUIRE_FALSE(target.parse(head.target));
  }
  std::string raw;
  http::RequestHead head;
  http::Target target;
};

std::string verdict(const AuthBench& bench, std::string text) {
  const Parsed request(std::move(text));
  const auto verified = bench.authenticator.authenticate({request.head, request.target, {}});
  return verified ? std::string() : std::string(verified.error().code);
}

Scheme scheme_of(std::string_view kind) {
  if (kind == "v4") {
    return Scheme::v4_header;
  }
  if (kind == "v4-query") {
    return Scheme::v4_query;
  }
  return kind == "v2" ? Scheme::v2_header : Scheme::v2_query;
}

TEST_CASE("botocore: every request it signs verifies, and names the key it meant") {
  const AuthBench bench;
  REQUIRE(std::size(kVectors) > 200);
  for (const Vector& vector : kVectors) {
    CAPTURE(vector.raw);
    const Parsed request{std::string(vector.raw)};
    const auto verified = bench.authenticator.authenticate({request.head, request.target, {}});
    REQUIRE(verified);
    CHECK(verified->scheme == scheme_of(vector.kind));
    CHECK(request.target.path() == vector.path);
    CHECK(verified->hoisted.empty());
  }
}

TEST_CASE("botocore: another method, key, query or signature does not verify (A-01)") {
  const AuthBench bench;
  for (const Vector& vector : kVectors) {
    CAPTURE(vector.raw);
    const std::string raw(vector.raw);
    const std::size_t blank = raw.find(' ');
    CHECK(verdict(bench, "PATCH" + raw.substr(blank)) == "SignatureDoesNotMatch");

    std::string other_key = raw;
    other_key.insert(raw.find("/bucket/") + 8, "x");
    CHECK(verdict(bench, other_key) == "SignatureDoesNotMatch");

    std::string other_query = raw;
    other_query.insert(raw.find(" HTTP/1.1"),
                       raw.find('?') < raw.find(" HTTP/1.1") ? "&versioning=1" : "?versioning=1");
    CHECK(verdict(bench, other_query) == "SignatureDoesNotMatch");

    std::string other_signature = raw;
    std::size_t at = vector.kind == "v2" ? raw.find("EXAMPLE:") + 8 : raw.find("Signature=") + 10;
    while (raw[at] == '%') {
      at += 3;  // not an escaped digit: that would be another error
    }
    other_signature[at] = raw[at] == 'a' ? 'b' : 'a';
    CHECK(verdict(bench, other_signature) == "SignatureDoesNotMatch");
  }
}

}  // namespace
}  // namespace mote::auth
