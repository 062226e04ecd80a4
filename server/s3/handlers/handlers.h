#pragma once

#include "server/digest/checksum.h"
#include "server/s3/handlers/call.h"

/// All operations that are built. Each runs after authentication, routing and authorisation; each
/// returns its reply or an error and never throws but for memory.
namespace mote::s3 {

/// What S3 computes and keeps where the client sends no checksum (AWS "Checking object integrity").
inline constexpr digest::ChecksumAlgorithm kDefaultChecksum = digest::ChecksumAlgorithm::crc64nvme;

using Handler = Async<Answer> (*)(Call&);

/// The handler of an operation, null where it is not built (501 with the operation's name).
[[nodiscard]] Handler find_handler(Op op) noexcept;

/// The 501 that names it.
[[nodiscard]] S3Error operation_not_implemented(Op op);

// buckets.cc
Async<Answer> list_buckets(Call& call);
Async<Answer> create_bucket(Call& call);
Async<Answer> head_bucket(Call& call);
Async<Answer> delete_bucket(Call& call);
Async<Answer> get_bucket_location(Call& call);
Async<Answer> get_bucket_versioning(Call& call);
Async<Answer> put_bucket_versioning(Call& call);

// bucket_defaults.cc: what S3 answers where nothing is configured
Async<Answer> bucket_default(Call& call);
Async<Answer> object_default(Call& call);
Async<Answer> delete_default(Call& call);
Async<Answer> put_object_lock(Call& call);
Async<Answer> put_bucket_lifecycle(Call& call);
Async<Answer> preflight(Call& call);

// public_access_block.cc
Async<Answer> get_public_access_block(Call& call);
Async<Answer> put_public_access_block(Call& call);
Async<Answer> delete_public_access_block(Call& call);

// ownership_controls.cc
Async<Answer> get_bucket_ownership_controls(Call& call);
Async<Answer> put_bucket_ownership_controls(Call& call);
Async<Answer> delete_bucket_ownership_controls(Call& call);

// tagging.cc
Async<Answer> get_bucket_tagging(Call& call);
Async<Answer> put_bucket_tagging(Call& call);
Async<Answer> delete_bucket_tagging(Call& call);
Async<Answer> get_object_tagging(Call& call);
Async<Answer> put_object_tagging(Call& call);
Async<Answer> delete_object_tagging(Call& call);

// acl.cc
Async<Answer> get_acl(Call& call);
Async<Answer> put_acl(Call& call);

// post_object.cc: form uploads
Async<Answer> post_object(Call& call);

// put_object.cc, get_object.cc, delete_object.cc, copy_object.cc, object_attributes.cc
Async<Answer> put_object(Call& call);
Async<Answer> get_object(Call& call);
Async<Answer> head_object(Call& call);
Async<Answer> delete_object(Call& call);
Async<Answer> delete_objects(Call& call);
Async<Answer> copy_object(Call& call);
Async<Answer> get_object_attributes(Call& call);

// list_objects.cc, list_versions.cc
Async<Answer> list_objects(Call& call);
Async<Answer> list_objects_v2(Call& call);
Async<Answer> list_object_versions(Call& call);

// multipart.cc, complete_upload.cc, copy_part.cc, list_uploads.cc
Async<Answer> create_multipart_upload(Call& call);
Async<Answer> upload_part(Call& call);
Async<Answer> upload_part_copy(Call& call);
Async<Answer> complete_multipart_upload(Call& call);
Async<Answer> abort_multipart_upload(Call& call);
Async<Answer> list_parts(Call& call);
Async<Answer> list_multipart_uploads(Call& call);

}  // namespace mote::s3
