#pragma once

#include <optional>
#include <string_view>

#include <boost/json/value.hpp>

namespace mote::auth {

/// Parses a JSON document whose meaning decides who may do what. nullopt if it is malformed, nested
/// deeper than 32 levels, or if an object names a member twice: readers differ in which of the two
/// they take.
[[nodiscard]] std::optional<boost::json::value> parse_strict_json(std::string_view text);

}  // namespace mote::auth
