#pragma once

#include <string>

#include "erasure/store.h"
#include "server/s3/handlers/call.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/ids.h"

namespace mote::s3 {

/// The upload that a call names.
struct UploadCall {
  UploadRef ref;
  UploadToken token;
};
/// NoSuchUpload for an id this server cannot have given out.
[[nodiscard]] Outcome<UploadCall> upload_call(const Call& call);

/// ?partNumber, 1 to 10,000. InvalidArgument.
[[nodiscard]] Outcome<std::uint16_t> part_number(const Call& call);

/// The UploadId text of an upload as the store knows it.
[[nodiscard]] inline std::string upload_id_text(const UploadInfo& info) {
  return to_text(UploadToken{
      .id = info.ref.upload, .checksum = info.checksum, .full_object = info.checksum_full_object});
}

/// A part or a Complete brought a checksum of another algorithm than the upload was created for.
[[nodiscard]] S3Error checksum_mismatch(ChecksumKind expected, ChecksumKind actual);

}  // namespace mote::s3
