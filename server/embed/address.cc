#include "server/embed/address.h"

#include <charconv>

namespace mote {
namespace {

constexpr unsigned kRangeMax = 64;

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return value;
}

std::string padded(unsigned value, std::size_t width) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

}  // namespace

bool Address::is_loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string Address::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return Errc::invalid_argument;
  }
  const std::optional<unsigned> port = parse_number(text.substr(colon + 1));
  if (!port || *port > 65535) {
    return Errc::invalid_argument;
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return Errc::invalid_argument;
  }
  return Address{host.empty() ? "0.0.0.0" : std::string(host), static_cast<std::uint16_t>(*port)};
}

Result<std::vector<std::string>> expand_ranges(std::string_view text) {
  const std::size_t open = text.find('{');
  if (open == std::string_view::npos) {
    return std::vector<std::string>{std::string(text)};
  }
  const std::size_t close = text.find('}', open);
  const std::size_t dots = text.find("...", open);
  if (close == std::string_view::npos || dots == std::string_view::npos || dots > close) {
    return Errc::invalid_argument;
  }
  const std::string_view first_text = text.substr(open + 1, dots - open - 1);
  const std::optional<unsigned> first = parse_number(first_text);
  const std::optional<unsigned> last = parse_number(text.substr(dots + 3, close - dots - 3));
  if (!first || !last || *last < *first || *last - *first >= kRangeMax) {
    return Errc::invalid_argument;
  }
  const Result<std::vector<std::string>> tails = expand_ranges(text.substr(close + 1));
  if (!tails) {
    return tails.error();
  }
  const std::size_t width = first_text.starts_with('0') ? first_text.size() : 0;
  std::vector<std::string> all;
  for (unsigned value = *first; value <= *last; ++value) {
    for (const std::string& tail : *tails) {
      all.push_back(std::string(text.substr(0, open)) + padded(value, width) + tail);
    }
  }
  return all;
}

}  // namespace mote
