#include "server/s3/handlers/parameters.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "server/http/limits.h"

namespace mote::s3 {

Outcome<std::uint32_t> parse_integer(std::string_view text, std::string_view name,
                                     const IntegerRule& rule) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || at != end || value < rule.min || value > rule.max) {
    return invalid_argument("Argument " + std::string(name) + " must be an integer between " +
                                std::to_string(rule.min) + " and " + std::to_string(rule.max),
                            name, text);
  }
  return static_cast<std::uint32_t>(value);
}

Outcome<std::uint32_t> integer_param(const Call& call, std::string_view name,
                                     const IntegerRule& rule) {
  const std::string_view text = call.param(name);
  if (text.empty()) {
    return rule.absent;
  }
  return parse_integer(text, name, rule);
}

Outcome<std::uint32_t> page_size_param(const Call& call, std::string_view name) {
  constexpr auto kMax = static_cast<std::uint32_t>(http::kListKeysMax);
  const Outcome<std::uint32_t> value = integer_param(call, name, {.absent = kMax});
  if (!value) {
    return value.error();
  }
  return std::min(*value, kMax);
}

Outcome<bool> wants_url_encoding(const Call& call) {
  const std::string_view type = call.param("encoding-type");
  if (type.empty()) {
    return false;
  }
  if (type != "url") {
    return invalid_argument("Invalid Encoding Method specified in Request", "encoding-type", type);
  }
  return true;
}

}  // namespace mote::s3
