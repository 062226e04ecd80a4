#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "server/http/framing_guard.h"
#include "server/http/head_parser.h"

namespace mote::http {
namespace {

/// What parser and guard together make of a raw head; nullopt = accepted.
std::optional<FramingError> judge(const std::string& raw, Framing& framing) {
  static RequestHead head;  // reused, as a connection does
  if (const auto error = parse_head(raw, head)) {
    return error;
  }
  return check_framing(head, framing);
}

std::string request(std::string_view fields, std::string_view line = "PUT /b/k HTTP/1.1") {
  return std::string(line) + "\r\nHost: h:9000\r\n" + std::string(fields) + "\r\n";
}

struct Refused {
  std::string raw;
  FramingError error;
  int status = 400;
};

TEST_CASE("framing: everything that makes a body's end doubtful is refused (A-41)") {
  const std::vector<Refused> rows = {
      {request("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
       FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
       FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: chunked, chunked\r\n"), FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: chunked, identity\r\n"), FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: identity\r\n"), FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: \r\n"), FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: chunked,\r\n"), FramingError::bad_transfer_encoding},
      {request("Transfer-Encoding: gzip\r\n"), FramingError::unknown_transfer_coding, 501},
      {request("Transfer-Encoding: xchunked\r\n"), FramingError::unknown_transfer_coding, 501},
      {request("Transfer-Encoding: gzip, chunked\r\n"), FramingError::unknown_transfer_coding, 501},
      {request("Transfer-Encoding: chunked\r\n", "PUT /b/k HTTP/1.0"),
       FramingError::bad_transfer_encoding},
      {request("Content-Length: 5\r\nContent-Length: 6\r\n"), FramingError::bad_content_length},
      {request("Content-Length: 5\r\nContent-Length: 5\r\n"), FramingError::bad_content_length},
      {request("Content-Length: 5, 5\r\n"), FramingError::bad_content_length},
      {request("Content-Length: -1\r\n"), FramingError::bad_content_length},
      {request("Content-Length: +5\r\n"), FramingError::bad_content_length},
      {request("Content-Length: 0x5\r\n"), FramingError::bad_content_length},
      {request("Content-Length: \r\n"), FramingError::bad_content_length},
      {request("Content-Length: 5 5\r\n"), FramingError::bad_content_length},
      {request("Content-Length: 18446744073709551615\r\n"), FramingError::content_length_overflow},
      {request("Content-Length: 18446744073709551616\r\n"), FramingError::content_length_overflow},
      {request("Content-Length: " + std::string(200, '9') + "\r\n"),
       FramingError::content_length_overflow},
  };
  for (const Refused& row : rows) {
    CAPTURE(row.raw);
    Framing framing;
    const auto error = judge(row.raw, framing);
    REQUIRE(error);
    CHECK(*error == row.error);
    CHECK(describe(*error).status == row.status);
    CHECK_FALSE(describe(*error).code.empty());
    CHECK_FALSE(describe(*error).message.empty());
  }
  CHECK(describe(FramingError::content_length_overflow).code == "EntityTooLarge");
  CHECK(describe(FramingError::header_section_too_large).code == "RequestHeaderSectionTooLarge");
  CHECK(describe(FramingError::unknown_transfer_coding).code == "NotImplemented");
}

TEST_CASE("framing: a head that is not HTTP, or not one request's, is refused (A-43)") {
  using namespace std::string_literals;
  const std::vector<Refused> rows = {
      {"GET / HTTP/1.1\r\n\r\n", FramingError::bad_host},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", FramingError::bad_host},
      {"GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", FramingError::bad_host},
      {"GET / HTTP/1.1\r\nHost: \r\n\r\n", FramingError::bad_host},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", FramingError::bad_host},
      {"GET / HTTP/1.1\r\nHost: a:port\r\n\r\n", FramingError::bad_host},
      {"GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::bad_target},
      {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::bad_target},
      {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::bad_target},
      {"GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\r\n\tX: 1\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\n: a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\nHost: a\n\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n"s, FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: \x7f\r\n\r\n", FramingError::malformed},
      {"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / x HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET /\r\nHost: a\r\n\r\n", FramingError::malformed},
      {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/11\r\nHost: a\r\n\r\n", FramingError::malformed},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", FramingError::unsupported_version, 505},
      {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", FramingError::unsupported_version, 505},
      {"GET / HTTP/1.1\r\nHost: a\r\n", FramingError::malformed},
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\nrest", FramingError::malformed},
      {"", FramingError::malformed},
      {"\r\n", FramingError::malformed},
  };
  for (const Refused& row : rows) {
    CAPTURE(row.raw);
    Framing framing;
    const auto error = judge(row.raw, framing);
    REQUIRE(error);
    CHECK(*error == row.error);
    CHECK(describe(*error).status == row.status);
  }
}

TEST_CASE("framing: the guard alone refuses what a lenient parser lets through") {
  using namespace std::string_view_literals;
  RequestHead head;
  const auto reset = [&head] {
    head.clear();
    head.set_method("GET");
    head.set_target("/");
    head.headers.add("Host", "a");
  };
  Framing framing;
  reset();
  CHECK_FALSE(check_framing(head, framing));
  for (const auto& [name, value] : {std::pair("X"sv, "a\r\nb"sv), std::pair("X"sv, "a\0b"sv),
                                    std::pair(""sv, "a"sv), std::pair("a b"sv, "a"sv)}) {
    reset();
    head.headers.add(name, value);
    CHECK(check_framing(head, framing) == FramingError::malformed);
  }
  reset();
  head.set_target("x");
  CHECK(check_framing(head, framing) == FramingError::bad_target);
  reset();
  head.set_method("");
  CHECK(check_framing(head, framing) == FramingError::malformed);
  reset();
  head.minor_version = 2;
  CHECK(check_framing(head, framing) == FramingError::unsupported_version);
}

TEST_CASE("framing: limits hold at the border and one beyond (A-45)") {
  Framing framing;
  const std::string line_head = "GET /";
  const std::string line_tail = " HTTP/1.1";
  const std::string fits(kRequestLineBytesMax - line_head.size() - line_tail.size(), 'a');
  CHECK_FALSE(judge(line_head + fits + line_tail + "\r\nHost: a\r\n\r\n", framing));
  CHECK(judge(line_head + fits + "a" + line_tail + "\r\nHost: a\r\n\r\n", framing) ==
        FramingError::request_line_too_long);

  const std::string overhead = "Host: a\r\nX: \r\n\r\n";
  const std::string value(kHeaderSectionBytesMax - overhead.size(), 'v');
  CHECK_FALSE(judge("GET / HTTP/1.1\r\nHost: a\r\nX: " + value + "\r\n\r\n", framing));
  CHECK(judge("GET / HTTP/1.1\r\nHost: a\r\nX: " + value + "v\r\n\r\n", framing) ==
        FramingError::header_section_too_large);

  std::string fields = "Host: a\r\n";
  for (std::size_t i = 1; i < kHeaderFieldsMax; ++i) {
    fields += "X: 1\r\n";
  }
  CHECK_FALSE(judge("GET / HTTP/1.1\r\n" + fields + "\r\n", framing));
  CHECK(judge("GET / HTTP/1.1\r\n" + fields + "X: 1\r\n\r\n", framing) ==
        FramingError::too_many_fields);
}

TEST_CASE("framing: what is accepted, and what it says of body and connection") {
  struct Row {
    std::string raw;
    Framing expected;
  };
  using Body = Framing::Body;
  const std::vector<Row> rows = {
      {request(""), {Body::none, 0, true, false, false}},
      {request("Content-Length: 0\r\n"), {Body::length, 0, true, false, false}},
      {request("content-length:  42 \r\n"), {Body::length, 42, true, false, false}},
      {request("Content-Length: 9223372036854775807\r\n"),
       {Body::length, 9223372036854775807U, true, false, false}},
      {request("Transfer-Encoding: Chunked\r\n"), {Body::chunked, 0, true, false, false}},
      {request("Connection: Close\r\n"), {Body::none, 0, false, false, false}},
      {request("Connection: keep-alive, Close\r\n"), {Body::none, 0, false, false, false}},
      {request("Connection: keep-alive\r\n"), {Body::none, 0, true, false, false}},
      {request("Content-Length: 1\r\nExpect: 100-Continue\r\n"),
       {Body::length, 1, true, true, false}},
      {request("Content-Length: 1\r\nExpect: 200-ok\r\n"), {Body::length, 1, true, false, false}},
      {request("Content-Length: 1\r\nExpect: \r\n"), {Body::length, 1, true, false, false}},
      {request("Transfer-Encoding: chunked\r\nexpect: 100-continue\r\n"),
       {Body::chunked, 0, true, true, false}},
      {request("Content-Length: 0\r\nExpect: 100-continue\r\n"),
       {Body::length, 0, true, false, false}},
      {request("Content-Length: 3\r\nExpect: 100-continue\r\n", "PUT / HTTP/1.0"),
       {Body::length, 3, false, false, true}},
      {"GET / HTTP/1.0\r\n\r\n", {Body::none, 0, false, false, true}},
      {request("Connection: keep-alive\r\n", "GET / HTTP/1.0"),
       {Body::none, 0, false, false, true}},
      {request("X-Amz-Meta-A: gr\xc3\xbc\xc3\x9f e\t\r\n"), {Body::none, 0, true, false, false}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.raw);
    Framing framing;
    CHECK_FALSE(judge(row.raw, framing));
    CHECK(framing.body == row.expected.body);
    CHECK(framing.length == row.expected.length);
    CHECK(framing.keep_alive == row.expected.keep_alive);
    CHECK(framing.expect_continue == row.expected.expect_continue);
    CHECK(framing.http10 == row.expected.http10);
  }
}

TEST_CASE("head: fields are views into the section, trimmed, in order, with their names as sent") {
  const std::string raw =
      "DELETE /b/k?versionId=1&x HTTP/1.1\r\nhOsT: a\r\nX-Meta:  one "
      "\r\nx-meta:\ttwo\t\r\nEmpty:\r\n\r\n";
  RequestHead head;
  REQUIRE_FALSE(parse_head(raw, head));
  CHECK(head.method == Method::delete_);
  CHECK(head.method_text == "DELETE");
  CHECK(head.target == "/b/k?versionId=1&x");
  CHECK(head.path_raw == "/b/k");
  CHECK(head.query_raw == "versionId=1&x");
  CHECK(head.minor_version == 1);
  REQUIRE(head.headers.size() == 4);
  CHECK(head.headers.fields()[0].name == "hOsT");
  CHECK(head.headers.get("x-meta") == "one");
  CHECK(head.headers.count("x-meta") == 2);
  std::string all;
  head.headers.find_all("x-meta",
                        [&all](std::string_view value) { all.append(value).append(";"); });
  CHECK(all == "one;two;");
  CHECK(head.headers.find("empty") == std::string_view());
  CHECK_FALSE(head.headers.find("absent"));
  CHECK(head.headers.get("absent").empty());
  CHECK(head.headers.fields()[1].value.data() >= raw.data());
  CHECK(head.headers.fields()[1].value.data() < raw.data() + raw.size());
  head.clear();
  CHECK(head.headers.size() == 0);
  CHECK_FALSE(head.headers.contains("x-meta"));
}

TEST_CASE("head: methods are case-sensitive") {
  for (const Method method :
       {Method::get, Method::head, Method::put, Method::post, Method::delete_, Method::options}) {
    CHECK(parse_method(to_string(method)) == method);
  }
  CHECK(parse_method("get") == Method::other);
  CHECK(parse_method("PATCH") == Method::other);
  CHECK(to_string(Method::other).empty());
}

TEST_CASE("head: the end is found wherever the bytes are cut, and nothing is scanned twice") {
  const std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string buffer = head + "GET /next HTTP/1.1\r\n\r\n";
  for (std::size_t step = 1; step <= buffer.size(); ++step) {
    std::size_t scanned = 0;
    std::size_t end = 0;
    for (std::size_t size = 0; end == 0 && size <= buffer.size(); size += step) {
      const std::size_t before = scanned;
      end = find_head_end(std::string_view(buffer).substr(0, size), scanned);
      CHECK(scanned >= before);
    }
    if (end == 0) {
      end = find_head_end(buffer, scanned);
    }
    CAPTURE(step);
    CHECK(end == head.size());
  }
  for (const std::string_view lenient :
       {"GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\n\n", "GET / HTTP/1.1\n\r\n"}) {
    std::size_t scanned = 0;
    CHECK(find_head_end(lenient, scanned) == lenient.size());
  }
  std::size_t scanned = 0;
  CHECK(find_head_end("GET / HTTP/1.1\r\nA: b\r\n", scanned) == 0);
}

}  // namespace
}  // namespace mote::http
