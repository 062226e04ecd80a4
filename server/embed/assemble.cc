#include "server/embed/assemble.h"

#include "erasure/erasure_store.h"
#include "erasure/memory/memory_store.h"
#include "server/embed/address.h"
#include "server/embed/memory_limit.h"

namespace mote {
namespace {

constexpr int kExitConfig = 78;  // EX_CONFIG
constexpr int kExitIo = 74;      // EX_IOERR
constexpr int kExitLocked = 75;  // EX_TEMPFAIL

int exit_code_of(Errc code) {
  switch (code) {
    case Errc::drive_locked:
      return kExitLocked;
    case Errc::invalid_argument:
    case Errc::wrong_drive:
    case Errc::unsupported:
      return kExitConfig;
    default:
      return kExitIo;  // every other failure is the drives'
  }
}

std::unique_ptr<ObjectStore> open_memory(const Options& options, Platform& platform) {
  const std::uint64_t cap =
      options.memory_bytes_max > 0 ? options.memory_bytes_max : memory_limit_bytes() / 2;
  MemoryOptions memory{cap, platform.clock, platform.rng};
  memory.limits.inline_bytes_max = options.inline_bytes_max;
  return make_memory_store(memory);
}

}  // namespace

std::uint64_t cache_budget(const Options& options) {
  return options.cache_bytes >= 0 ? static_cast<std::uint64_t>(options.cache_bytes)
                                  : memory_limit_bytes() / 4;
}

std::unique_ptr<ObjectStore> open_store(const Options& options, Platform& platform,
                                        StartError& error) {
  if (options.memory != options.drives.empty()) {
    error = {kExitConfig, options.memory
                              ? "drives and --memory exclude each other"
                              : "no drive given: name at least one directory, or use --memory"};
    return nullptr;
  }
  if (options.memory) {
    return open_memory(options, platform);
  }
  ErasureOptions erasure;
  for (const std::string& text : options.drives) {
    const Result<std::vector<std::string>> paths = expand_ranges(text);
    if (!paths) {
      error = {kExitConfig, "not a drive or a range of drives: " + text};
      return nullptr;
    }
    erasure.drives.insert(erasure.drives.end(), paths->begin(), paths->end());
  }
  if (options.parity >= 0) {
    erasure.parity = static_cast<unsigned>(options.parity);
  }
  erasure.inline_bytes_max = options.inline_bytes_max;
  erasure.inline_versioned_max = options.inline_versioned_bytes_max;
  Result<std::unique_ptr<ObjectStore>> store =
      open_erasure_store(erasure, {platform.vfs, platform.scheduler, platform.clock, platform.rng});
  if (!store) {
    error = {exit_code_of(store.error().code),
             "cannot open the drives: " + describe(store.error())};
    return nullptr;
  }
  return std::move(*store);
}

}  // namespace mote
