#include "server/http/head.h"

#include <array>
#include <utility>

namespace mote::http {

namespace {

constexpr std::array<std::pair<std::string_view, Method>, 6> kMethods = {{
    {"GET", Method::get},
    {"HEAD", Method::head},
    {"PUT", Method::put},
    {"POST", Method::post},
    {"DELETE", Method::delete_},
    {"OPTIONS", Method::options},
}};

}  // namespace

Method parse_method(std::string_view text) noexcept {
  for (const auto& [name, method] : kMethods) {
    if (name == text) {
      return method;
    }
  }
  return Method::other;
}

std::string_view to_string(Method method) noexcept {
  for (const auto& [name, value] : kMethods) {
    if (value == method) {
      return name;
    }
  }
  return {};
}

void RequestHead::set_method(std::string_view text) noexcept {
  method_text = text;
  method = parse_method(text);
}

void RequestHead::set_target(std::string_view raw) noexcept {
  target = raw;
  const std::size_t mark = raw.find('?');
  path_raw = raw.substr(0, mark);
  query_raw = mark == std::string_view::npos ? std::string_view{} : raw.substr(mark + 1);
}

void RequestHead::clear() noexcept {
  method = Method::other;
  method_text = {};
  set_target({});
  minor_version = 1;
  headers.clear();
}

}  // namespace mote::http
