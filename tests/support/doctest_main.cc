// The doctest implementation and main, compiled once and linked into every test binary.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#ifdef MOTE_TSAN
// Debian's librocksdb is not instrumented: TSan sees neither its atomics nor its fences. Nothing of
// our own is suppressed.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:librocksdb.so\n";
}
#endif
