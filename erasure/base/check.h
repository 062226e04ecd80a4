#pragma once

namespace mote {

/// Prints the condition and its place to stderr and aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace mote

/// A programmer error ends the process, in release builds too: the store is crash-safe, so stopping
/// is always safe and going on with a broken invariant is not. Never used on bytes from disk or
/// network.
#define MOTE_CHECK(condition)                               \
  do {                                                      \
    if (!(condition)) [[unlikely]] {                        \
      ::mote::check_failed(#condition, __FILE__, __LINE__); \
    }                                                       \
  } while (false)
