#pragma once

#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/http/response_head.h"
#include "server/s3/handlers/call.h"
#include "server/s3/object_headers.h"

namespace mote::s3 {

/// 200 with an XML document.
[[nodiscard]] Reply xml_reply(std::string document);
/// A status without body: 200 with Content-Length 0, or 204 without one.
[[nodiscard]] Reply empty_reply(std::uint16_t status, std::string head = {});

/// The reference that key and ?versionId of a call name. InvalidArgument.
[[nodiscard]] Outcome<ObjectRef> object_ref(const Call& call);

/// If-Match and If-None-Match of a write, as RFC 9110 13.1 has them: `*` or a list of tags. (S3
/// itself answers 501 to tags in If-None-Match; the store judges them like the others.)
[[nodiscard]] Preconditions write_preconditions(const Call& call);
/// A write failed: the engine's error, with precondition_failed told apart as S3 does it: 404 where
/// If-Match met no object, else 412 with the condition's name.
Async<S3Error> write_error(Call& call, Error error, Preconditions preconditions);

/// Reads an ETag between optional quotes; nullopt if it is not one this server makes.
[[nodiscard]] std::optional<ETag> parse_etag(std::string_view text) noexcept;

}  // namespace mote::s3
