#include <optional>

#include "server/http/limits.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/read_plan.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/lifecycle_check.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

std::string document(std::string_view root) {
  xml::Writer writer(root);
  return std::move(writer).finish();
}

std::string empty_list(std::string_view root) {
  xml::Writer writer(root);
  writer.boolean("IsTruncated", false);
  return std::move(writer).finish();
}

std::string request_payment() {
  xml::Writer writer("RequestPaymentConfiguration");
  writer.text("Payer", "BucketOwner");
  return std::move(writer).finish();
}

/// The error S3 gives where a bucket has no such configuration.
std::optional<ErrorCode> missing(Op op) noexcept {
  switch (op) {
    case Op::get_bucket_policy:
    case Op::get_bucket_policy_status:
      return ErrorCode::no_such_bucket_policy;
    case Op::get_bucket_lifecycle:
      return ErrorCode::no_such_lifecycle_configuration;
    case Op::get_bucket_cors:
      return ErrorCode::no_such_cors_configuration;
    case Op::get_bucket_encryption:
      return ErrorCode::sse_configuration_not_found;
    case Op::get_bucket_website:
      return ErrorCode::no_such_website_configuration;
    case Op::get_bucket_replication:
      return ErrorCode::replication_configuration_not_found;
    case Op::get_object_lock:
      return ErrorCode::object_lock_configuration_not_found;
    case Op::get_bucket_analytics:
    case Op::get_bucket_intelligent_tiering:
    case Op::get_bucket_inventory:
    case Op::get_bucket_metrics:
      return ErrorCode::no_such_configuration;
    default:
      return std::nullopt;
  }
}

/// The document S3 gives for a new bucket; "" if the operation is none of these.
std::string default_document(Op op) {
  switch (op) {
    case Op::get_bucket_accelerate:
      return document("AccelerateConfiguration");
    case Op::get_bucket_logging:
      return document("BucketLoggingStatus");
    case Op::get_bucket_notification:
      return document("NotificationConfiguration");
    case Op::get_bucket_request_payment:
      return request_payment();
    case Op::list_bucket_analytics:
      return empty_list("ListBucketAnalyticsConfigurationResult");
    case Op::list_bucket_intelligent_tiering:
      return empty_list("ListBucketIntelligentTieringConfigurationsOutput");
    case Op::list_bucket_inventory:
      return empty_list("ListInventoryConfigurationsResult");
    case Op::list_bucket_metrics:
      return empty_list("ListMetricsConfigurationsResult");
    default:
      return {};
  }
}

}  // namespace

Async<Answer> bucket_default(Call& call) {
  if (const std::optional<ErrorCode> code = missing(call.route.op)) {
    co_return make_error(*code, {{"BucketName", call.route.bucket}});
  }
  co_return xml_reply(default_document(call.route.op));
}

/// Retention and legal hold of an object in a bucket without object lock.
Async<Answer> object_default(Call& call) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> head = co_await engine::head(call.services.store, *std::move(ref));
  if (!head) {
    co_return read_error(call, head.error());
  }
  co_return make_error(ErrorCode::invalid_request, "Bucket is missing Object Lock Configuration");
}

/// S3 answers 204 whether or not there was a configuration to delete.
Async<Answer> delete_default(Call& /*call*/) {
  co_return empty_reply(204);
}

/// Object lock needs versioning first; beyond that it is not built.
Async<Answer> put_object_lock(Call& call) {
  if (call.bucket->versioning != Versioning::enabled) {
    co_return make_error(
        ErrorCode::invalid_bucket_state,
        "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration");
  }
  co_return operation_not_implemented(call.route.op);
}

/// What S3 refuses is refused; a sound configuration is not built.
Async<Answer> put_bucket_lifecycle(Call& call) {
  const Outcome<std::string> text =
      co_await read_document(call, http::kXmlBodyBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  Refusal refused = check_lifecycle(*text);
  if (refused) {
    co_return *std::move(refused);
  }
  co_return operation_not_implemented(call.route.op);
}

Async<Answer> preflight(Call& /*call*/) {
  co_return make_error(ErrorCode::access_forbidden);
}

}  // namespace mote::s3
