#include "server/s3/handlers/bucket_document.h"

#include <algorithm>

#include "server/s3/handlers/engine.h"

namespace mote::s3 {

const std::string* stored_document(const BucketInfo& bucket, std::string_view name) noexcept {
  const auto& documents = bucket.documents;
  const auto at = std::find_if(documents.begin(), documents.end(),
                               [name](const auto& document) { return document.first == name; });
  return at == documents.end() ? nullptr : &at->second;
}

Async<Refusal> store_document(Call& call, std::string_view name,
                              std::optional<std::string> content) {
  UpdateBucketRequest request;
  request.name = call.route.bucket;
  request.document = name;
  request.content = std::move(content);
  const Result<engine::BucketPtr> updated =
      co_await engine::update_bucket(call.services.store, std::move(request));
  if (!updated) {
    co_return call.mapped(updated.error());
  }
  co_return std::nullopt;
}

}  // namespace mote::s3
