#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/digest/checksum.h"

namespace mote::s3 {

// The S3 names of checksums on one side, what records hold on the other. Both enumerations carry
// the same on-disk numbers (checked in the .cc).

[[nodiscard]] ChecksumKind to_kind(digest::ChecksumAlgorithm algorithm) noexcept;
/// nullopt for none.
[[nodiscard]] std::optional<digest::ChecksumAlgorithm> to_algorithm(ChecksumKind kind) noexcept;

[[nodiscard]] StoredChecksum to_stored(const digest::ChecksumValue& value);
/// REQUIRES stored.kind != none.
[[nodiscard]] digest::ChecksumValue to_value(const StoredChecksum& stored);

/// Base64, with "-N" after a composite of N parts.
[[nodiscard]] std::string to_text(const StoredChecksum& stored, std::size_t parts);
/// "COMPOSITE" or "FULL_OBJECT".
[[nodiscard]] std::string_view type_name(bool composite) noexcept;

}  // namespace mote::s3
