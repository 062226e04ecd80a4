#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "erasure/base/result.h"

namespace mote::bench {

enum class OpKind : std::uint8_t { get, head, put, del, list, count_ };
inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(OpKind::count_);
std::string_view to_string(OpKind kind);

/// What to do to a server. Read from a JSON file (bench/scenarios) and changed by flags.
struct Scenario {
  std::string name = "get";
  std::array<unsigned, kOpKinds> weights{1, 0, 0, 0, 0};  ///< share of each OpKind
  std::uint64_t object_bytes = 4096;
  std::uint64_t objects = 1000;  ///< keys; they are put before the measurement
  unsigned connections = 32;
  unsigned threads = 1;
  double warmup_seconds = 1;
  double seconds = 10;
  /// Requests per second over all connections; 0: closed loop, as fast as answers come. In the open
  /// loop a request's latency counts from when it was due, so that a stalled server cannot hide
  /// (coordinated omission).
  double rate = 0;
  unsigned list_keys = 100;
  bool check_bodies = true;
  std::uint64_t seed = 1;
};

/// Reads a scenario file over `base`. invalid_argument with a field that is unknown or of the wrong
/// type.
Result<Scenario> read_scenario(const std::string& path, Scenario base);

}  // namespace mote::bench
