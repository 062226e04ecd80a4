#include "server/http/head_parser.h"

#include "server/http/ascii.h"

namespace mote::http {

namespace {

constexpr std::string_view kCrlf = "\r\n";

/// Cuts the next line, without its CRLF, off `rest`. False if it does not end in CRLF.
bool take_line(std::string_view& rest, std::string_view& line) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos || end == 0 || rest[end - 1] != '\r') {
    return false;
  }
  line = rest.substr(0, end - 1);
  rest.remove_prefix(end + 1);
  return true;
}

std::optional<FramingError> parse_version(std::string_view version, RequestHead& head) {
  if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
      version[6] != '.' || !is_digit(version[7])) {
    return FramingError::malformed;
  }
  if (version[5] != '1' || version[7] > '1') {
    return FramingError::unsupported_version;
  }
  head.minor_version = version[7] - '0';
  return std::nullopt;
}

std::optional<FramingError> parse_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || first == 0) {
    return FramingError::malformed;
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(method)) {
    return FramingError::malformed;
  }
  if (target.empty() || !is_target_text(target)) {
    return FramingError::malformed;
  }
  head.set_method(method);
  head.set_target(target);
  return parse_version(line.substr(last + 1), head);
}

std::optional<FramingError> parse_field(std::string_view line, RequestHead& head) {
  // An obsolete fold begins with a blank, which is no token character and so is refused here too.
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    return FramingError::malformed;
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = line.substr(colon + 1);
  if (!is_token(name) || !is_field_text(value)) {
    return FramingError::malformed;
  }
  if (!head.headers.add(name, value)) {
    return FramingError::too_many_fields;
  }
  return std::nullopt;
}

}  // namespace

std::size_t find_head_end(std::string_view buffer, std::size_t& scanned) noexcept {
  // Lines that end in a bare LF end the head too, so that parse_head refuses them at once instead
  // of the peer running into a timeout.
  std::size_t from = scanned;
  for (;;) {
    const std::size_t newline = buffer.find('\n', from);
    if (newline == std::string_view::npos) {
      scanned = buffer.size();
      return 0;
    }
    const std::string_view after = buffer.substr(newline + 1);
    if (after.starts_with('\n')) {
      return newline + 2;
    }
    if (after.starts_with(kCrlf)) {
      return newline + 3;
    }
    if (after.size() < kCrlf.size()) {
      scanned = newline;  // cannot tell yet: look at this line end again
      if (after.empty() || after == "\r") {
        return 0;
      }
    }
    from = newline + 1;
  }
}

std::optional<FramingError> parse_head(std::string_view section, RequestHead& head) {
  head.clear();
  std::string_view rest = section;
  std::string_view line;
  if (!take_line(rest, line)) {
    return FramingError::malformed;
  }
  if (line.size() > kRequestLineBytesMax) {
    return FramingError::request_line_too_long;
  }
  if (rest.size() > kHeaderSectionBytesMax) {
    return FramingError::header_section_too_large;
  }
  if (auto error = parse_request_line(line, head)) {
    return error;
  }
  while (take_line(rest, line)) {
    if (line.empty()) {
      return rest.empty() ? std::nullopt : std::optional(FramingError::malformed);
    }
    if (auto error = parse_field(line, head)) {
      return error;
    }
  }
  return FramingError::malformed;
}

}  // namespace mote::http
