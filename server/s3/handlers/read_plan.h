#pragma once

#include <cstdint>

#include "erasure/meta/object.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// What a GET or HEAD answers once the object's head is known: a reply without its body, and which
/// bytes belong to it.
struct ReadPlan {
  Reply reply;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool body = true;  ///< false for 304
};

/// Judges conditions, then Range or ?partNumber, and writes the header lines: the stored ones,
/// ETag, Last-Modified, Accept-Ranges and what the request asks to see. PreconditionFailed,
/// InvalidRange, InvalidPartNumber, InvalidArgument, InvalidRequest.
[[nodiscard]] Outcome<ReadPlan> plan_read(const Call& call, const ObjectHead& head);

/// A read failed: delete markers are told apart as S3 does it (404, or 405 where the version was
/// named).
[[nodiscard]] S3Error read_error(const Call& call, const Error& error);

}  // namespace mote::s3
