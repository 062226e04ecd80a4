#pragma once

#include <cstdint>

namespace mote {

/// How much memory this process may use, in bytes: the smallest of the machine's memory and the
/// limits of its cgroup (v1 and v2). Caches are sized as a share of it.
std::uint64_t memory_limit_bytes();

}  // namespace mote
