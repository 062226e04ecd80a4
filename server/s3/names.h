#pragma once

#include <optional>
#include <string_view>

#include "server/s3/s3_error.h"

namespace mote::s3 {

/// AWS "General purpose bucket naming rules": 3 to 63 of a-z 0-9 . -, letter or digit at both ends,
/// no two dots together, no dot beside a hyphen, not an IPv4 address, none of AWS's reserved
/// prefixes and suffixes. `amzn-s3-demo-` is allowed: it is what people copy from AWS's own
/// examples.
[[nodiscard]] bool is_valid_bucket_name(std::string_view name) noexcept;

/// Why a key cannot be used, or nullopt. Keys are opaque bytes (INV-9): 1 to 1,024 of them, no NUL,
/// valid UTF-8, and its path segments must not climb above the bucket.
[[nodiscard]] Refusal check_key(std::string_view key);

}  // namespace mote::s3
