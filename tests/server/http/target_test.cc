// INV-9: one parse of the target, byte for byte, for signature, policy and storage.
#include "server/http/target.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "server/http/host.h"
#include "server/http/uri.h"
#include "tests/server/digest/test_seed.h"

namespace mote::http {
namespace {

TEST_CASE("target: a key is the bytes sent, decoded once and otherwise left alone (A-39)") {
  struct Row {
    std::string_view raw;
    std::string_view path;
  };
  const Row rows[] = {
      {"/", "/"},
      {"/b/k", "/b/k"},
      {"/b/a%20b%2Bc/%C3%A9", "/b/a b+c/\xc3\xa9"},
      {"/b/a+b", "/b/a+b"},
      {"/b//x", "/b//x"},
      {"//x", "//x"},
      {"/b/a/../b", "/b/a/../b"},
      {"/b/./x", "/b/./x"},
      {"/b/%2e%2e%2fx", "/b/../x"},
      {"/b/..%5Cx", "/b/..\\x"},
      {"/b/(1).%28rnd%29", "/b/(1).(rnd)"},
      {"/b/%25", "/b/%"},
      {"/b/%252F", "/b/%2F"},
      {"/b/\xc3\xa9", "/b/\xc3\xa9"},
      {"/b/%01%0a%7f", "/b/\x01\n\x7f"},
  };
  Target target;
  for (const Row& row : rows) {
    CAPTURE(row.raw);
    REQUIRE_FALSE(target.parse(row.raw));
    CHECK(target.path() == row.path);
    CHECK(target.raw() == row.raw);
    CHECK(target.params().empty());
  }
}

TEST_CASE("target: bad escapes, NUL, bad UTF-8 and other forms are refused (A-40)") {
  using namespace std::string_view_literals;
  struct Row {
    std::string_view raw;
    TargetError error;
  };
  const Row rows[] = {
      {"/b/%zz", TargetError::bad_escape},         {"/b/%", TargetError::bad_escape},
      {"/b/%1", TargetError::bad_escape},          {"/b/%1g", TargetError::bad_escape},
      {"/b?x=%zz", TargetError::bad_escape},       {"/b?%z=1", TargetError::bad_escape},
      {"/b/%00", TargetError::nul_byte},           {"/b/a\0b"sv, TargetError::nul_byte},
      {"/b?x=%00", TargetError::nul_byte},         {"/b/%ff", TargetError::invalid_utf8},
      {"/b/%c0%af", TargetError::invalid_utf8},    {"/b/%ed%a0%80", TargetError::invalid_utf8},
      {"/b/%c3", TargetError::invalid_utf8},       {"/b/\xff", TargetError::invalid_utf8},
      {"/b?x=%ff", TargetError::invalid_utf8},     {"", TargetError::not_origin_form},
      {"b", TargetError::not_origin_form},         {"*", TargetError::not_origin_form},
      {"http://h/", TargetError::not_origin_form}, {"/a b", TargetError::not_origin_form},
      {"/a#b", TargetError::not_origin_form},      {"/a\tb", TargetError::not_origin_form},
  };
  Target target;
  for (const Row& row : rows) {
    CAPTURE(row.raw);
    CHECK(target.parse(row.raw) == row.error);
  }
  std::string many = "/?";
  for (std::size_t i = 0; i < Target::kParamsMax; ++i) {
    many += "a&";
  }
  CHECK_FALSE(target.parse(many));
  many += "a";
  CHECK(target.parse(many) == TargetError::too_many_params);
}

TEST_CASE("target: query parameters keep order and duplicates, '+' is a blank") {
  Target target;
  REQUIRE_FALSE(
      target.parse("/b?prefix=a+b%2Bc&uploads&list-type=2&&x=1&x=2&eq=a=b&%70=%3D&=v&Uploads="));
  CHECK(target.value("prefix") == "a b+c");
  CHECK(target.has("uploads"));
  CHECK(target.value("uploads").empty());
  CHECK(target.value("list-type") == "2");
  CHECK(target.count("x") == 2);
  CHECK(target.value("x") == "1");
  CHECK(target.value("eq") == "a=b");
  CHECK(target.value("p") == "=");
  CHECK(target.value("") == "v");
  CHECK(target.has("Uploads"));
  CHECK_FALSE(target.has("LIST-TYPE"));
  CHECK(target.find("nothing") == nullptr);
  CHECK(target.value("nothing").empty());
  REQUIRE(target.params().size() == 9);
  CHECK(target.params()[0].raw_value == "a+b%2Bc");
  CHECK(target.params()[6].raw_name == "%70");
  CHECK(target.raw_query().starts_with("prefix="));
  REQUIRE_FALSE(target.parse("/b?"));
  CHECK(target.params().empty());
  REQUIRE_FALSE(target.parse("/b?a?b"));
  CHECK(target.has("a?b"));
}

TEST_CASE("target: a reused object gives views that stay right when the arena is full") {
  Target target;
  std::string raw = "/b/" + std::string(100, 'k') + "%41?";
  for (int i = 0; i < 200; ++i) {
    raw += "n" + std::to_string(i) + "=%41" + std::to_string(i) + "&";
  }
  for (int round = 0; round < 3; ++round) {
    REQUIRE_FALSE(target.parse(raw));
    CHECK(target.path().ends_with("kA"));
    for (int i = 0; i < 200; ++i) {
      CHECK(target.value("n" + std::to_string(i)) == "A" + std::to_string(i));
    }
  }
}

TEST_CASE("uri: encode then decode is the identity on random bytes; encoding is canonical") {
  std::mt19937_64 rng(test_seed());
  for (int round = 0; round < 500; ++round) {
    std::string text(rng() % 50, '\0');
    for (char& c : text) {
      c = static_cast<char>(rng());
    }
    for (const Slash slash : {Slash::encode, Slash::keep}) {
      const std::string encoded = uri_encode(text, slash);
      for (const Plus plus : {Plus::blank, Plus::literal}) {
        std::string decoded;
        CHECK(append_uri_decoded(decoded, encoded, plus));
        CHECK(decoded == text);
      }
      CHECK((encoded.find('/') == std::string::npos || slash == Slash::keep));
    }
  }
  CHECK(uri_encode("aZ09-._~") == "aZ09-._~");
  CHECK(uri_encode(" +/&=%\xff") == "%20%2B%2F%26%3D%25%FF");
  CHECK(uri_encode("a/b c", Slash::keep) == "a/b%20c");
}

TEST_CASE("uri: UTF-8 borders") {
  for (const std::string_view good :
       {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CAPTURE(good);
    CHECK(is_valid_utf8(good));
  }
  for (const std::string_view bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe1\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf1\x80\x80", "\xff",
        "\xc2\x41", "\xe1\x80\x41", "\xf1\x80\x80\x41", "\xf1\x80\x41\x80", "\xe1\x41\x80"}) {
    CHECK_FALSE(is_valid_utf8(bad));
  }
}

TEST_CASE("target: bucket and key from either address style") {
  CHECK(split_path("/", "").bucket.empty());
  CHECK(split_path("/b", "").bucket == "b");
  CHECK(split_path("/b", "").key.empty());
  CHECK(split_path("/b/", "").key.empty());
  CHECK(split_path("/b//k", "").key == "/k");
  CHECK(split_path("/b/a/../k", "").key == "a/../k");
  CHECK(split_path("/k/x", "b").bucket == "b");
  CHECK(split_path("/k/x", "b").key == "k/x");
  CHECK(split_path("/", "b").key.empty());
  CHECK(split_path("//k", "b").key == "/k");
}

TEST_CASE("host: bucket label, port, literals (wire 60)") {
  const std::vector<std::string> domains = {"s3.local", "eu.s3.local", "localhost"};
  struct Row {
    std::string_view value;
    std::string_view name;
    std::string_view port;
    std::string_view bucket;
  };
  const Row rows[] = {
      {"s3.local", "s3.local", "", ""},
      {"S3.Local:9000", "S3.Local", "9000", ""},
      {"b.s3.local", "b.s3.local", "", "b"},
      {"b.c.s3.LOCAL:80", "b.c.s3.LOCAL", "80", "b.c"},
      {"b.eu.s3.local", "b.eu.s3.local", "", "b"},
      {"eu.s3.local", "eu.s3.local", "", ""},
      {"xs3.local", "xs3.local", "", ""},
      {".s3.local", ".s3.local", "", ""},
      {"other.host", "other.host", "", ""},
      {"b.localhost:9000", "b.localhost", "9000", "b"},
      {"127.0.0.1:9000", "127.0.0.1", "9000", ""},
      {"[::1]:9000", "::1", "9000", ""},
      {"[::1]", "::1", "", ""},
      {"h:", "h", "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    const auto host = parse_host(row.value, domains);
    REQUIRE(host);
    CHECK(host->name == row.name);
    CHECK(host->port == row.port);
    CHECK(host->bucket == row.bucket);
  }
  for (const std::string_view bad : {"", ":80", "a/b", "a b", "a:b", "a:123456", "[::1", "[]",
                                     "[::1]x", "[::1]9", "[g]", "a@b", "a,b"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_host(bad, domains));
  }
  const std::vector<std::string> none = {""};
  CHECK(parse_host("a.b", none)->bucket.empty());
}

}  // namespace
}  // namespace mote::http
