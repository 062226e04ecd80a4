#pragma once

#include <cstdint>

namespace mote::bench {

/// CPU time and memory of another process, from /proc/PID. Zeroes if it cannot be read.
struct ProcessStats {
  double user_seconds = 0;
  double system_seconds = 0;
  std::uint64_t peak_bytes = 0;
};
ProcessStats read_process(int pid);

}  // namespace mote::bench
