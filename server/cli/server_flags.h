#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "mote/server.h"

namespace mote::cli {

/// What `mote server` was asked for, before it is checked.
struct ServerFlags {
  Options options;
  std::string admin_address = "127.0.0.1:9001";
  std::string domains;
  std::string buckets;
  std::string cache_bytes;
  std::string inline_max;
  std::string inline_versioned_max;
  std::string memory_max;
  std::string durability = "strict";
  std::string drives_env;
};

/// Declares every flag of `mote server` with its environment variable MOTE_....
void add_server_flags(CLI::App& command, ServerFlags& flags);

/// Fills in sizes, lists and credentials. Empty when good, else one line that says what is wrong.
std::string finish(ServerFlags& flags);

/// Credentials from the environment: MOTE_ACCESS_KEY, MOTE_SECRET_KEY, their ..._FILE forms, then
/// MINIO_ROOT_USER and MINIO_ROOT_PASSWORD. The variables are removed once read.
struct Credentials {
  std::string access_key;
  std::string secret_key;
  bool given = false;
  std::string error;  ///< one line, empty if good
};
Credentials take_credentials();

}  // namespace mote::cli
