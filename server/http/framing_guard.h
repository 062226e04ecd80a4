#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/head.h"

namespace mote::http {

/// Why a head is refused. After any of these the answer carries `Connection: close` and nothing
/// that follows on the connection is read.
enum class FramingError : std::uint8_t {
  malformed,            ///< bad request line, header line, character, version syntax
  unsupported_version,  ///< not HTTP/1.0 or 1.1
  request_line_too_long,
  header_section_too_large,
  too_many_fields,
  bad_target,          ///< not in origin form
  bad_host,            ///< none or several on HTTP/1.1, or not a host
  bad_content_length,  ///< repeated, signed, empty, not digits
  content_length_overflow,
  bad_transfer_encoding,  ///< not exactly one `chunked`; with Content-Length; on HTTP/1.0
  unknown_transfer_coding,
};

struct Rejection {
  int status;             ///< HTTP status
  std::string_view code;  ///< S3 error code
  std::string_view message;
};
[[nodiscard]] Rejection describe(FramingError error) noexcept;

/// How the body of a request is delimited and what becomes of the connection.
struct Framing {
  enum class Body : std::uint8_t { none, length, chunked };

  Body body = Body::none;
  std::uint64_t length = 0;      ///< with Body::length; `Content-Length: 0` is Body::length, 0
  bool keep_alive = true;        ///< the client wants the connection kept and the version allows it
  bool expect_continue = false;  ///< `Expect: 100-continue`, any case
  bool http10 = false;  ///< always closed after the answer, never sent a chunked body or a 100
};

/// The one judge of where a request ends; run on the header snapshot before anything else believes
/// it (reliability.md 3.2: what Beast 1.81 accepts and must not be). Rules, from RFC 9112 §6 taken
/// strictly: HTTP/1.1, or 1.0 with at most Content-Length; Transfer-Encoding is exactly one
/// `chunked` and never comes with Content-Length; one Content-Length of digits; exactly one Host
/// on 1.1, at most one on 1.0; at most kHeaderFieldsMax fields; target in origin form; no CR, LF or
/// NUL in any value; names are tokens. nullopt means `out` is set.
[[nodiscard]] std::optional<FramingError> check_framing(const RequestHead& head, Framing& out);
/// The same for a head that parse_head() took: its characters have been judged, so that only what
/// they say is left. REQUIRES parse_head() without an error.
[[nodiscard]] std::optional<FramingError> check_parsed_framing(const RequestHead& head,
                                                               Framing& out);

}  // namespace mote::http
