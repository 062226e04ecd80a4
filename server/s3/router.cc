#include "server/s3/router.h"

#include <array>
#include <optional>
#include <span>

#include "server/http/header_map.h"
#include "server/s3/names.h"

namespace mote::s3 {

namespace {

using http::Method;

/// One row of the S3 API: a sub-resource, and the operation each method means on it. Rows are tried
/// in order, so that `?versionId=..&tagging` is tagging and `?uploadId=..&partNumber=..` is a part.
struct SubResource {
  std::string_view name;
  std::optional<Op> get = std::nullopt;
  std::optional<Op> put = std::nullopt;
  std::optional<Op> post = std::nullopt;
  std::optional<Op> delete_ = std::nullopt;
};

constexpr std::array kBucketSubResources = {
    SubResource{.name = "abac", .get = Op::get_bucket_abac, .put = Op::put_bucket_abac},
    SubResource{
        .name = "accelerate", .get = Op::get_bucket_accelerate, .put = Op::put_bucket_accelerate},
    SubResource{.name = "acl", .get = Op::get_bucket_acl, .put = Op::put_bucket_acl},
    SubResource{.name = "analytics",
                .get = Op::get_bucket_analytics,
                .put = Op::put_bucket_analytics,
                .delete_ = Op::delete_bucket_analytics},
    SubResource{.name = "cors",
                .get = Op::get_bucket_cors,
                .put = Op::put_bucket_cors,
                .delete_ = Op::delete_bucket_cors},
    SubResource{.name = "delete", .post = Op::delete_objects},
    SubResource{.name = "encryption",
                .get = Op::get_bucket_encryption,
                .put = Op::put_bucket_encryption,
                .delete_ = Op::delete_bucket_encryption},
    SubResource{.name = "intelligent-tiering",
                .get = Op::get_bucket_intelligent_tiering,
                .put = Op::put_bucket_intelligent_tiering,
                .delete_ = Op::delete_bucket_intelligent_tiering},
    SubResource{.name = "inventory",
                .get = Op::get_bucket_inventory,
                .put = Op::put_bucket_inventory,
                .delete_ = Op::delete_bucket_inventory},
    SubResource{.name = "lifecycle",
                .get = Op::get_bucket_lifecycle,
                .put = Op::put_bucket_lifecycle,
                .delete_ = Op::delete_bucket_lifecycle},
    SubResource{.name = "location", .get = Op::get_bucket_location},
    SubResource{.name = "logging", .get = Op::get_bucket_logging, .put = Op::put_bucket_logging},
    SubResource{.name = "metadataConfiguration",
                .get = Op::get_bucket_metadata,
                .post = Op::create_bucket_metadata,
                .delete_ = Op::delete_bucket_metadata},
    SubResource{.name = "metadataInventoryTable", .put = Op::update_bucket_inventory_table},
    SubResource{.name = "metadataJournalTable", .put = Op::update_bucket_journal_table},
    SubResource{.name = "metadataTable",
                .get = Op::get_bucket_metadata_table,
                .post = Op::create_bucket_metadata_table,
                .delete_ = Op::delete_bucket_metadata_table},
    SubResource{.name = "metrics",
                .get = Op::get_bucket_metrics,
                .put = Op::put_bucket_metrics,
                .delete_ = Op::delete_bucket_metrics},
    SubResource{.name = "notification",
                .get = Op::get_bucket_notification,
                .put = Op::put_bucket_notification},
    SubResource{.name = "object-lock", .get = Op::get_object_lock, .put = Op::put_object_lock},
    SubResource{.name = "ownershipControls",
                .get = Op::get_bucket_ownership_controls,
                .put = Op::put_bucket_ownership_controls,
                .delete_ = Op::delete_bucket_ownership_controls},
    SubResource{.name = "policy",
                .get = Op::get_bucket_policy,
                .put = Op::put_bucket_policy,
                .delete_ = Op::delete_bucket_policy},
    SubResource{.name = "policyStatus", .get = Op::get_bucket_policy_status},
    SubResource{.name = "publicAccessBlock",
                .get = Op::get_public_access_block,
                .put = Op::put_public_access_block,
                .delete_ = Op::delete_public_access_block},
    SubResource{.name = "replication",
                .get = Op::get_bucket_replication,
                .put = Op::put_bucket_replication,
                .delete_ = Op::delete_bucket_replication},
    SubResource{.name = "requestPayment",
                .get = Op::get_bucket_request_payment,
                .put = Op::put_bucket_request_payment},
    SubResource{.name = "session", .get = Op::create_session},
    SubResource{.name = "tagging",
                .get = Op::get_bucket_tagging,
                .put = Op::put_bucket_tagging,
                .delete_ = Op::delete_bucket_tagging},
    SubResource{.name = "uploads", .get = Op::list_multipart_uploads},
    SubResource{
        .name = "versioning", .get = Op::get_bucket_versioning, .put = Op::put_bucket_versioning},
    SubResource{.name = "versions", .get = Op::list_object_versions},
    SubResource{.name = "website",
                .get = Op::get_bucket_website,
                .put = Op::put_bucket_website,
                .delete_ = Op::delete_bucket_website},
};

constexpr std::array kObjectSubResources = {
    SubResource{.name = "acl", .get = Op::get_object_acl, .put = Op::put_object_acl},
    SubResource{.name = "attributes", .get = Op::get_object_attributes},
    SubResource{
        .name = "legal-hold", .get = Op::get_object_legal_hold, .put = Op::put_object_legal_hold},
    SubResource{.name = "renameObject", .put = Op::rename_object},
    SubResource{.name = "restore", .post = Op::restore_object},
    SubResource{
        .name = "retention", .get = Op::get_object_retention, .put = Op::put_object_retention},
    SubResource{.name = "select", .post = Op::select_object_content},
    SubResource{.name = "tagging",
                .get = Op::get_object_tagging,
                .put = Op::put_object_tagging,
                .delete_ = Op::delete_object_tagging},
    SubResource{.name = "torrent", .get = Op::get_object_torrent},
    SubResource{.name = "uploads", .post = Op::create_multipart_upload},
    SubResource{.name = "uploadId",
                .get = Op::list_parts,
                .put = Op::upload_part,
                .post = Op::complete_multipart_upload,
                .delete_ = Op::abort_multipart_upload},
};

S3Error method_not_allowed(const RouteInput& input, std::string_view resource_type) {
  return make_error(ErrorCode::method_not_allowed,
                    {{"Method", input.method_text}, {"ResourceType", resource_type}});
}

const SubResource* find_sub_resource(std::span<const SubResource> rows,
                                     const http::Target& target) noexcept {
  for (const SubResource& row : rows) {
    if (target.has(row.name)) {
      return &row;
    }
  }
  return nullptr;
}

std::optional<Op> pick(const SubResource& row, Method method) noexcept {
  switch (method) {
    case Method::get:
      return row.get;
    case Method::put:
      return row.put;
    case Method::post:
      return row.post;
    case Method::delete_:
      return row.delete_;
    case Method::head:
    case Method::options:
    case Method::other:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The configurations that come several to a bucket: without an id GET lists them.
Op list_form(Op op, const http::Target& target) noexcept {
  if (target.has("id")) {
    return op;
  }
  switch (op) {
    case Op::get_bucket_analytics:
      return Op::list_bucket_analytics;
    case Op::get_bucket_intelligent_tiering:
      return Op::list_bucket_intelligent_tiering;
    case Op::get_bucket_inventory:
      return Op::list_bucket_inventory;
    case Op::get_bucket_metrics:
      return Op::list_bucket_metrics;
    default:
      return op;
  }
}

Outcome<Op> route_bucket(const RouteInput& input) {
  if (input.method == Method::head) {
    return Op::head_bucket;
  }
  if (const SubResource* row = find_sub_resource(kBucketSubResources, input.target)) {
    const std::optional<Op> op = pick(*row, input.method);
    if (!op) {
      return method_not_allowed(input, "BUCKET");
    }
    return list_form(*op, input.target);
  }
  switch (input.method) {
    case Method::get:
      return input.target.value("list-type") == "2" ? Op::list_objects_v2 : Op::list_objects;
    case Method::put:
      return Op::create_bucket;
    case Method::delete_:
      return Op::delete_bucket;
    case Method::post:
      if (http::starts_with_ignore_case(input.content_type, "multipart/form-data")) {
        return Op::post_object;
      }
      return method_not_allowed(input, "BUCKET");
    case Method::head:
    case Method::options:
    case Method::other:
      return method_not_allowed(input, "BUCKET");
  }
  return method_not_allowed(input, "BUCKET");
}

Outcome<Op> route_object(const RouteInput& input) {
  if (input.method == Method::head) {
    return Op::head_object;
  }
  if (const SubResource* row = find_sub_resource(kObjectSubResources, input.target)) {
    const std::optional<Op> op = pick(*row, input.method);
    if (!op) {
      return method_not_allowed(input, "OBJECT");
    }
    if (*op == Op::upload_part && input.has_copy_source) {
      return Op::upload_part_copy;
    }
    return *op;
  }
  switch (input.method) {
    case Method::get:
      return Op::get_object;
    case Method::put:
      if (input.target.has("partNumber")) {
        return make_error(
            ErrorCode::invalid_argument,
            "This operation does not accept partNumber without uploadId",
            {{"ArgumentName", "partNumber"}, {"ArgumentValue", input.target.value("partNumber")}});
      }
      return input.has_copy_source ? Op::copy_object : Op::put_object;
    case Method::delete_:
      return Op::delete_object;
    case Method::post:
    case Method::head:
    case Method::options:
    case Method::other:
      return method_not_allowed(input, "OBJECT");
  }
  return method_not_allowed(input, "OBJECT");
}

}  // namespace

Outcome<Route> route(const RouteInput& input) {
  const http::Address address = http::split_path(input.target.path(), input.host_bucket);
  Route out{.op = Op::list_buckets, .bucket = address.bucket, .key = address.key};
  if (input.method == Method::options) {
    out.op = Op::preflight;
    return out;
  }
  if (address.bucket.empty() && address.key.empty()) {
    if (input.method != Method::get) {
      return method_not_allowed(input, "SERVICE");
    }
    return out;
  }
  if (!is_valid_bucket_name(address.bucket)) {
    return make_error(ErrorCode::invalid_bucket_name, {{"BucketName", address.bucket}});
  }
  if (!address.key.empty()) {
    if (Refusal refused = check_key(address.key)) {
      return *std::move(refused);
    }
  }
  Outcome<Op> op = address.key.empty() ? route_bucket(input) : route_object(input);
  if (!op) {
    return std::move(op).error();
  }
  out.op = *op;
  return out;
}

}  // namespace mote::s3
