#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "erasure/meta/object.h"

namespace mote::s3 {

/// RFC 4648 §5 without padding.
[[nodiscard]] std::string to_base64url(std::string_view bytes);
/// nullopt unless canonical.
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

/// "null" for the null version, else 22 characters of base64url.
[[nodiscard]] std::string to_text(const VersionId& version);
[[nodiscard]] std::optional<VersionId> parse_version_id(std::string_view text);

/// What an UploadId text says: the upload, and which checksum it was created for, so that a part
/// can be checked without a look at the store. The store's own record decides when the upload is
/// completed.
struct UploadToken {
  UploadId id{};
  ChecksumKind checksum = ChecksumKind::none;
  bool full_object = false;
};
/// URL-safe, never numeric-looking (wire.md 52: minio-js turns such ids into numbers).
[[nodiscard]] std::string to_text(const UploadToken& upload);
[[nodiscard]] std::optional<UploadToken> parse_upload_id(std::string_view text);

}  // namespace mote::s3
