#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/store.h"

namespace mote {

struct MemoryOptions {
  /// Cap on everything stored: bodies, keys, metadata, parts, bucket documents and a fixed overhead
  /// per entry. A write that would pass it fails with no_space (INV-12).
  std::uint64_t bytes_max;
  Clock& clock;  ///< outlives the store
  Rng& rng;      ///< outlives the store; thread-safe
  StoreLimits limits{};
  /// Stripes of the generation table, a power of two. 1 makes every key collide, for tests.
  std::size_t generation_stripes = 65536;
};

/// An ObjectStore in RAM: the semantics of the erasure store, nothing survives the process.
/// Thread-safe; every operation ends on the calling thread before the call returns. Bytes handed
/// out (slices, readers) may outlive the store and count against the cap until they are let go.
std::unique_ptr<ObjectStore> make_memory_store(const MemoryOptions& options);

}  // namespace mote
