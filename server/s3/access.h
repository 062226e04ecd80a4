#pragma once

#include <memory>

#include "erasure/store.h"
#include "server/auth/authenticator.h"
#include "server/http/head.h"
#include "server/http/target.h"
#include "server/s3/router.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// One request that has been authenticated and routed.
struct AccessRequest {
  const http::RequestHead& head;
  const http::Target& target;
  const auth::Verified& who;
  const Route& route;
};

/// The "authorise" that every operation passes (INV-10); what it does not allow is denied.
/// Anonymous requests get nothing; an operation on a bucket is for the bucket's owner only. Returns
/// the bucket, null where the operation needs none. Also refuses what no handler may quietly
/// ignore: chunked payloads where there is no payload, a wrong x-amz-expected-bucket-owner,
/// and headers that ask for what is not built (501). AccessDenied, NoSuchBucket, InvalidRequest,
/// NotImplemented, InvalidArgument, AccessControlListNotSupported, InvalidStorageClass.
[[nodiscard]] Outcome<std::shared_ptr<const BucketInfo>> authorise(const AccessRequest& request,
                                                                   const ObjectStore& store);

/// The same judgement for a form upload, once the signature inside the form has told who asks:
/// `request.head` holds the form's fields. Never null.
[[nodiscard]] Outcome<std::shared_ptr<const BucketInfo>> authorise_form(
    const AccessRequest& request, const ObjectStore& store);

/// The same judgement on the bucket that a copy reads from. `bucket` null: NoSuchBucket.
[[nodiscard]] Refusal authorise_source(const AccessRequest& request, const BucketInfo* bucket,
                                       std::string_view bucket_name);

}  // namespace mote::s3
