#include "server/http/host.h"

#include <algorithm>

#include "server/http/ascii.h"
#include "server/http/header_map.h"

namespace mote::http {

namespace {

bool is_name_char(char c) {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
bool is_ipv6_char(char c) {
  return hex_value(c) >= 0 || c == ':' || c == '.';
}
bool is_ipv4_char(char c) {
  return is_digit(c) || c == '.';
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
    if (host.name.empty() || !std::all_of(host.name.begin(), host.name.end(), is_ipv6_char)) {
      return false;
    }
  } else {
    const std::size_t colon = std::min(value.find(':'), value.size());
    host.name = value.substr(0, colon);
    rest = value.substr(colon);
    if (host.name.empty() || !std::all_of(host.name.begin(), host.name.end(), is_name_char)) {
      return false;
    }
  }
  if (rest.empty()) {
    return true;
  }
  host.port = rest.substr(1);
  return rest.front() == ':' && host.port.size() <= 5 &&
         std::all_of(host.port.begin(), host.port.end(), is_digit);
}

}  // namespace

std::optional<Host> parse_host(std::string_view value, std::span<const std::string> domains) {
  Host host;
  if (!split_name_and_port(value, host)) {
    return std::nullopt;
  }
  const bool literal =
      value.starts_with('[') || std::all_of(host.name.begin(), host.name.end(), is_ipv4_char);
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
