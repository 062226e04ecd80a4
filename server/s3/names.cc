#include "server/s3/names.h"

#include <algorithm>
#include <array>
#include <string>

#include "server/http/limits.h"
#include "server/http/uri.h"

namespace mote::s3 {

namespace {

constexpr std::size_t kBucketNameMin = 3;
constexpr std::size_t kBucketNameMax = 63;
constexpr std::array<std::string_view, 2> kReservedPrefixes = {"xn--", "sthree-"};
constexpr std::array<std::string_view, 5> kReservedSuffixes = {"-s3alias", "--ol-s3", ".mrap",
                                                               "--x-s3", "--table-s3"};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_edge(char c) noexcept {
  return is_digit(c) || is_lower(c);
}

// Four groups of digits: what a resolver could take for an address, whatever the numbers are.
bool looks_like_ipv4(std::string_view name) noexcept {
  return std::count(name.begin(), name.end(), '.') == 3 &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '.'; });
}

bool has_bad_dots(std::string_view name) noexcept {
  return name.find("..") != std::string_view::npos || name.find(".-") != std::string_view::npos ||
         name.find("-.") != std::string_view::npos;
}

bool climbs_above_bucket(std::string_view key) noexcept {
  int depth = 0;
  while (true) {
    const std::size_t slash = key.find('/');
    const std::string_view segment = key.substr(0, slash);
    if (segment == "..") {
      if (--depth < 0) {
        return true;
      }
    } else if (!segment.empty() && segment != ".") {
      ++depth;
    }
    if (slash == std::string_view::npos) {
      return false;
    }
    key.remove_prefix(slash + 1);
  }
}

}  // namespace

bool is_valid_bucket_name(std::string_view name) noexcept {
  if (name.size() < kBucketNameMin || name.size() > kBucketNameMax) {
    return false;
  }
  if (!is_edge(name.front()) || !is_edge(name.back())) {
    return false;
  }
  if (!std::all_of(name.begin(), name.end(),
                   [](char c) { return is_edge(c) || c == '.' || c == '-'; })) {
    return false;
  }
  const auto begins = [name](std::string_view prefix) { return name.starts_with(prefix); };
  const auto ends = [name](std::string_view suffix) { return name.ends_with(suffix); };
  return !has_bad_dots(name) && !looks_like_ipv4(name) &&
         std::none_of(kReservedPrefixes.begin(), kReservedPrefixes.end(), begins) &&
         std::none_of(kReservedSuffixes.begin(), kReservedSuffixes.end(), ends);
}

Refusal check_key(std::string_view key) {
  if (key.empty()) {
    return make_error(ErrorCode::invalid_argument, "Object key must not be empty");
  }
  if (key.size() > http::kKeyBytesMax) {
    return make_error(ErrorCode::key_too_long,
                      {{"Size", std::to_string(key.size())},
                       {"MaxSizeAllowed", std::to_string(http::kKeyBytesMax)}});
  }
  if (key.find('\0') != std::string_view::npos || !http::is_valid_utf8(key) ||
      climbs_above_bucket(key)) {
    return make_error(ErrorCode::invalid_uri);
  }
  return std::nullopt;
}

}  // namespace mote::s3
