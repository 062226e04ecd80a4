#pragma once

#include <cstdint>
#include <string>

namespace mote::bench {

/// The endpoint under test.
struct Endpoint {
  std::string host = "127.0.0.1";  ///< an IPv4 address
  std::uint16_t port = 9000;
  std::string access_key = "mote";
  std::string secret_key = "mote-secret";
  std::string region = "us-east-1";
  std::string bucket = "mote-bench";

  [[nodiscard]] std::string authority() const { return host + ":" + std::to_string(port); }
};

}  // namespace mote::bench
