#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// Where a copy reads from, decoded once: the same bytes are judged and opened (INV-9).
struct CopySource {
  std::string bucket;
  std::string key;
  std::optional<VersionId> version;
  std::string version_text;  ///< as sent, "" if none
};

/// Reads x-amz-copy-source: `[/]bucket/key[?versionId=id]`, percent-encoded. Only an unencoded
/// `?versionId=` is a version: an encoded one belongs to the key. InvalidArgument.
[[nodiscard]] Outcome<CopySource> parse_copy_source(std::string_view value);

/// x-amz-copy-source-range: `bytes=first-last`, both given. InvalidArgument.
struct CopyRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
[[nodiscard]] Outcome<CopyRange> parse_copy_range(std::string_view value);

}  // namespace mote::s3
