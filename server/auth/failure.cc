#include "server/auth/failure.h"

#include "erasure/base/check.h"

namespace mote::auth {

void throw_exception_from_error(const Failure& failure, const boost::source_location& where) {
  check_failed(failure.code.data(), where.file_name(), static_cast<int>(where.line()));
}

}  // namespace mote::auth
