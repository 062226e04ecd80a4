#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/system/result.hpp>

namespace mote::auth {

/// Why a request is refused, in S3's words. The s3 layer prints it: `code` and `message` as the
/// elements of that name, `extra` as further elements in order. Holds nothing secret:
/// string-to-sign and canonical request are made of what the client sent.
struct Failure {
  std::string_view code;  ///< static text, e.g. "SignatureDoesNotMatch"
  int status = 400;       ///< HTTP status
  std::string message;
  std::vector<std::pair<std::string, std::string>> extra;
};

/// A value or a Failure. Ask has_value() first; there is no throwing access.
template <class T>
class [[nodiscard]] Outcome : public boost::system::result<T, Failure> {
  using Base = boost::system::result<T, Failure>;

 public:
  using Base::Base;
};

/// boost::system::result's customisation point: a wrong access is a programmer error and aborts.
[[noreturn]] void throw_exception_from_error(const Failure& failure,
                                             const boost::source_location& where);

}  // namespace mote::auth
