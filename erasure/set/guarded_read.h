#pragma once

#include <exception>
#include <utility>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"

namespace mote::erasure {

/// Runs a read on a drive's own thread. What is thrown there, out of memory above all, is this
/// drive's failure to answer: the gather asks another one, and nothing is blamed on the bytes.
template <class Read>
Result<Slice> guarded_read(Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const std::exception&) {
    return Error{Errc::io_error, 0, "set.read_threw"};
  }
}

}  // namespace mote::erasure
