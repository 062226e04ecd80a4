#include "server/http/response_head.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "erasure/base/check.h"
#include "server/http/ascii.h"

namespace mote::http {

namespace {

constexpr std::array<std::pair<int, std::string_view>, 30> kReasons = {{
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
}};

bool breaks_line(char c) {
  return c == '\r' || c == '\n' || c == '\0';
}

}  // namespace

std::string_view reason_phrase(int status) noexcept {
  for (const auto& [code, text] : kReasons) {
    if (code == status) {
      return text;
    }
  }
  return "Unknown";
}

bool HeaderBlock::add(std::string_view name, std::string_view value) {
  if (!is_token(name) || std::any_of(value.begin(), value.end(), breaks_line)) {
    return false;
  }
  text_.append(name).append(": ").append(value).append("\r\n");
  return true;
}

void HeaderBlock::add(std::string_view name, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  MOTE_CHECK(error == std::errc{});
  MOTE_CHECK(
      add(name, std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()))));
}

void ResponseHead::start(int status) {
  MOTE_CHECK(status >= 100 && status <= 999);
  status_ = status;
  std::array<char, 4> digits{};
  std::to_chars(digits.data(), digits.data() + digits.size(), status);
  text_.clear();
  text_.append("HTTP/1.1 ")
      .append(digits.data(), 3)
      .append(" ")
      .append(reason_phrase(status))
      .append("\r\n");
}

}  // namespace mote::http
