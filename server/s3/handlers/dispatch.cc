#include "server/s3/handlers/handlers.h"

namespace mote::s3 {

S3Error operation_not_implemented(Op op) {
  const std::string_view name = describe(op).name;
  return make_error(ErrorCode::not_implemented, std::string(name) + " is not implemented.",
                    {{"Operation", name}});
}

Handler find_handler(Op op) noexcept {
  switch (op) {
    case Op::list_buckets:
      return list_buckets;
    case Op::create_bucket:
      return create_bucket;
    case Op::head_bucket:
      return head_bucket;
    case Op::delete_bucket:
      return delete_bucket;
    case Op::get_bucket_location:
      return get_bucket_location;
    case Op::get_bucket_versioning:
      return get_bucket_versioning;
    case Op::put_bucket_versioning:
      return put_bucket_versioning;
    case Op::put_object:
      return put_object;
    case Op::get_object:
      return get_object;
    case Op::head_object:
      return head_object;
    case Op::delete_object:
      return delete_object;
    case Op::delete_objects:
      return delete_objects;
    case Op::list_objects:
      return list_objects;
    case Op::list_objects_v2:
      return list_objects_v2;
    case Op::get_bucket_tagging:
      return get_bucket_tagging;
    case Op::put_bucket_tagging:
      return put_bucket_tagging;
    case Op::delete_bucket_tagging:
      return delete_bucket_tagging;
    case Op::get_object_tagging:
      return get_object_tagging;
    case Op::put_object_tagging:
      return put_object_tagging;
    case Op::delete_object_tagging:
      return delete_object_tagging;
    case Op::copy_object:
      return copy_object;
    case Op::get_object_attributes:
      return get_object_attributes;
    case Op::list_object_versions:
      return list_object_versions;
    case Op::create_multipart_upload:
      return create_multipart_upload;
    case Op::upload_part:
      return upload_part;
    case Op::upload_part_copy:
      return upload_part_copy;
    case Op::complete_multipart_upload:
      return complete_multipart_upload;
    case Op::abort_multipart_upload:
      return abort_multipart_upload;
    case Op::list_parts:
      return list_parts;
    case Op::list_multipart_uploads:
      return list_multipart_uploads;
    case Op::post_object:
      return post_object;
    case Op::preflight:
      return preflight;
    case Op::get_bucket_acl:
    case Op::get_object_acl:
      return get_acl;
    case Op::put_bucket_acl:
    case Op::put_object_acl:
      return put_acl;
    case Op::get_public_access_block:
      return get_public_access_block;
    case Op::put_public_access_block:
      return put_public_access_block;
    case Op::delete_public_access_block:
      return delete_public_access_block;
    case Op::get_bucket_ownership_controls:
      return get_bucket_ownership_controls;
    case Op::put_bucket_ownership_controls:
      return put_bucket_ownership_controls;
    case Op::delete_bucket_ownership_controls:
      return delete_bucket_ownership_controls;
    case Op::put_bucket_lifecycle:
      return put_bucket_lifecycle;
    case Op::put_object_lock:
      return put_object_lock;
    case Op::delete_bucket_cors:
    case Op::delete_bucket_encryption:
    case Op::delete_bucket_lifecycle:
    case Op::delete_bucket_policy:
    case Op::delete_bucket_replication:
    case Op::delete_bucket_website:
      return delete_default;
    case Op::get_object_retention:
    case Op::get_object_legal_hold:
    case Op::put_object_retention:
    case Op::put_object_legal_hold:
      return object_default;
    case Op::get_bucket_policy:
    case Op::get_bucket_policy_status:
    case Op::get_bucket_lifecycle:
    case Op::get_bucket_cors:
    case Op::get_bucket_encryption:
    case Op::get_bucket_website:
    case Op::get_bucket_replication:
    case Op::get_object_lock:
    case Op::get_bucket_analytics:
    case Op::get_bucket_intelligent_tiering:
    case Op::get_bucket_inventory:
    case Op::get_bucket_metrics:
    case Op::get_bucket_accelerate:
    case Op::get_bucket_logging:
    case Op::get_bucket_notification:
    case Op::get_bucket_request_payment:
    case Op::list_bucket_analytics:
    case Op::list_bucket_intelligent_tiering:
    case Op::list_bucket_inventory:
    case Op::list_bucket_metrics:
      return bucket_default;
    default:
      return nullptr;
  }
}

}  // namespace mote::s3
