#include <string>

#include <doctest/doctest.h>

#include "server/auth/body_check.h"
#include "server/auth/body_reader.h"
#include "tests/server/auth/chunk_encoder.h"

namespace mote::auth {
namespace {

using digest::Checksum;
using digest::ChecksumAlgorithm;

const std::string kBody = "hello, body";

std::string base64_of(ChecksumAlgorithm algorithm, std::string_view text = kBody) {
  return Checksum::of(algorithm, as_bytes(text)).base64();
}

using Fields = std::vector<std::pair<std::string, std::string>>;

TestRequest put(Fields fields) {
  fields.emplace_back("Host", "h");
  return {"PUT", "/b/k", std::move(fields)};
}

Verified plain_request() {
  return {};
}

Verified hashed_request(std::string_view text) {
  Verified verified;
  verified.payload_mode = PayloadMode::hashed;
  verified.payload_sha256 = digest::Sha256::of(as_bytes(text));
  return verified;
}

/// Code of the refusal by make() or finish(), "" if the body is good.
std::string check(const Verified& verified, const Fields& fields,
                  const BodyCheck::Options& options = {}, const std::vector<Trailer>& trailers = {},
                  std::string_view body = kBody) {
  const TestRequest request = put(fields);
  auto made = BodyCheck::make(verified, request.head(), options);
  if (!made) {
    return std::string(made.error().code);
  }
  made->update(as_bytes(body.substr(0, 3)));
  made->update(as_bytes(body.substr(3)));
  const auto summary = made->finish(trailers);
  return summary ? "" : std::string(summary.error().code);
}

TEST_CASE("body: sha256 of the payload (A-08, wire 8)") {
  CHECK(check(hashed_request(kBody), {}) == "");
  CHECK(check(hashed_request("other"), {}) == "XAmzContentSHA256Mismatch");
  const TestRequest request = put({});
  auto made = BodyCheck::make(hashed_request("other"), request.head(), {});
  REQUIRE(made);
  const auto refused = made->finish({});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().status == 400);
  CHECK(extra(refused.error(), "S3ComputedContentSHA256") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("body: Content-MD5 short, not base64, wrong, right (A-48)") {
  CHECK(check(plain_request(), {{"Content-MD5", base64_of(ChecksumAlgorithm::md5)}}) == "");
  CHECK(check(plain_request(), {{"Content-MD5", base64_of(ChecksumAlgorithm::md5, "other")}}) ==
        "BadDigest");
  for (const std::string& bad : {std::string(), std::string("YWJj"), std::string("!!!!"),
                                 base64_of(ChecksumAlgorithm::md5) + "AAAA",
                                 std::string("25f9e794323b453885f5181f1b624d0b")}) {
    CHECK(check(plain_request(), {{"Content-MD5", bad}}) == "InvalidDigest");
  }
}

TEST_CASE("body: each of the ten checksums from a header (wire 30, A-48)") {
  for (const ChecksumAlgorithm algorithm : digest::kChecksumAlgorithms) {
    CAPTURE(digest::name(algorithm));
    const std::string header(digest::header_name(algorithm));
    CHECK(check(plain_request(), {{header, base64_of(algorithm)}}) == "");
    CHECK(check(plain_request(), {{header, base64_of(algorithm, "other")}}) == "BadDigest");
    CHECK(check(plain_request(), {{header, base64_of(algorithm) + "AAAA"}}) == "InvalidRequest");
    CHECK(check(plain_request(), {{header, ""}}) == "InvalidRequest");
    CHECK(check(hashed_request(kBody), {{header, base64_of(algorithm)},
                                        {"Content-MD5", base64_of(ChecksumAlgorithm::md5)}}) == "");
    CHECK(check(plain_request(),
                {{header, base64_of(algorithm)},
                 {"x-amz-sdk-checksum-algorithm", std::string(digest::name(algorithm))}}) == "");
  }
}

TEST_CASE("body: two checksums, unknown ones, contradicting names (A-48)") {
  const std::string crc32 = base64_of(ChecksumAlgorithm::crc32);
  CHECK(check(plain_request(), {{"x-amz-checksum-crc32", crc32},
                                {"x-amz-checksum-sha1", base64_of(ChecksumAlgorithm::sha1)}}) ==
        "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-checksum-crc16", "AAAA"}}) == "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-sdk-checksum-algorithm", "CRC16"}}) == "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-checksum-algorithm", ""}}) == "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-checksum-crc32", crc32},
                                {"x-amz-sdk-checksum-algorithm", "SHA1"}}) == "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-sdk-checksum-algorithm", "CRC32"}}) ==
        "");  // no value: tolerated (wire 31)
  CHECK(check(plain_request(), {{"x-amz-checksum-mode", "ENABLED"},
                                {"x-amz-checksum-type", "FULL_OBJECT"},
                                {"x-amz-checksum-algorithm", "crc32"}}) == "");
}

TEST_CASE("body: hoisted checksums of a presigned URL count like headers") {
  Verified verified = plain_request();
  verified.hoisted = {{"x-amz-checksum-crc32", base64_of(ChecksumAlgorithm::crc32)},
                      {"x-amz-meta-a", "1"}};
  CHECK(check(verified, {}) == "");
  CHECK(check(verified, {{"x-amz-checksum-crc32", base64_of(ChecksumAlgorithm::crc32)}}) == "");
  verified.hoisted[0].second = base64_of(ChecksumAlgorithm::crc32, "other");
  CHECK(check(verified, {}) == "BadDigest");
  verified.hoisted[0].first = "x-amz-checksum-new";
  CHECK(check(verified, {}) == "InvalidRequest");
  verified.hoisted = {{"x-amz-sdk-checksum-algorithm", "CRC16"}};
  CHECK(check(verified, {}) == "InvalidRequest");
}

TEST_CASE("body: the summary has what a handler stores") {
  const TestRequest request =
      put({{"x-amz-checksum-sha256", base64_of(ChecksumAlgorithm::sha256)}});
  BodyCheck::Options options;
  options.want_md5 = true;
  options.default_checksum = ChecksumAlgorithm::crc64nvme;
  auto made = BodyCheck::make(hashed_request(kBody), request.head(), options);
  REQUIRE(made);
  made->update(as_bytes(kBody));
  const auto summary = made->finish({});
  REQUIRE(summary);
  CHECK(summary->bytes == kBody.size());
  CHECK(summary->md5 == digest::Md5::of(as_bytes(kBody)));
  CHECK(summary->client_checksum);
  CHECK(summary->checksum == Checksum::of(ChecksumAlgorithm::sha256, as_bytes(kBody)));

  for (const ChecksumAlgorithm algorithm : digest::kChecksumAlgorithms) {
    const TestRequest bare = put({});
    options.default_checksum = algorithm;
    auto again = BodyCheck::make(plain_request(), bare.head(), options);
    REQUIRE(again);
    again->update(as_bytes(kBody));
    const auto second = again->finish({});
    REQUIRE(second);
    CHECK_FALSE(second->client_checksum);
    CHECK(second->checksum == Checksum::of(algorithm, as_bytes(kBody)));
  }
  const TestRequest bare = put({});
  auto nothing = BodyCheck::make(plain_request(), bare.head(), {});
  REQUIRE(nothing);
  const auto empty = nothing->finish({});
  REQUIRE(empty);
  CHECK_FALSE(empty->md5);
  CHECK_FALSE(empty->checksum);
}

TEST_CASE("body: operations that need an integrity header, and one that must not read them") {
  BodyCheck::Options options;
  options.integrity_required = true;
  CHECK(check(hashed_request(kBody), {}, options) == "InvalidRequest");
  CHECK(check(plain_request(), {{"x-amz-sdk-checksum-algorithm", "CRC32"}}, options) ==
        "InvalidRequest");
  CHECK(check(plain_request(), {{"Content-MD5", base64_of(ChecksumAlgorithm::md5)}}, options) ==
        "");
  CHECK(check(plain_request(), {{"x-amz-checksum-crc32", base64_of(ChecksumAlgorithm::crc32)}},
              options) == "");
  options = {};
  options.ignore_checksum_headers = true;
  CHECK(check(plain_request(), {{"x-amz-checksum-crc32", "not of this body"}}, options) == "");
}

TEST_CASE("body: checksums in trailers, announced or not (A-17, wire 16)") {
  const Verified streaming = streaming_request(PayloadMode::streaming_unsigned_trailer);
  for (const ChecksumAlgorithm algorithm : digest::kChecksumAlgorithms) {
    CAPTURE(digest::name(algorithm));
    const std::string header(digest::header_name(algorithm));
    const std::vector<Trailer> right = {{header, base64_of(algorithm)}};
    CHECK(check(streaming, {{"x-amz-trailer", header}}, {}, right) == "");
    CHECK(check(streaming, {{"x-amz-trailer", header}}, {},
                {{header, base64_of(algorithm, "other")}}) == "BadDigest");
    CHECK(check(streaming, {{"x-amz-trailer", header}}, {}, {{header, "AAA"}}) == "InvalidRequest");
    CHECK(check(streaming, {{"x-amz-trailer", header}}) == "MalformedTrailerError");
    CHECK(check(streaming, {{"x-amz-sdk-checksum-algorithm", std::string(digest::name(algorithm))}},
                {}, right) == "");
    CHECK(check(streaming, {}, {}, right) ==
          (digest::combines(algorithm) ? "" : "MalformedTrailerError"));
  }
  const std::vector<Trailer> crc32 = {
      {"x-amz-checksum-crc32", base64_of(ChecksumAlgorithm::crc32)}};
  CHECK(check(streaming, {}) == "");
  CHECK(check(streaming, {}, {}, {{"x-amz-meta-a", "1"}}) == "MalformedTrailerError");
  CHECK(check(streaming, {}, {},
              {crc32[0], {"x-amz-checksum-crc32c", base64_of(ChecksumAlgorithm::crc32c)}}) ==
        "MalformedTrailerError");
  CHECK(check(streaming, {{"x-amz-checksum-crc32", crc32[0].second}}, {}, crc32) ==
        "MalformedTrailerError");
  CHECK(check(streaming, {{"x-amz-trailer", "x-amz-checksum-crc32"},
                          {"x-amz-checksum-sha1", base64_of(ChecksumAlgorithm::sha1)}}) ==
        "InvalidRequest");
  for (const std::string_view bad :
       {"", "x-amz-meta-a", "x-amz-checksum-crc32,x-amz-checksum-sha1", "authorization"}) {
    CHECK(check(streaming, {{"x-amz-trailer", std::string(bad)}}, {}, crc32) == "InvalidRequest");
  }
  CHECK(check(plain_request(), {{"x-amz-trailer", "x-amz-checksum-crc32"}}) == "InvalidRequest");
}

// --- BodyReader ---

BodyReader::Options put_options() {
  BodyReader::Options options;
  options.streaming_allowed = true;
  options.bytes_max = 100;
  options.check.want_md5 = true;
  return options;
}

struct Read {
  std::string code;
  int status = 0;
  std::string payload;
  BodySummary summary;
};

Read read(const Verified& verified, const Fields& fields,
          std::optional<std::uint64_t> content_length, const std::string& wire,
          const BodyReader::Options& options = put_options()) {
  const TestRequest request = put(fields);
  Read out;
  auto reader = BodyReader::make(verified, request.head(), content_length, options);
  if (!reader) {
    out.code = reader.error().code;
    out.status = reader.error().status;
    return out;
  }
  for (std::size_t at = 0; at < wire.size(); at += 7) {
    const std::string piece = wire.substr(at, 7);
    ByteView rest = as_bytes(piece);
    while (!rest.empty()) {
      const auto run = reader->next(rest);
      if (!run) {
        out.code = run.error().code;
        return out;
      }
      out.payload.append(as_text(*run));
    }
  }
  CHECK(reader->bytes_seen() == out.payload.size());
  const auto summary = reader->finish();
  if (summary) {
    out.summary = *summary;
    CHECK(reader->payload_bytes() == out.payload.size());
  } else {
    out.code = summary.error().code;
    out.status = summary.error().status;
  }
  return out;
}

TEST_CASE("reader: a plain body with its length, longer and shorter (A-46)") {
  const Read good = read(hashed_request(kBody), {}, kBody.size(), kBody);
  CHECK(good.code == "");
  CHECK(good.payload == kBody);
  CHECK(good.summary.md5 == digest::Md5::of(as_bytes(kBody)));
  CHECK(read(plain_request(), {}, kBody.size() + 1, kBody).code == "IncompleteBody");
  CHECK(read(plain_request(), {}, kBody.size() - 1, kBody).code == "IncompleteBody");
  CHECK(read(plain_request(), {}, 0, "").code == "");
  const Read missing = read(plain_request(), {}, std::nullopt, kBody);
  CHECK(missing.code == "MissingContentLength");
  CHECK(missing.status == 411);
  CHECK(read(plain_request(), {}, 101, "").code == "EntityTooLarge");
  CHECK(read(plain_request(), {}, 100, std::string(100, 'x')).code == "");
  CHECK(read(plain_request(), {{"Content-MD5", "x"}}, 1, "x").code == "InvalidDigest");
}

TEST_CASE(
    "reader: chunked bodies with Content-Length or inside HTTP chunks (wire 9, 10, 14; A-13, "
    "A-15)") {
  for (const PayloadMode mode :
       {PayloadMode::streaming_signed, PayloadMode::streaming_signed_trailer,
        PayloadMode::streaming_unsigned_trailer}) {
    const Verified verified = streaming_request(mode);
    const std::string crc32 = base64_of(ChecksumAlgorithm::crc32);
    ChunkEncoder encoder(verified);
    encoder.all(kBody, 8192,
                has_trailer(mode) ? std::vector<Trailer>{{"x-amz-checksum-crc32", crc32}}
                                  : std::vector<Trailer>{});
    Fields fields = {{"x-amz-decoded-content-length", std::to_string(kBody.size())}};
    if (has_trailer(mode)) {
      fields.emplace_back("x-amz-trailer", "x-amz-checksum-crc32");
    }
    for (const std::optional<std::uint64_t> length :
         {std::optional<std::uint64_t>(encoder.body.size()), std::optional<std::uint64_t>()}) {
      const Read good = read(verified, fields, length, encoder.body);
      CHECK(good.code == "");
      CHECK(good.payload == kBody);
      CHECK(good.summary.checksum.has_value() == has_trailer(mode));
    }
    CHECK(read(verified, fields, 100, encoder.body.substr(0, encoder.body.size() - 1)).code ==
          "IncompleteBody");
    CHECK(read(verified, fields, 100, "zz\r\n").code == "IncompleteBody");
    const auto with_length = [&fields](std::string_view text) {
      Fields changed = fields;
      changed[0].second = text;
      return changed;
    };
    CHECK(read(verified, with_length(std::to_string(kBody.size() + 1)), 100, encoder.body).code ==
          "IncompleteBody");
    CHECK(read(verified, with_length(std::to_string(kBody.size() - 1)), 100, encoder.body).code ==
          "IncompleteBody");
    CHECK(read(verified, with_length("101"), 100, encoder.body).code == "EntityTooLarge");
    for (const std::string_view bad : {"", "x", "-1", "+5", "99999999999999999999999"}) {
      CHECK(read(verified, with_length(bad), 100, encoder.body).code == "InvalidArgument");
    }
    const Read missing = read(verified, {}, 100, encoder.body);
    CHECK(missing.code == "MissingContentLength");
    CHECK(missing.status == 411);
    BodyReader::Options elsewhere = put_options();
    elsewhere.streaming_allowed = false;
    CHECK(read(verified, fields, 100, encoder.body, elsewhere).code == "InvalidRequest");
  }
}

}  // namespace
}  // namespace mote::auth
