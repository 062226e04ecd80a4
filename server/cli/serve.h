#pragma once

#include "server/cli/server_flags.h"

namespace mote::cli {

/// `mote server`: starts, prints the endpoint as the first line on stdout, waits for SIGTERM or
/// SIGINT, stops gracefully. A second signal ends the process at once, which is as safe as kill -9.
int serve(ServerFlags& flags);

}  // namespace mote::cli
