#pragma once

#include <string>
#include <string_view>

#include "erasure/meta/object.h"
#include "server/http/response_head.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// 200 with an XML document.
[[nodiscard]] Reply xml_reply(std::string document);
/// A status without body: 200 with Content-Length 0, or 204 without one.
[[nodiscard]] Reply empty_reply(std::uint16_t status, std::string head = {});

/// ETag with its quotes.
void add_etag(http::HeaderBlock& block, const ETag& etag);
void add_last_modified(http::HeaderBlock& block, std::int64_t modified_ms);
/// x-amz-checksum-*, and x-amz-checksum-type where the checksum is an object's. `parts`: of a
/// composite.
void add_checksum(http::HeaderBlock& block, const StoredChecksum& checksum, std::size_t parts);
void add_checksum_type(http::HeaderBlock& block, const StoredChecksum& checksum);
/// x-amz-version-id, if the version is to be shown.
void add_version(http::HeaderBlock& block, const ObjectHead& head);

/// The reference that key and ?versionId of a call name. InvalidArgument.
[[nodiscard]] Outcome<ObjectRef> object_ref(const Call& call);

/// If-Match and If-None-Match of a write. NotImplemented for what S3 does not do (an If-None-Match
/// other than `*`).
[[nodiscard]] Outcome<Preconditions> write_preconditions(const Call& call);
/// A write failed: the engine's error, with precondition_failed told apart as S3 does it: 404 where
/// If-Match met no object, else 412 with the condition's name.
Async<S3Error> write_error(Call& call, Error error, Preconditions preconditions);

/// Reads an ETag between optional quotes; nullopt if it is not one this server makes.
[[nodiscard]] std::optional<ETag> parse_etag(std::string_view text) noexcept;

}  // namespace mote::s3
