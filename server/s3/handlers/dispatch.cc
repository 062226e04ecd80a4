#include "server/s3/handlers/handlers.h"

namespace mote::s3 {

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
    default:
      return nullptr;
  }
}

}  // namespace mote::s3
