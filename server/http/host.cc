#include "server/http/host.h"

#include <algorithm>
#include <array>

#include "server/http/ascii.h"
#include "server/http/header_map.h"

namespace mote::http {

namespace {

using CharClass = std::array<bool, 256>;

constexpr CharClass char_class(bool alpha, std::string_view others) {
  CharClass table{};
  for (unsigned c = 0; c < 128; ++c) {
    const char symbol = static_cast<char>(c);
    table[c] = is_digit(symbol) || (alpha && is_alpha(symbol)) ||
               others.find(symbol) != std::string_view::npos;
  }
  return table;
}
constexpr CharClass kNameChars = char_class(true, "-._~");
constexpr CharClass kIpv6Chars = char_class(false, "abcdefABCDEF:.");
constexpr CharClass kIpv4Chars = char_class(false, ".");

bool all_in(std::string_view text, const CharClass& table) {
  bool good = true;
  for (const char c : text) {
    good = good && table[static_cast<unsigned char>(c)];
  }
  return good;
}

bool split_name_and_port(std::string_view value, Host& host) {
  std::string_view rest;
  if (value.starts_with('[')) {
    const std::size_t close = value.find(']');
    if (close == std::string_view::npos) {
      return false;
    }
    host.name = value.substr(1, close - 1);
    rest = value.substr(close + 1);
    if (host.name.empty() || !all_in(host.name, kIpv6Chars)) {
      return false;
    }
  } else {
    const std::size_t colon = std::min(value.find(':'), value.size());
    host.name = value.substr(0, colon);
    rest = value.substr(colon);
    if (host.name.empty() || !all_in(host.name, kNameChars)) {
      return false;
    }
  }
  if (rest.empty()) {
    return true;
  }
  host.port = rest.substr(1);
  return rest.front() == ':' && host.port.size() <= 5 &&
         (host.port.empty() || is_digits(host.port));
}

}  // namespace

std::optional<Host> parse_host(std::string_view value, std::span<const std::string> domains) {
  Host host;
  if (!split_name_and_port(value, host)) {
    return std::nullopt;
  }
  const bool literal = value.starts_with('[') || all_in(host.name, kIpv4Chars);
  if (literal) {
    return host;
  }
  std::size_t best = 0;
  for (const std::string& domain : domains) {
    if (domain.size() < best || domain.empty()) {
      continue;
    }
    if (equals_ignore_case(host.name, domain)) {
      host.bucket = {};
      best = domain.size();
      continue;
    }
    if (host.name.size() <= domain.size() + 1) {
      continue;
    }
    const std::size_t label = host.name.size() - domain.size() - 1;
    if (host.name[label] == '.' && equals_ignore_case(host.name.substr(label + 1), domain)) {
      host.bucket = host.name.substr(0, label);
      best = domain.size();
    }
  }
  return host;
}

}  // namespace mote::http
