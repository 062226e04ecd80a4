#include "erasure/meta/drive_state.h"

namespace mote {

std::string_view to_string(DriveState state) noexcept {
  switch (state) {
    case DriveState::current:
      return "current";
    case DriveState::healing:
      return "healing";
    case DriveState::faulty:
      return "faulty";
    case DriveState::offline:
      return "offline";
  }
  return "unknown";
}

}  // namespace mote
