#include "server/s3/access.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "server/http/header_map.h"
#include "server/s3/encryption_headers.h"
#include "server/s3/object_attributes.h"

namespace mote::s3 {

namespace {

/// Headers (or prefixes, where they end in '-') that ask for something this server does not do.
/// Ignoring them would answer 200 to a wish that was not granted.
/// (x-amz-bypass-governance-retention is not among them: where nothing is locked, there is nothing
/// to bypass, and S3 takes it too.)
constexpr std::array<std::string_view, 7> kUnsupportedHeaders = {
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-",
    "x-amz-copy-source-server-side-encryption-",
    "x-amz-object-lock-",
    "x-amz-website-redirect-location",
    "x-amz-write-offset-bytes",
    "x-amz-mfa",
};
constexpr std::array<std::string_view, 6> kOtherCannedAcls = {
    "public-read",   "public-read-write", "authenticated-read",
    "aws-exec-read", "bucket-owner-read", "log-delivery-write"};
constexpr std::array<std::string_view, 10> kOtherStorageClasses = {"REDUCED_REDUNDANCY",
                                                                   "STANDARD_IA",
                                                                   "ONEZONE_IA",
                                                                   "INTELLIGENT_TIERING",
                                                                   "GLACIER",
                                                                   "DEEP_ARCHIVE",
                                                                   "OUTPOSTS",
                                                                   "GLACIER_IR",
                                                                   "SNOW",
                                                                   "EXPRESS_ONEZONE"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view value) noexcept {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_unsupported(std::string_view name) noexcept {
  // Most headers are none of ours: one look at two letters settles them.
  if (name.size() < 6 || (name[0] | 0x20) != 'x' || name[1] != '-') {
    return false;
  }
  return std::any_of(kUnsupportedHeaders.begin(), kUnsupportedHeaders.end(),
                     [name](std::string_view wish) {
                       return wish.back() == '-' ? http::starts_with_ignore_case(name, wish)
                                                 : http::equals_ignore_case(name, wish);
                     });
}

S3Error unsupported_header(std::string_view name) {
  return make_error(ErrorCode::not_implemented, {{"Header", name}});
}

Refusal check_acl_headers(const AccessRequest& request) {
  if (const auto acl = request.who.header(request.head, "x-amz-acl")) {
    if (contains(kOtherCannedAcls, *acl)) {
      return make_error(ErrorCode::access_control_list_not_supported);
    }
    if (!acl->empty() && *acl != "private" && *acl != "bucket-owner-full-control") {
      return invalid_argument("The canned ACL is not valid.", "x-amz-acl", *acl);
    }
  }
  const auto is_grant = [](std::string_view name) {
    return http::starts_with_ignore_case(name, "x-amz-grant-");
  };
  const auto fields = request.head.headers.fields();
  const auto& hoisted = request.who.hoisted;
  if (std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return is_grant(f.name); }) ||
      std::any_of(hoisted.begin(), hoisted.end(),
                  [&](const auto& f) { return is_grant(f.first); })) {
    return make_error(ErrorCode::access_control_list_not_supported);
  }
  return std::nullopt;
}

Refusal check_storage_class(const AccessRequest& request) {
  const auto value = request.who.header(request.head, "x-amz-storage-class");
  if (!value || value->empty() || *value == "STANDARD") {
    return std::nullopt;
  }
  if (contains(kOtherStorageClasses, *value)) {
    return unsupported_header("x-amz-storage-class");
  }
  return make_error(ErrorCode::invalid_storage_class, {{"StorageClassRequested", *value}});
}

/// The refusal of a header that cannot be met: what is wrong in itself comes first.
Refusal refuse_wish(const AccessRequest& request, std::string_view name) {
  if (Refusal wrong = check_encryption_headers(request)) {
    return wrong;
  }
  return unsupported_header(name);
}

Refusal check_wishes(const AccessRequest& request) {
  for (const http::HeaderField& field : request.head.headers.fields()) {
    if (is_unsupported(field.name)) {
      return refuse_wish(request, field.name);
    }
  }
  for (const auto& [name, value] : request.who.hoisted) {
    if (is_unsupported(name)) {
      return refuse_wish(request, name);
    }
  }
  if (Refusal refused = check_acl_headers(request)) {
    return refused;
  }
  return check_storage_class(request);
}

Refusal check_identity(const AccessRequest& request, const OperationInfo& info) {
  if (request.who.anonymous()) {
    if (info.op == Op::get_object && has_overrides(request.target)) {
      return make_error(
          ErrorCode::invalid_request,
          "Request specific response headers cannot be used for anonymous GET requests.");
    }
    return make_error(ErrorCode::access_denied);
  }
  if (auth::is_streaming(request.who.payload_mode) && info.body != BodyUse::payload) {
    return make_error(ErrorCode::invalid_request,
                      "The value of x-amz-content-sha256 header is invalid for this operation.");
  }
  return std::nullopt;
}

/// The bucket of the request, if it is the caller's.
Outcome<std::shared_ptr<const BucketInfo>> own_bucket(const AccessRequest& request,
                                                      const ObjectStore& store) {
  std::shared_ptr<const BucketInfo> bucket = store.find_bucket(request.route.bucket);
  if (bucket == nullptr) {
    return make_error(ErrorCode::no_such_bucket, {{"BucketName", request.route.bucket}});
  }
  const auto expected = request.who.header(request.head, "x-amz-expected-bucket-owner");
  if (bucket->owner != request.who.identity().user_id || (expected && *expected != bucket->owner)) {
    return make_error(ErrorCode::access_denied);
  }
  return bucket;
}

}  // namespace

Outcome<std::shared_ptr<const BucketInfo>> authorise(const AccessRequest& request,
                                                     const ObjectStore& store) {
  const OperationInfo& info = describe(request.route.op);
  std::shared_ptr<const BucketInfo> bucket;
  switch (info.access) {
    case Access::anyone:
    case Access::in_form:
      return bucket;
    case Access::signed_in:
    case Access::bucket_owner:
      break;
  }
  if (Refusal refused = check_identity(request, info)) {
    return *std::move(refused);
  }
  if (info.access == Access::bucket_owner) {
    Outcome<std::shared_ptr<const BucketInfo>> own = own_bucket(request, store);
    if (!own) {
      return own;
    }
    bucket = *std::move(own);
  }
  if (Refusal refused = check_wishes(request)) {
    return *std::move(refused);
  }
  return bucket;
}

Outcome<std::shared_ptr<const BucketInfo>> authorise_form(const AccessRequest& request,
                                                          const ObjectStore& store) {
  if (request.who.anonymous()) {
    return make_error(ErrorCode::access_denied);
  }
  Outcome<std::shared_ptr<const BucketInfo>> bucket = own_bucket(request, store);
  if (bucket) {
    if (Refusal refused = check_wishes(request)) {
      return *std::move(refused);
    }
  }
  return bucket;
}

Refusal authorise_source(const AccessRequest& request, const BucketInfo* bucket,
                         std::string_view bucket_name) {
  if (bucket == nullptr) {
    return make_error(ErrorCode::no_such_bucket, {{"BucketName", bucket_name}});
  }
  const auto expected = request.who.header(request.head, "x-amz-source-expected-bucket-owner");
  if (request.who.anonymous() || bucket->owner != request.who.identity().user_id ||
      (expected && *expected != bucket->owner)) {
    return make_error(ErrorCode::access_denied);
  }
  return std::nullopt;
}

}  // namespace mote::s3
