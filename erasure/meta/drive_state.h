#pragma once

#include <cstdint>
#include <string_view>

namespace mote {

/// What a drive may be asked, and what its answers are worth (storage.md 3.6, INV-4).
enum class DriveState : std::uint8_t {
  current,  ///< takes commits and counts to W; its "not there" is trusted
  healing,  ///< takes commits; serves only what verifies with the right commit; "not there"
            ///< untrusted
  faulty,   ///< takes no commits; readable, verified; "not there" untrusted
  offline,  ///< answers nothing
};

std::string_view to_string(DriveState state) noexcept;

}  // namespace mote
