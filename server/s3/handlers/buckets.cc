#include <algorithm>

#include "server/http/limits.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/list_token.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

constexpr std::uint32_t kBucketsMax = 10'000;
constexpr std::size_t kConfigurationBytesMax = 64 * kKiB;
constexpr std::string_view kDefaultRegion = "us-east-1";

std::string_view region_of(const Call& call, const BucketInfo& bucket) noexcept {
  return bucket.region.empty() ? call.services.options.region_name()
                               : std::string_view(bucket.region);
}

/// The caller's buckets that the request asks for, by name; one more than fits tells that more
/// follow.
std::vector<std::shared_ptr<const BucketInfo>> own_buckets(const Call& call,
                                                           std::string_view after) {
  std::vector<std::shared_ptr<const BucketInfo>> buckets = call.services.store.list_buckets();
  const std::string_view prefix = call.param("prefix");
  const std::string_view region = call.param("bucket-region");
  const std::string& owner = call.who.identity().user_id;
  std::erase_if(buckets, [&](const auto& bucket) {
    return bucket->owner != owner || !bucket->name.starts_with(prefix) || bucket->name <= after ||
           (!region.empty() && region_of(call, *bucket) != region);
  });
  std::sort(buckets.begin(), buckets.end(),
            [](const auto& a, const auto& b) { return a->name < b->name; });
  return buckets;
}

bool is_region_text(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 63 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// The region a new bucket is in; "" stands for us-east-1.
Outcome<std::string> bucket_region(const Call& call, const std::string& constraint) {
  if (constraint.empty() || constraint == kDefaultRegion) {
    return text_outcome({});
  }
  if (!is_region_text(constraint)) {
    return make_error(ErrorCode::invalid_location_constraint, {{"LocationConstraint", constraint}});
  }
  const std::optional<std::string>& own = call.services.options.region;
  if (own && *own != constraint) {
    return make_error(ErrorCode::illegal_location_constraint,
                      "The " + constraint +
                          " location constraint is incompatible for the region specific endpoint "
                          "this request was sent to.");
  }
  return text_outcome(constraint);
}

S3Error taken(const Call& call) {
  const std::shared_ptr<const BucketInfo> bucket =
      call.services.store.find_bucket(call.route.bucket);
  const bool own = bucket != nullptr && bucket->owner == call.who.identity().user_id;
  return make_error(own ? ErrorCode::bucket_already_owned_by_you : ErrorCode::bucket_already_exists,
                    {{"BucketName", call.route.bucket}});
}

}  // namespace

Async<Answer> list_buckets(Call& call) {
  const Outcome<std::uint32_t> page =
      integer_param(call, "max-buckets", {.min = 1, .max = kBucketsMax, .absent = kBucketsMax});
  if (!page) {
    co_return page.error();
  }
  const auth::Identity& owner = call.who.identity();
  std::string after;
  if (const std::string_view token = call.param("continuation-token"); !token.empty()) {
    std::optional<std::string> read = read_list_token(owner.user_id, token);
    if (!read) {
      co_return invalid_argument("The continuation token provided is incorrect",
                                 "continuation-token", token);
    }
    after = *std::move(read);
  }
  const auto buckets = own_buckets(call, after);
  const std::size_t count = std::min<std::size_t>(buckets.size(), *page);
  xml::Writer writer("ListAllMyBucketsResult");
  writer.open("Owner").text("ID", owner.user_id).text("DisplayName", owner.display_name);
  writer.close("Owner").open("Buckets");
  for (std::size_t i = 0; i < count; ++i) {
    writer.open("Bucket").text("Name", buckets[i]->name);
    writer.date("CreationDate", buckets[i]->created_ms);
    writer.text("BucketRegion", region_of(call, *buckets[i])).close("Bucket");
  }
  writer.close("Buckets");
  if (const std::string_view prefix = call.param("prefix"); !prefix.empty()) {
    writer.text("Prefix", prefix);
  }
  if (count < buckets.size()) {
    writer.text("ContinuationToken", make_list_token(owner.user_id, buckets[count - 1]->name));
  }
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> create_bucket(Call& call) {
  if (call.header("x-amz-bucket-object-lock-enabled").value_or("false") != "false") {
    co_return make_error(ErrorCode::not_implemented,
                         {{"Header", "x-amz-bucket-object-lock-enabled"}});
  }
  if (const auto wish = call.header("x-amz-object-ownership");
      wish && *wish != "BucketOwnerEnforced") {
    co_return make_error(ErrorCode::not_implemented, {{"Header", "x-amz-object-ownership"}});
  }
  const Outcome<std::string> text =
      co_await read_document(call, kConfigurationBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  const std::optional<xml::CreateBucketDocument> document = xml::read_create_bucket(*text);
  if (!document) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  if (document->directory) {
    co_return not_implemented("Directory buckets are not implemented.");
  }
  Outcome<std::string> region = bucket_region(call, document->location);
  if (!region) {
    co_return std::move(region).error();
  }
  CreateBucketRequest request{.name = std::string(call.route.bucket),
                              .owner = call.who.identity().user_id,
                              .region = *std::move(region)};
  const bool default_region = request.region.empty();
  const Result<engine::BucketPtr> made =
      co_await engine::create_bucket(call.services.store, std::move(request));
  if (!made && made.error().code != Errc::bucket_exists) {
    co_return call.mapped(made.error());
  }
  if (!made) {
    S3Error refused = taken(call);
    // In us-east-1 S3 answers 200 when the owner creates a bucket again.
    if (!default_region || refused.code != describe(ErrorCode::bucket_already_owned_by_you).code) {
      co_return refused;
    }
  }
  http::HeaderBlock block;
  block.add("Location", "/" + std::string(call.route.bucket));
  co_return empty_reply(200, std::string(block.text()));
}

Async<Answer> head_bucket(Call& call) {
  http::HeaderBlock block;
  block.add("x-amz-bucket-region", region_of(call, *call.bucket));
  block.add("x-amz-access-point-alias", "false");
  block.add("Content-Type", "application/xml");
  co_return empty_reply(200, std::string(block.text()));
}

Async<Answer> delete_bucket(Call& call) {
  const Status done =
      co_await engine::delete_bucket(call.services.store, std::string(call.route.bucket));
  if (!done) {
    co_return call.mapped(done.error());
  }
  co_return empty_reply(204);
}

Async<Answer> get_bucket_location(Call& call) {
  xml::Writer writer("LocationConstraint");
  std::string document = std::move(writer).finish();
  const std::string_view region = region_of(call, *call.bucket);
  if (region != kDefaultRegion) {
    // The one document whose root is a scalar.
    document.insert(document.rfind("</"), region);
  }
  co_return xml_reply(std::move(document));
}

Async<Answer> get_bucket_versioning(Call& call) {
  xml::Writer writer("VersioningConfiguration");
  if (call.bucket->versioning != Versioning::off) {
    writer.text("Status", call.bucket->versioning == Versioning::enabled ? "Enabled" : "Suspended");
  }
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> put_bucket_versioning(Call& call) {
  const Outcome<std::string> text =
      co_await read_document(call, kConfigurationBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  const std::optional<xml::VersioningDocument> document = xml::read_versioning(*text);
  if (!document) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  if (document->mfa_delete) {
    co_return not_implemented("MfaDelete is not implemented.");
  }
  UpdateBucketRequest request;
  request.name = call.route.bucket;
  request.versioning = document->enabled ? Versioning::enabled : Versioning::suspended;
  const Result<engine::BucketPtr> updated =
      co_await engine::update_bucket(call.services.store, std::move(request));
  if (!updated) {
    co_return call.mapped(updated.error());
  }
  co_return empty_reply(200);
}

}  // namespace mote::s3
