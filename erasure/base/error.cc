#include "erasure/base/error.h"

#include <cstring>

namespace mote {

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::no_such_bucket:
      return "no_such_bucket";
    case Errc::no_such_key:
      return "no_such_key";
    case Errc::no_such_version:
      return "no_such_version";
    case Errc::delete_marker:
      return "delete_marker";
    case Errc::no_such_upload:
      return "no_such_upload";
    case Errc::no_such_file:
      return "no_such_file";
    case Errc::bucket_exists:
      return "bucket_exists";
    case Errc::bucket_not_empty:
      return "bucket_not_empty";
    case Errc::precondition_failed:
      return "precondition_failed";
    case Errc::invalid_part:
      return "invalid_part";
    case Errc::invalid_part_order:
      return "invalid_part_order";
    case Errc::part_too_small:
      return "part_too_small";
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::too_large:
      return "too_large";
    case Errc::already_exists:
      return "already_exists";
    case Errc::read_quorum:
      return "read_quorum";
    case Errc::write_quorum:
      return "write_quorum";
    case Errc::overloaded:
      return "overloaded";
    case Errc::timed_out:
      return "timed_out";
    case Errc::cancelled:
      return "cancelled";
    case Errc::shutting_down:
      return "shutting_down";
    case Errc::no_space:
      return "no_space";
    case Errc::corrupt:
      return "corrupt";
    case Errc::io_error:
      return "io_error";
    case Errc::drive_failed:
      return "drive_failed";
    case Errc::drive_locked:
      return "drive_locked";
    case Errc::wrong_drive:
      return "wrong_drive";
    case Errc::unsupported:
      return "unsupported";
  }
  return "unknown";
}

std::string describe(const Error& error) {
  std::string text(to_string(error.code));
  if (*error.where != '\0') {
    text.append(" at ").append(error.where);
  }
  if (error.os_errno != 0) {
    text.append(": ").append(std::strerror(error.os_errno));
    text.append(" (").append(std::to_string(error.os_errno)).append(")");
  }
  return text;
}

}  // namespace mote
