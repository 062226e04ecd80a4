#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/auth/authenticator.h"
#include "server/http/head.h"
#include "server/http/target.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// Renders once, at write time, the header lines that every later GET repeats: Content-Type
/// (default binary/octet-stream), Cache-Control, Content-Disposition, Content-Encoding without
/// aws-chunked, Content-Language, Expires and x-amz-meta-* in lower case; tags from x-amz-tagging.
/// 8-bit metadata is encoded as RFC 2047 says. MetadataTooLarge (2 KiB), InvalidArgument (CR, LF,
/// NUL, broken UTF-8), InvalidTag.
[[nodiscard]] Outcome<ObjectAttributes> attributes_from_request(const http::RequestHead& head,
                                                                const auth::Verified& who);
/// Only the tags of a request.
[[nodiscard]] Outcome<std::string> tags_from_request(const http::RequestHead& head,
                                                     const auth::Verified& who);

/// The stored header lines with the response-* parameters of a GET in place of what they override.
/// InvalidArgument for CR, LF or NUL in a value.
[[nodiscard]] Outcome<std::string> override_headers(std::string_view stored,
                                                    const http::Target& target);
/// True if the request carries any response-* override.
[[nodiscard]] bool has_overrides(const http::Target& target) noexcept;

/// Value of a stored line ("Content-Type", case as rendered), "" if it is not there.
[[nodiscard]] std::string_view stored_header(std::string_view stored,
                                             std::string_view name) noexcept;

}  // namespace mote::s3
