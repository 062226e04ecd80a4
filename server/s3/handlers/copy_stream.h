#pragma once

#include <cstdint>
#include <optional>

#include "server/s3/copy_source.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// A copy's source, judged and opened.
struct OpenedSource {
  CopySource source;
  OpenedObject object;
};

/// Reads x-amz-copy-source, holds its bucket against the caller, opens the object and
/// evaluates the x-amz-copy-source-if-* conditions.
Async<Outcome<OpenedSource>> open_copy_source(Call& call);

/// What is computed of the bytes on their way.
struct CopiedBytes {
  Body body;
  digest::Md5Value md5{};
  StoredChecksum checksum;
};

/// Streams [offset, offset + length) of the source into a body for the call's bucket, through at
/// most two buffers of kStreamBytes. Hashes that the source's record already holds for exactly
/// these bytes are taken over.
struct CopyPlan {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  digest::ChecksumAlgorithm checksum{};
};
Async<Outcome<CopiedBytes>> copy_bytes(Call& call, const OpenedObject& source, CopyPlan plan);

/// x-amz-checksum-algorithm of a copy; nullopt if it is not given. InvalidRequest.
[[nodiscard]] Outcome<std::optional<digest::ChecksumAlgorithm>> asked_checksum(const Call& call);

/// Adds x-amz-copy-source-version-id, if the source's version is to be shown.
[[nodiscard]] std::string source_version_header(const OpenedSource& source);

}  // namespace mote::s3
