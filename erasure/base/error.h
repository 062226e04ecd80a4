#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mote {

/// Everything that can go wrong below the S3 layer. The engine speaks these, never an S3 code or an
/// HTTP status; server/s3/error_mapping.cc is the one exhaustive translation. "Absent", "corrupt"
/// and "failed" are three different answers and are never folded into one another (INV-4).
enum class Errc : std::uint8_t {
  // Absent: known not to be there, by a drive that is allowed to say so.
  no_such_bucket,
  no_such_key,
  no_such_version,
  delete_marker,  ///< the newest version is a delete marker (or the named version is one)
  no_such_upload,
  no_such_file,  ///< a file system name is not there (Vfs, drive); never means "no such key"

  // Refused: the request cannot be done on the state that is there.
  bucket_exists,
  bucket_not_empty,
  precondition_failed,
  invalid_part,  ///< a part named by Complete is missing or is not the one that was read
  invalid_part_order,
  part_too_small,
  invalid_argument,
  too_large,
  already_exists,  ///< a file system name exists

  // Cannot know or cannot do now: the caller may try again; never to be read as "absent".
  read_quorum,   ///< fewer than k drives can answer
  write_quorum,  ///< fewer than W drives can take the write
  overloaded,    ///< a queue or a memory bound is full
  timed_out,
  cancelled,
  shutting_down,

  // Space.
  no_space,  ///< fewer than W drives have room, or the memory store's cap is reached

  // Damage and failure.
  corrupt,       ///< bytes are there and do not verify
  io_error,      ///< the operating system refused; see os_errno
  drive_failed,  ///< the drive was taken out of service

  // Start-up.
  drive_locked,  ///< another process serves this drive
  wrong_drive,   ///< identity does not fit: other deployment, slot, duplicate
  unsupported,   ///< a newer on-disk format or an unknown feature bit
};

/// The enumerator's own name, for logs.
std::string_view to_string(Errc code) noexcept;

/// An error as it travels: trivially copyable, no allocation on failure.
struct Error {
  Errc code = Errc::io_error;
  std::int32_t os_errno = 0;  ///< errno of the failed call, 0 where there was none
  const char* where = "";     ///< static text naming the step that failed; never null

  friend bool operator==(const Error& a, const Error& b) noexcept { return a.code == b.code; }
};

/// "io_error at log.sync: Input/output error (5)". For logs only; clients never see it.
std::string describe(const Error& error);

}  // namespace mote
