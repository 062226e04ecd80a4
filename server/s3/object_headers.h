#pragma once

#include <string>

#include "erasure/meta/object.h"
#include "server/http/response_head.h"

namespace mote::s3 {

/// ETag with its quotes.
void add_etag(http::HeaderBlock& block, const ETag& etag);
void add_last_modified(http::HeaderBlock& block, std::int64_t modified_ms);
/// x-amz-checksum-*, and x-amz-checksum-type where the checksum is an object's. `parts`: of a
/// composite.
void add_checksum(http::HeaderBlock& block, const StoredChecksum& checksum, std::size_t parts);
void add_checksum_type(http::HeaderBlock& block, const StoredChecksum& checksum);
/// x-amz-version-id, if the version is to be shown.
void add_version(http::HeaderBlock& block, const ObjectHead& head);
/// The same in answer to a write: S3 does not show the null version that a write made in a bucket
/// whose versioning is suspended.
void add_new_version(http::HeaderBlock& block, const ObjectHead& head);

/// What every GET and HEAD of an object shows beside the stored lines: ETag, Last-Modified,
/// version, Accept-Ranges, number of tags.
void add_object_lines(http::HeaderBlock& block, const ObjectHead& head);

/// The header lines of a plain 200 to GET or HEAD: the stored ones and add_object_lines(). What the
/// object cache renders once per image (metacache::RenderHeaders), so that a hit sends it as it is.
[[nodiscard]] std::string render_object_headers(const ObjectHead& head);

}  // namespace mote::s3
