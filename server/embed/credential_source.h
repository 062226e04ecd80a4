#pragma once

#include <string>
#include <vector>

#include "server/auth/credentials.h"

#include "mote/server.h"

namespace mote {

/// Owner of the buckets that the root user makes. It is not the access key: root's keys may be
/// replaced without losing the buckets. An entry of the users file with this id is another key of
/// root's.
inline constexpr const char* kRootUserId = "root";

struct LoadedCredentials {
  std::vector<auth::Credential> credentials;
  std::string problem;  ///< one line for the operator, empty if good
};

/// The root pair of the options and what the users file says now.
[[nodiscard]] LoadedCredentials load_credentials(const Options& options);

}  // namespace mote
