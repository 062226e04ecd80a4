#pragma once

#include <memory>
#include <string>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/base/thread_scheduler.h"
#include "erasure/io/posix_vfs.h"
#include "erasure/store.h"

#include "mote/server.h"

namespace mote {

/// What a store needs for its whole life, in construction order.
struct Platform {
  SystemClock clock;
  SystemRng rng;
  erasure::PosixVfs vfs;
  ThreadScheduler scheduler;
};

/// Opens the store that the options ask for: memory, or erasure-coded drives. Null with `error`
/// set.
std::unique_ptr<ObjectStore> open_store(const Options& options, Platform& platform,
                                        StartError& error);

/// Bytes for the object cache: as asked, or a quarter of the memory limit.
std::uint64_t cache_budget(const Options& options);

}  // namespace mote
