#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// A bucket's configuration is kept as documents, one per sub-resource, named as in its URL.

/// What the bucket has under `name`; null if nothing. Valid while the bucket's record is held.
[[nodiscard]] const std::string* stored_document(const BucketInfo& bucket,
                                                 std::string_view name) noexcept;

/// Replaces the document of the call's bucket, or removes it where `content` is nullopt. The
/// engine's error, if any; no error where there was nothing to remove.
Async<Refusal> store_document(Call& call, std::string_view name,
                              std::optional<std::string> content);

}  // namespace mote::s3
