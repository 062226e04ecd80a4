#pragma once

#include <cstdint>
#include <string_view>

#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// How a whole-number parameter is read.
struct IntegerRule {
  std::uint32_t min = 0;
  std::uint32_t max = 0x7FFFFFFF;
  std::uint32_t absent = 0;  ///< value where the parameter is missing or empty
};

/// A parameter that must be a whole number within the rule. InvalidArgument with its name and
/// value.
[[nodiscard]] Outcome<std::uint32_t> integer_param(const Call& call, std::string_view name,
                                                   const IntegerRule& rule);

/// The same for a text that came elsewhere.
[[nodiscard]] Outcome<std::uint32_t> parse_integer(std::string_view text, std::string_view name,
                                                   const IntegerRule& rule);

/// max-keys, max-uploads, max-parts: 0 to 2^31-1, taken as at most 1,000.
[[nodiscard]] Outcome<std::uint32_t> page_size_param(const Call& call, std::string_view name);

/// encoding-type: absent, or "url"; anything else is InvalidArgument.
[[nodiscard]] Outcome<bool> wants_url_encoding(const Call& call);

}  // namespace mote::s3
