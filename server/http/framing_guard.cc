#include "server/http/framing_guard.h"

#include <algorithm>
#include <limits>

#include "server/http/ascii.h"
#include "server/http/host.h"

namespace mote::http {

namespace {

bool fields_are_sound(const HeaderMap& headers) {
  return std::all_of(
      headers.fields().begin(), headers.fields().end(),
      [](const HeaderField& field) { return is_token(field.name) && is_field_text(field.value); });
}

bool host_is_sound(const RequestHead& head) {
  const std::size_t hosts = head.headers.count("host");
  if (hosts == 0) {
    return head.minor_version == 0;
  }
  return hosts == 1 && parse_host(head.headers.get("host"), {}).has_value();
}

/// REQUIRES a Transfer-Encoding field. What is not a plain list ending in `chunked` is malformed; a
/// sound list with codings of which we know none is a feature that we lack (RFC 9112 §6.1).
std::optional<FramingError> check_transfer_encoding(const RequestHead& head) {
  if (head.minor_version == 0 || head.headers.contains("content-length") ||
      head.headers.count("transfer-encoding") != 1) {
    return FramingError::bad_transfer_encoding;
  }
  bool chunked = false;
  bool broken = false;
  bool unknown = false;
  for_each_item(head.headers.get("transfer-encoding"), [&](std::string_view coding) {
    broken = broken || chunked || coding.empty() || equals_ignore_case(coding, "identity");
    chunked = chunked || equals_ignore_case(coding, "chunked");
    unknown = unknown || !equals_ignore_case(coding, "chunked");
  });
  if (broken) {
    return FramingError::bad_transfer_encoding;
  }
  return unknown ? std::optional(FramingError::unknown_transfer_coding) : std::nullopt;
}

/// REQUIRES a Content-Length field.
std::optional<FramingError> read_content_length(const HeaderMap& headers, std::uint64_t& length) {
  const std::string_view text = headers.get("content-length");
  if (headers.count("content-length") != 1 || !is_digits(text)) {
    return FramingError::bad_content_length;
  }
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return FramingError::content_length_overflow;
  }
  length = *value;
  return std::nullopt;
}

bool connection_says_close(const HeaderMap& headers) {
  bool close = false;
  headers.find_all("connection", [&close](std::string_view value) {
    for_each_item(value, [&close](std::string_view option) {
      close = close || equals_ignore_case(option, "close");
    });
  });
  return close;
}

bool expects_continue(const HeaderMap& headers) {
  bool expected = false;
  headers.find_all("expect", [&expected](std::string_view value) {
    expected = expected || equals_ignore_case(value, "100-continue");
  });
  return expected;
}

}  // namespace

Rejection describe(FramingError error) noexcept {
  constexpr int kBad = 400;
  switch (error) {
    case FramingError::malformed:
      return {kBad, "BadRequest", "The request head is not valid HTTP/1.1."};
    case FramingError::unsupported_version:
      return {505, "HttpVersionNotSupported", "The HTTP version specified is not supported."};
    case FramingError::request_line_too_long:
      return {kBad, "RequestHeaderSectionTooLarge",
              "Your request line exceeds the maximum allowed size."};
    case FramingError::header_section_too_large:
      return {kBad, "RequestHeaderSectionTooLarge",
              "Your request header section exceeds the maximum allowed size."};
    case FramingError::too_many_fields:
      return {kBad, "BadRequest", "The request has too many header fields."};
    case FramingError::bad_target:
      return {kBad, "BadRequest", "The request target must be a path."};
    case FramingError::bad_host:
      return {kBad, "BadRequest", "The request must name exactly one valid host."};
    case FramingError::bad_content_length:
      return {kBad, "BadRequest", "The Content-Length header is not valid."};
    case FramingError::content_length_overflow:
      return {kBad, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size."};
    case FramingError::bad_transfer_encoding:
      return {kBad, "BadRequest", "The Transfer-Encoding header is not valid."};
    case FramingError::unknown_transfer_coding:
      return {501, "NotImplemented",
              "A header you provided implies functionality that is not implemented."};
  }
  return {kBad, "BadRequest", "Bad Request"};
}

std::optional<FramingError> check_framing(const RequestHead& head, Framing& out) {
  out = Framing{};
  if (head.minor_version != 0 && head.minor_version != 1) {
    return FramingError::unsupported_version;
  }
  if (head.headers.size() > kHeaderFieldsMax) {
    return FramingError::too_many_fields;
  }
  if (!is_token(head.method_text) || !fields_are_sound(head.headers)) {
    return FramingError::malformed;
  }
  if (!is_target_text(head.target)) {
    return FramingError::bad_target;
  }
  return check_parsed_framing(head, out);
}

std::optional<FramingError> check_parsed_framing(const RequestHead& head, Framing& out) {
  out = Framing{};
  if (!head.target.starts_with('/')) {
    return FramingError::bad_target;
  }
  if (!host_is_sound(head)) {
    return FramingError::bad_host;
  }
  if (head.headers.contains("transfer-encoding")) {
    if (auto error = check_transfer_encoding(head)) {
      return error;
    }
    out.body = Framing::Body::chunked;
  } else if (head.headers.contains("content-length")) {
    if (auto error = read_content_length(head.headers, out.length)) {
      return error;
    }
    out.body = Framing::Body::length;
  }
  out.http10 = head.minor_version == 0;
  out.keep_alive = !out.http10 && !connection_says_close(head.headers);
  const bool has_body = out.body == Framing::Body::chunked || out.length > 0;
  out.expect_continue = has_body && !out.http10 && expects_continue(head.headers);
  return std::nullopt;
}

}  // namespace mote::http
