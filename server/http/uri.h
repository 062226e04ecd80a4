#pragma once

#include <string>
#include <string_view>

namespace mote::http {

/// What to do with '/' when encoding.
enum class Slash : bool { encode, keep };

/// Appends `text` percent-encoded as SigV4 wants it: A-Z a-z 0-9 - . _ ~ stay, all other bytes
/// become %XX in upper case (AWS "Create a signed request", UriEncode).
void append_uri_encoded(std::string& out, std::string_view text, Slash slash);
[[nodiscard]] std::string uri_encode(std::string_view text, Slash slash = Slash::encode);

/// How '+' reads: literally in a path, as a blank in a query (S3 decodes `prefix=a+b` as "a b").
enum class Plus : bool { literal, blank };

/// Appends the decoding of `text`; false on a bad escape (`%`, `%z1`), with `out` then unspecified.
[[nodiscard]] bool append_uri_decoded(std::string& out, std::string_view text, Plus plus);

/// True if `text` is well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
[[nodiscard]] bool is_valid_utf8(std::string_view text) noexcept;

}  // namespace mote::http
