#pragma once

#include <string>

#include "erasure/store.h"

namespace mote {

/// The state of the drives as one JSON object, for programs.
std::string drives_json(const StoreStatus& status);
/// The same as aligned lines, for people.
std::string drives_text(const StoreStatus& status);

}  // namespace mote
