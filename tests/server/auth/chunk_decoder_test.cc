#include "server/auth/chunk_decoder.h"

#include <functional>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "server/digest/checksum.h"
#include "server/http/limits.h"
#include "tests/server/auth/chunk_encoder.h"
#include "tests/server/digest/test_seed.h"

namespace mote::auth {
namespace {

using namespace std::string_literals;  // NOLINT: for texts with a NUL in them

constexpr PayloadMode kModes[] = {PayloadMode::streaming_signed,
                                  PayloadMode::streaming_signed_trailer,
                                  PayloadMode::streaming_unsigned_trailer};

/// What a decoder makes of a body: the payload and the code of the first failure.
struct Decoded {
  std::string payload;
  std::string code;
  std::vector<Trailer> trailers;
  friend bool operator==(const Decoded& a, const Decoded& b) = default;
};

/// Gives the body in pieces whose sizes `next_piece` chooses.
Decoded decode(const Verified& verified, std::string_view body, std::uint64_t length,
               std::string_view announced, const std::function<std::size_t()>& next_piece) {
  ChunkDecoder decoder(verified, length, announced);
  Decoded out;
  while (!body.empty()) {
    const std::string piece(
        body.substr(0, next_piece()));  // its own memory, so that ASan sees a stale view
    body.remove_prefix(piece.size());
    const auto fed =
        decoder.feed(as_bytes(piece), [&out](ByteView run) { out.payload.append(as_text(run)); });
    if (!fed) {
      out.code = fed.error().code;
      CHECK_FALSE(decoder.finish());  // a failed decoder stays failed
      ByteView more = as_bytes("more");
      CHECK_FALSE(decoder.next(more));
      return out;
    }
  }
  const auto ended = decoder.finish();
  out.code = ended ? "" : ended.error().code;
  CHECK(decoder.done() == ended.has_value());
  out.trailers = decoder.trailers();
  return out;
}

Decoded decode(const Verified& verified, std::string_view body, std::uint64_t length,
               std::string_view announced = {}) {
  Decoded whole = decode(verified, body, length, announced, [&body] { return body.size(); });
  Decoded bytewise = decode(verified, body, length, announced, [] { return 1; });
  CHECK(bytewise.code == whole.code);
  CHECK(bytewise.trailers == whole.trailers);
  CHECK(bytewise.payload == whole.payload);
  return whole;
}

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('a' + i % 23);
  }
  return text;
}

Trailer crc32_of(std::string_view payload) {
  return {"x-amz-checksum-crc32",
          digest::Checksum::of(digest::ChecksumAlgorithm::crc32, as_bytes(payload)).base64()};
}

TEST_CASE("chunks: decode(encode(x)) == x in every mode, size and split") {
  std::mt19937_64 rng(test_seed());
  for (const PayloadMode mode : kModes) {
    const Verified verified = streaming_request(mode);
    for (const std::size_t size : {0U, 1U, 8191U, 8192U, 8193U, 20000U, 70000U}) {
      const std::string payload = pattern(size);
      const std::vector<Trailer> trailers =
          has_trailer(mode) ? std::vector{crc32_of(payload)} : std::vector<Trailer>{};
      for (const std::size_t chunk : {8192U, 65536U, 100000U}) {
        CAPTURE(size);
        CAPTURE(chunk);
        ChunkEncoder encoder(verified);
        encoder.all(payload, chunk, trailers);
        const Decoded expected{payload, "", trailers};
        CHECK(decode(verified, encoder.body, size) == expected);
        for (int round = 0; round < 5; ++round) {
          CHECK(decode(verified, encoder.body, size, "", [&rng] { return 1 + rng() % 5000; }) ==
                expected);
        }
      }
    }
  }
}

TEST_CASE("chunks: a payload run is a view into the input") {
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  ChunkEncoder encoder(verified);
  encoder.all(pattern(10000), 10000);
  ChunkDecoder decoder(verified, 10000, "");
  ByteView input = as_bytes(encoder.body);
  const auto run = decoder.next(input);
  REQUIRE(run);
  CHECK(run->size() == 10000);
  CHECK(as_text(*run).data() == encoder.body.data() + encoder.body.find('\n') + 1);
  const auto rest = decoder.next(input);
  REQUIRE(rest);
  CHECK(rest->empty());
  CHECK(input.empty());
}

TEST_CASE("trailers: the spellings of all clients (wire 11, 12, 16)") {
  const std::string payload = pattern(100);
  const std::vector<Trailer> trailers = {crc32_of(payload)};
  for (const PayloadMode mode :
       {PayloadMode::streaming_signed_trailer, PayloadMode::streaming_unsigned_trailer}) {
    const Verified verified = streaming_request(mode);
    for (const std::string& eol : {std::string("\r\n"), std::string("\n")}) {
      for (const bool blank : {false, true}) {
        for (const bool first : {false, true}) {
          ChunkEncoder encoder(verified);
          encoder.trailer_eol = eol;
          encoder.blank_before_signature = blank;
          encoder.signature_first = first;
          encoder.unsigned_extension = blank ? ";" : "";
          encoder.all(payload, 8192, trailers);
          CAPTURE(encoder.body);
          for (const std::string_view announced :
               {"", "x-amz-checksum-crc32", "X-Amz-Checksum-CRC32 "}) {
            CHECK(decode(verified, encoder.body, 100, announced).code == "");
          }
        }
      }
    }
    ChunkEncoder bare(verified);
    bare.all(payload, 8192);
    CHECK(decode(verified, bare.body, 100).code == "");  // no trailer at all, none announced
  }
}

TEST_CASE("trailers: minio-go over https ends with one empty line too many, nobody with two") {
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  const std::string sent = "1\r\n\0\r\n0\r\nx-amz-checksum-crc32:0gLvjQ==\n\r\n\r\n"s;
  CHECK(decode(verified, sent, 1, "x-amz-checksum-crc32").code == "");
  CHECK(decode(verified, sent + "\r\n", 1).code == "IncompleteBody");
  CHECK(decode(verified, sent + "x", 1).code == "IncompleteBody");
  CHECK(decode(verified, sent.substr(0, sent.size() - 1), 1).code == "IncompleteBody");
  CHECK(decode(verified, sent.substr(0, sent.size() - 2), 1).code == "");
}

TEST_CASE(
    "trailers: blanks round the value, upper case in the name, a signature nobody asked for") {
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  const Decoded decoded = decode(
      verified, "0\r\nX-Amz-Checksum-CRC32: \tAAAAAA==  \r\nx-amz-trailer-signature:ab\r\n\r\n", 0);
  CHECK(decoded.code == "");
  REQUIRE(decoded.trailers.size() == 1);
  CHECK(decoded.trailers[0] == Trailer{"x-amz-checksum-crc32", "AAAAAA=="});
}

TEST_CASE("trailers: an announcement may name several and be untidy, but each must come") {
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  const std::string both =
      "0\r\nx-amz-checksum-crc32:AAAAAA==\r\nx-amz-checksum-crc32c:AAAAAA==\r\n\r\n";
  const std::string announced = "x-amz-checksum-crc32,, X-Amz-Checksum-Crc32c";
  CHECK(decode(verified, both, 0, announced).code == "");
  CHECK(decode(verified, "0\r\nx-amz-checksum-crc32c:AAAAAA==\r\n\r\n", 0, announced).code ==
        "MalformedTrailerError");
}

TEST_CASE("chunks: headers with extensions, blanks, upper-case digits and leading zeros") {
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  for (const std::string_view line : {"A", "a", "0a", "000000000000000A", "a;", "a;;", "a;x=y",
                                      "a ; x", " a", "a;chunk-signature=junk"}) {
    CAPTURE(line);
    CHECK(decode(verified, std::string(line) + "\r\n0123456789\r\n0\r\n\r\n", 10) ==
          Decoded{"0123456789", "", {}});
  }
}

struct BadRow {
  std::string body;
  std::uint64_t length;
  std::string_view code;
  std::string_view announced = "";
};

TEST_CASE("chunks: malformed encodings (A-14 to A-17)") {
  const std::string k8 = pattern(8192);
  const std::string small = "5\r\nhello\r\n";
  const std::vector<BadRow> rows = {
      {"", 0, "IncompleteBody"},
      {"0", 0, "IncompleteBody"},
      {"0\r\n", 0, "IncompleteBody"},
      {"0\r\n\r", 0, "IncompleteBody"},
      {"0\r\n\r\nx", 0, "IncompleteBody"},
      {"0\r\n\r\n0\r\n\r\n", 0, "IncompleteBody"},
      {"0\n\r\n", 0, "IncompleteBody"},
      {"\r\n", 0, "IncompleteBody"},
      {"x\r\n", 5, "IncompleteBody"},
      {"-5\r\nhello\r\n0\r\n\r\n", 5, "IncompleteBody"},
      {"0x5\r\nhello\r\n0\r\n\r\n", 5, "IncompleteBody"},
      {"5 5\r\nhello\r\n0\r\n\r\n", 5, "IncompleteBody"},
      {"ffffffffffffffff\r\n", 5, "IncompleteBody"},
      {"00000000000000005\r\n", 5, "IncompleteBody"},
      {std::string(400, '1') + "\r\n", 5, "IncompleteBody"},
      {std::string(400, '1'), 5, "IncompleteBody"},
      {"5;" + std::string(400, 'x') + "\r\n", 5, "IncompleteBody"},
      {"6\r\nhello!\r\n0\r\n\r\n", 5, "IncompleteBody"},  // more than x-amz-decoded-content-length
      {small + "0\r\n\r\n", 6, "IncompleteBody"},         // less
      {"5\r\nhello", 5, "IncompleteBody"},
      {"5\r\nhello\r", 5, "IncompleteBody"},
      {"5\r\nhello\n", 5, "IncompleteBody"},
      {"5\r\nhello\rx", 5, "IncompleteBody"},
      {"5\r\nhelloxx0\r\n\r\n", 5, "IncompleteBody"},
      {small, 5, "IncompleteBody"},
      {"2000\r\n" + k8 + "\r\n" + small + small + "0\r\n\r\n", 8202, "InvalidChunkSizeError"},
      {small + "2000\r\n" + k8 + "\r\n0\r\n\r\n", 8197, "InvalidChunkSizeError"},
      {"1fff\r\n" + k8.substr(1) + "\r\n1\r\nx\r\n0\r\n\r\n", 8192, "InvalidChunkSizeError"},
      {"0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 0, "MalformedTrailerError",
       "x-amz-checksum-sha1"},
      {"0\r\n\r\n", 0, "MalformedTrailerError", "x-amz-checksum-crc32"},
      {"0\r\nx-amz-checksum-crc32:AAAAAA==\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 0,
       "MalformedTrailerError"},
      {"0\r\nx-amz-meta-a:1\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\nauthorization:1\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\nx-amz-meta-a:1\r\n\r\n", 0, "MalformedTrailerError", "x-amz-meta-a"},
      {"0\r\nno colon\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:a\rb\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\n:x\r\n\r\n", 0, "MalformedTrailerError"},
      {"0\r\nx-amz-trailer-signature:a\r\nx-amz-trailer-signature:b\r\n\r\n", 0,
       "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:" + std::string(http::kTrailerBytesMax, 'A') + "\r\n\r\n", 0,
       "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:" + std::string(http::kTrailerBytesMax, 'A'), 0,
       "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:" + std::string(3000, 'A') +
           "\r\nx-amz-checksum-sha1:" + std::string(3000, 'A') + "\r\n\r\n",
       0, "MalformedTrailerError"},
      {"0\r\nx-amz-checksum-crc32:AAAAAA==\r\n", 0, "IncompleteBody"},
  };
  const Verified verified = streaming_request(PayloadMode::streaming_unsigned_trailer);
  for (const BadRow& row : rows) {
    CAPTURE(row.body.substr(0, 100));
    CAPTURE(row.announced);
    CHECK(decode(verified, row.body, row.length, row.announced).code == row.code);
  }
}

TEST_CASE("signed chunks: every byte that is changed is noticed (A-14, wire 13)") {
  for (const PayloadMode mode :
       {PayloadMode::streaming_signed, PayloadMode::streaming_signed_trailer}) {
    const Verified verified = streaming_request(mode);
    const std::string payload = pattern(8192 + 10);
    ChunkEncoder encoder(verified);
    encoder.all(payload, 8192,
                has_trailer(mode) ? std::vector{crc32_of(payload)} : std::vector<Trailer>{});
    REQUIRE(decode(verified, encoder.body, payload.size()).code == "");
    for (std::size_t at = 0; at<encoder.body.size(); at += at> 200 && at < 8000 ? 997 : 1) {
      std::string flipped = encoder.body;
      flipped[at] = static_cast<char>(flipped[at] ^ 1);
      const std::string code =
          decode(verified, flipped, payload.size(), "", [&flipped] { return flipped.size(); }).code;
      CAPTURE(at);
      CAPTURE(encoder.body[at]);
      CHECK((code == "SignatureDoesNotMatch" || code == "IncompleteBody" ||
             code == "MalformedTrailerError" || code == "InvalidChunkSizeError"));
    }
  }
}

TEST_CASE("signed chunks: swapped, dropped, replayed, resigned, unsigned (A-14)") {
  const Verified verified = streaming_request(PayloadMode::streaming_signed);
  const std::string a = pattern(8192);
  const std::string b(8192, 'b');
  const auto build = [&](const std::function<void(ChunkEncoder&)>& write) {
    ChunkEncoder encoder(verified);
    write(encoder);
    return encoder.body;
  };
  const std::string good = build([&](ChunkEncoder& e) {
    e.chunk(a);
    e.chunk(b);
    e.close();
  });
  REQUIRE(decode(verified, good, 16384).code == "");
  const std::size_t chunk_bytes =
      (good.size() - build([](ChunkEncoder& e) { e.close(); }).size()) / 2;
  const std::string first = good.substr(0, chunk_bytes);
  const std::string second = good.substr(chunk_bytes, chunk_bytes);
  const std::string end = good.substr(2 * chunk_bytes);
  CHECK(decode(verified, second + first + end, 16384).code == "SignatureDoesNotMatch");
  CHECK(decode(verified, first + end, 8192).code == "SignatureDoesNotMatch");
  CHECK(decode(verified, first + second + second + end, 24576).code == "SignatureDoesNotMatch");
  CHECK(decode(verified, first + second, 16384).code == "IncompleteBody");
  CHECK(decode(verified, first + end, 16384).code == "IncompleteBody");
  std::string dropped = good;
  dropped.erase(dropped.find(";chunk-signature="), 17 + 64);
  CHECK(decode(verified, dropped, 16384).code == "SignatureDoesNotMatch");
  std::string last_dropped = good;
  last_dropped.erase(last_dropped.rfind(";chunk-signature="), 17 + 64);
  CHECK(decode(verified, last_dropped, 16384).code == "SignatureDoesNotMatch");
  Verified other_seed = verified;
  other_seed.seed_signature.fill('6');
  CHECK(decode(other_seed, good, 16384).code == "SignatureDoesNotMatch");
  Verified other_date = verified;
  other_date.amz_date = http::format_amz_date(1'369'353'601);
  CHECK(decode(other_date, good, 16384).code == "SignatureDoesNotMatch");
}

TEST_CASE("signed trailers: missing or wrong signature (A-17)") {
  const Verified verified = streaming_request(PayloadMode::streaming_signed_trailer);
  ChunkEncoder encoder(verified);
  encoder.all("hello", 8192, {crc32_of("hello")});
  const std::size_t signature = encoder.body.find("x-amz-trailer-signature");
  CHECK(decode(verified, encoder.body.substr(0, signature) + "\r\n", 5).code == "IncompleteBody");
  CHECK(decode(verified, encoder.body.substr(0, signature) + "\r\n\r\n\r\n", 5).code ==
        "IncompleteBody");
  CHECK(decode(verified,
               encoder.body.substr(0, signature) +
                   "x-amz-trailer-signature:" + std::string(64, '0') + "\r\n\r\n",
               5)
            .code == "SignatureDoesNotMatch");
  std::string other_value = encoder.body;
  other_value.replace(other_value.find("crc32:") + 6, 4, "AAAA");
  CHECK(decode(verified, other_value, 5).code == "SignatureDoesNotMatch");
}

}  // namespace
}  // namespace mote::auth
