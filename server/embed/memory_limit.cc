#include "server/embed/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace mote {
namespace {

/// The number in a cgroup file; "max" and a missing file are no limit.
std::uint64_t read_limit(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  return in >> value ? value : UINT64_MAX;
}

}  // namespace

std::uint64_t memory_limit_bytes() {
  std::uint64_t limit = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  // Lines are "0::/path" (v2) and "4:memory:/path" (v1); inside a container the path is usually
  // "/".
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t path = line.rfind(':');
    if (line.starts_with("0::")) {
      limit = std::min(limit, read_limit("/sys/fs/cgroup" + line.substr(path + 1) + "/memory.max"));
    } else if (line.find(":memory:") != std::string::npos) {
      limit = std::min(limit, read_limit("/sys/fs/cgroup/memory" + line.substr(path + 1) +
                                         "/memory.limit_in_bytes"));
    }
  }
  limit = std::min(limit, read_limit("/sys/fs/cgroup/memory.max"));
  return std::min(limit, read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}

}  // namespace mote
