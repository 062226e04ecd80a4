#include "erasure/base/check.h"

#include <cstdio>
#include <cstdlib>

#include "erasure/base/result.h"

namespace mote {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "mote: check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  std::fprintf(stderr, "mote: value of a failed Result taken: %s (%s:%d)\n",
               describe(error).c_str(), where.file_name(), static_cast<int>(where.line()));
  std::abort();
}

}  // namespace mote
