#pragma once

#include <boost/system/result.hpp>

#include "erasure/base/error.h"

namespace mote {

/// A value or an Error. A dropped Result is a compile error; `return Error{...}` and
/// `return Errc::x` convert. Built on boost::system::result because GCC 12 has std::expected in
/// C++23 mode only; swap the base when the floor is C++23.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
  using Base = boost::system::result<T, Error>;

 public:
  using Base::Base;
  Result(Errc code, const char* where = "")  // NOLINT(google-explicit-constructor)
      : Base(Error{code, 0, where}) {}
};

using Status = Result<void>;

/// The success value of a Status.
inline Status ok() {
  return {};
}

}  // namespace mote

/// boost::system::result throws on a wrong access through this customisation point; an Error
/// carries no exception of its own, so a wrong access is a programmer error.
namespace mote {
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& where);
}
