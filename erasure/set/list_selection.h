#pragma once

#include <string>
#include <string_view>

namespace mote::erasure {

/// What a list request selects: keys under a prefix, rolled up at a delimiter.
struct ListSelection {
  std::string_view prefix;
  std::string_view delimiter;

  [[nodiscard]] bool holds(std::string_view key) const { return key.starts_with(prefix); }
  /// The common prefix that `key` (which has the prefix) rolls up into; empty if none.
  [[nodiscard]] std::string_view rolled(std::string_view key) const {
    if (delimiter.empty()) {
      return {};
    }
    const std::size_t found = key.find(delimiter, prefix.size());
    return found == std::string_view::npos ? std::string_view{}
                                           : key.substr(0, found + delimiter.size());
  }
  /// The common prefix of the marker, which was given with it or lies before it: nothing in it is
  /// listed again. Empty if none.
  [[nodiscard]] std::string_view passed(std::string_view marker) const {
    return holds(marker) ? rolled(marker) : std::string_view{};
  }
};

}  // namespace mote::erasure
