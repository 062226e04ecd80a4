#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mote::cli {

/// "4096", "16KiB", "64MiB", "2GiB", "1TiB" (binary units only), in bytes. nullopt if it is none of
/// these or does not fit.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace mote::cli
