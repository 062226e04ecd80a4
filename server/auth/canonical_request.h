#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/head.h"
#include "server/http/target.h"
#include "server/http/uri.h"

namespace mote::auth {

/// Appends the canonical URI: the path as sent, each segment decoded and encoded once, nothing
/// normalised (S3's exception to SigV4's double encoding). An encoded slash stays %2F with
/// http::Slash::encode; with http::Slash::keep it becomes '/', as clients sign that encode the key
/// after joining.
void append_canonical_uri(std::string& out, const http::Target& target, http::Slash encoded_slash);

/// Appends the canonical query: every parameter but `except` as name=value, encoded, sorted by
/// encoded name, then encoded value.
void append_canonical_query(std::string& out, const http::Target& target, std::string_view except);

/// What a canonical request is made of.
struct CanonicalInput {
  const http::RequestHead& head;
  const http::Target& target;
  std::string_view signed_headers;  ///< as sent: "host;range;x-amz-date"
  std::string_view payload_hash;    ///< hex digest or one of the words of payload_mode.h
  bool presigned = false;           ///< leave X-Amz-Signature out of the query
  http::Slash encoded_slash = http::Slash::encode;
};

/// Appends the canonical request. Header values are trimmed and inner runs of blanks become one;
/// several fields of one name are joined by a comma. False if a listed header is absent: it then
/// counts as empty, so that the text can still be shown to the client, and the request must be
/// refused.
[[nodiscard]] bool append_canonical_request(std::string& out, const CanonicalInput& input);

}  // namespace mote::auth
