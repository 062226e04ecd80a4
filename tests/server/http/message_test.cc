#include <string>

#include <doctest/doctest.h>

#include "server/http/conditional.h"
#include "server/http/date.h"
#include "server/http/range.h"
#include "server/http/response_head.h"

namespace mote::http {
namespace {

TEST_CASE("range: forms, and what is ignored (A-52)") {
  struct Row {
    std::string_view header;
    bool taken;
    RangeSpec::Kind kind = RangeSpec::Kind::from;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };
  using Kind = RangeSpec::Kind;
  const Row rows[] = {
      {"bytes=0-9", true, Kind::from_to, 0, 9},
      {"bytes=5-5", true, Kind::from_to, 5, 5},
      {"Bytes=5-", true, Kind::from, 5, 0},
      {" bytes= 5- ", true, Kind::from, 5, 0},
      {"bytes=-3", true, Kind::suffix, 0, 3},
      {"bytes=-0", true, Kind::suffix, 0, 0},
      {"bytes=0-18446744073709551615", true, Kind::from_to, 0, 18446744073709551615U},
      {"bytes=0-18446744073709551616", false},
      {"bytes=18446744073709551616-", false},
      {"bytes=-18446744073709551616", false},
      {"bytes=9-5", false},
      {"bytes=-", false},
      {"bytes=", false},
      {"bytes=5", false},
      {"bytes=a-b", false},
      {"bytes=1-b", false},
      {"bytes=--1", false},
      {"bytes=+1-2", false},
      {"bytes=0-1,3-4", false},
      {"bytes=0-1,", false},
      {"bytes 0-1", false},
      {"items=0-1", false},
      {"", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.header);
    const auto spec = parse_range(row.header);
    REQUIRE(spec.has_value() == row.taken);
    if (spec) {
      CHECK(spec->kind == row.kind);
      CHECK(spec->first == row.first);
      CHECK(spec->last == row.last);
    }
  }
}

TEST_CASE("range: resolving agrees with a brute-force model") {
  for (std::uint64_t size = 0; size < 6; ++size) {
    for (std::uint64_t first = 0; first < 8; ++first) {
      for (std::uint64_t last = 0; last < 8; ++last) {
        for (const auto kind :
             {RangeSpec::Kind::from_to, RangeSpec::Kind::from, RangeSpec::Kind::suffix}) {
          if (kind == RangeSpec::Kind::from_to && first > last) {
            continue;
          }
          std::uint64_t offset = 0;
          std::uint64_t length = 0;  // the bytes i of the object that the range names
          for (std::uint64_t i = 0; i < size; ++i) {
            const bool in = kind == RangeSpec::Kind::suffix ? i + last >= size
                            : kind == RangeSpec::Kind::from ? i >= first
                                                            : i >= first && i <= last;
            offset = in && length == 0 ? i : offset;
            length += in ? 1 : 0;
          }
          const auto range = resolve_range({kind, first, last}, size);
          REQUIRE(range.has_value() == (length > 0));
          if (range) {
            CHECK(range->offset == offset);
            CHECK(range->length == length);
          }
        }
      }
    }
  }
  const auto whole = resolve_range({RangeSpec::Kind::from_to, 0, 18446744073709551615U}, 10);
  REQUIRE(whole);
  CHECK(whole->length == 10);
  CHECK(content_range({2, 3}, 10) == "bytes 2-4/10");
  CHECK(unsatisfied_range(0) == "bytes */0");
}

TEST_CASE("date: HTTP dates in all three forms") {
  constexpr std::int64_t kTime = 784'111'777;  // RFC 9110 §5.6.7
  CHECK(http_date(kTime) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT") == kTime);
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 +0000") == kTime);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", 1'700'000'000) == kTime);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994") == kTime);
  CHECK(parse_http_date("Wed Nov 16 08:49:37 1994") == kTime + 10 * 86400);
  for (const std::string_view bad :
       {"", "x", "Sun, 06 Nov 1994 08:49:37", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "1994-11-06T08:49:37Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_http_date(bad, 1'700'000'000));
  }
}

TEST_CASE("date: formatting and parsing are inverse over nine thousand years") {
  for (std::int64_t seconds = -62'135'596'800; seconds <= 253'402'300'799;
       seconds += 86'400LL * 97 + 12'345) {
    CHECK(parse_http_date(http_date(seconds)) == seconds);
    const auto amz = format_amz_date(seconds);
    CHECK(parse_amz_date({amz.data(), amz.size()}) == seconds);
    CHECK(parse_xml_date(xml_date(seconds * 1000 + 7)) == seconds * 1000 + 7);
  }
  CHECK(xml_date(-1) == "1969-12-31T23:59:59.999Z");
  CHECK(http_date(-1) == "Wed, 31 Dec 1969 23:59:59 GMT");
  CHECK(http_date(253'402'300'800) == "Fri, 31 Dec 9999 23:59:59 GMT");  // clamped, not wrapped
}

TEST_CASE("date: the forms of S3") {
  CHECK(parse_amz_date("20130524T000000Z") == 1'369'353'600);
  CHECK(xml_date(1'369'353'600'000) == "2013-05-24T00:00:00.000Z");
  CHECK(parse_xml_date("2013-05-24T00:00:00Z") == 1'369'353'600'000);
  CHECK(parse_xml_date("2013-05-24T00:00:00.5Z") == 1'369'353'600'500);
  CHECK(parse_xml_date("2013-05-24T00:00:00.123456Z") == 1'369'353'600'123);
  for (const std::string_view bad : {"", "20130524T000000", "20130524 000000Z", "20130524T0000000Z",
                                     "20131324T000000Z", "20130524T250000Z", "2013-5-24T000000Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_amz_date(bad));
  }
  for (const std::string_view bad :
       {"", "2013-05-24", "2013-05-24T00:00:00", "2013-05-24T00:00:00.Z",
        "2013-05-24T00:00:00+00:00", "2013-02-30T00:00:00Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_xml_date(bad));
  }
}

struct ConditionRow {
  std::string_view if_match;  // "-" = absent, as in the other columns
  std::string_view if_none_match;
  std::string_view if_modified_since;
  std::string_view if_unmodified_since;
  Verdict verdict;
};

TEST_CASE("conditional: RFC 9110 precedence, as S3's own table") {
  constexpr std::string_view kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
  constexpr std::string_view kSame = "Sun, 06 Nov 1994 08:49:37 GMT";
  constexpr std::string_view kFuture = "Sun, 06 Nov 2094 08:49:37 GMT";
  constexpr auto kGo = Verdict::proceed;
  constexpr auto k304 = Verdict::not_modified;
  constexpr auto k412 = Verdict::precondition_failed;
  const ConditionRow rows[] = {
      {"-", "-", "-", "-", kGo},
      {"\"etag\"", "-", "-", "-", kGo},
      {"etag", "-", "-", "-", kGo},
      {"W/\"etag\"", "-", "-", "-", kGo},
      {"\"a\", \"etag\"", "-", "-", "-", kGo},
      {" * ", "-", "-", "-", kGo},
      {"\"other\"", "-", "-", "-", k412},
      {"", "-", "-", "-", k412},
      {"\"eta\"", "-", "-", "-", k412},
      {"\"etag\"", "-", "-", kBefore, kGo},  // If-Match decides alone
      {"\"other\"", "-", "-", kSame, k412},
      {"-", "-", "-", kSame, kGo},
      {"-", "-", "-", kBefore, k412},
      {"-", "-", "-", "junk", kGo},
      {"-", "\"etag\"", "-", "-", k304},
      {"-", "*", "-", "-", k304},
      {"-", "\"x\",etag,\"y\"", "-", "-", k304},
      {"-", "\"other\"", "-", "-", kGo},
      {"-", "\"other\"", kSame, "-", kGo},  // If-None-Match decides alone
      {"-", "\"etag\"", kBefore, "-", k304},
      {"-", "-", kSame, "-", k304},
      {"-", "-", kBefore, "-", kGo},
      {"-", "-", kFuture, "-", kGo},
      {"-", "-", "junk", "-", kGo},
      {"\"etag\"", "\"etag\"", "-", "-", k304},
      {"\"other\"", "\"etag\"", "-", "-", k412},
      {"-", "-", kBefore, kBefore, k412},
  };
  for (const ConditionRow& row : rows) {
    CAPTURE(row.if_match);
    CAPTURE(row.if_none_match);
    CAPTURE(row.if_modified_since);
    CAPTURE(row.if_unmodified_since);
    HeaderMap plain;
    HeaderMap copy;
    const auto add = [&](std::string_view name, std::string_view copy_name,
                         std::string_view value) {
      if (value != "-") {
        plain.add(name, value);
        copy.add(copy_name, value);
      }
    };
    add("If-Match", "x-amz-copy-source-if-match", row.if_match);
    add("If-None-Match", "x-amz-copy-source-if-none-match", row.if_none_match);
    add("If-Modified-Since", "x-amz-copy-source-if-modified-since", row.if_modified_since);
    add("If-Unmodified-Since", "x-amz-copy-source-if-unmodified-since", row.if_unmodified_since);
    const Validators object{"etag", 784'111'777};
    CHECK(evaluate_read(preconditions(plain), object, 1'700'000'000) == row.verdict);
    const Verdict expected = row.verdict == k304 ? k412 : row.verdict;
    CHECK(evaluate_copy_source(copy_source_preconditions(copy), object, 1'700'000'000) == expected);
    CHECK(preconditions(plain).any() == (plain.size() > 0));
    CHECK_FALSE(preconditions(copy).any());
  }
}

TEST_CASE("conditional: lists of entity tags, also broken ones") {
  CHECK(etag_list_matches("\"a,b\"", "a,b"));
  CHECK_FALSE(etag_list_matches("\"a,b\"", "a"));
  CHECK(etag_list_matches("\"unclosed", "unclosed"));
  CHECK(etag_list_matches(" , ,\"a\" , ", "a"));
  CHECK_FALSE(etag_list_matches(",,,", "a"));
  CHECK_FALSE(etag_list_matches("*, \"b\"", "a"));
}

TEST_CASE("response: head text, and no value can add a line (A-55)") {
  using namespace std::string_view_literals;
  ResponseHead head;
  head.start(404);
  CHECK(head.add("Content-Type", "application/xml"));
  head.add("Content-Length", 18446744073709551615U);
  CHECK_FALSE(head.add("x-amz-meta-a", "1\r\nSet-Cookie: x"));
  CHECK_FALSE(head.add("x-amz-meta-a", "1\n"));
  CHECK_FALSE(head.add("x-amz-meta-a", "1\0"sv));
  CHECK_FALSE(head.add("bad name", "1"));
  CHECK_FALSE(head.add("", "1"));
  CHECK_FALSE(head.add("a:b", "1"));
  CHECK(head.add("x-amz-meta-u", "gr\xc3\xbcn"));
  head.finish();
  CHECK(head.text() ==
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/xml\r\nContent-Length: "
        "18446744073709551615\r\n"
        "x-amz-meta-u: gr\xc3\xbcn\r\n\r\n");
  CHECK(head.status() == 404);
  head.start(206);
  CHECK(head.text() == "HTTP/1.1 206 Partial Content\r\n");
  HeaderBlock block;
  CHECK(block.empty());
  CHECK(block.add("A", ""));
  head.append_lines(block.text());
  CHECK(head.text().ends_with("\r\nA: \r\n"));
  block.clear();
  CHECK(block.empty());
  CHECK(reason_phrase(507) == "Insufficient Storage");
  CHECK(reason_phrase(999) == "Unknown");
}

}  // namespace
}  // namespace mote::http
