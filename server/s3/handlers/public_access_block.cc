#include <optional>
#include <string>

#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/bucket_document.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

// Nothing here is ever public: ACLs are disabled and there are no bucket policies. The four
// settings restrict what does not exist, so keeping and returning them is all there is to do.
namespace mote::s3 {

namespace {

using Settings = xml::PublicAccessBlockDocument;

constexpr std::string_view kDocumentName = "publicAccessBlock";
constexpr std::size_t kBytesMax = 64 * kKiB;
/// A new bucket blocks everything (AWS since April 2023).
constexpr Settings kNewBucket = {true, true, true, true};

/// Stored as one letter for each setting that is on, in the order of the document; a configuration
/// that was deleted is kept as `-`, so that the default of a new bucket does not come back.
constexpr std::string_view kDeleted = "-";

std::string encode(const Settings& settings) {
  std::string out;
  out.append(settings.block_public_acls ? "a" : "");
  out.append(settings.ignore_public_acls ? "i" : "");
  out.append(settings.block_public_policy ? "p" : "");
  out.append(settings.restrict_public_buckets ? "r" : "");
  return out;
}

std::optional<Settings> decode(std::string_view stored) {
  if (stored == kDeleted) {
    return std::nullopt;
  }
  const auto has = [stored](char letter) { return stored.find(letter) != std::string_view::npos; };
  return Settings{has('a'), has('i'), has('p'), has('r')};
}

std::optional<Settings> settings_of(const BucketInfo& bucket) {
  const std::string* const stored = stored_document(bucket, kDocumentName);
  return stored == nullptr ? std::optional(kNewBucket) : decode(*stored);
}

Async<Answer> store(Call& call, std::string content, std::uint16_t status) {
  Refusal refused = co_await store_document(call, kDocumentName, std::move(content));
  if (refused) {
    co_return *std::move(refused);
  }
  co_return empty_reply(status);
}

}  // namespace

Async<Answer> get_public_access_block(Call& call) {
  const std::optional<Settings> settings = settings_of(*call.bucket);
  if (!settings) {
    co_return make_error(ErrorCode::no_such_public_access_block,
                         {{"BucketName", call.route.bucket}});
  }
  xml::Writer writer("PublicAccessBlockConfiguration");
  writer.boolean("BlockPublicAcls", settings->block_public_acls);
  writer.boolean("IgnorePublicAcls", settings->ignore_public_acls);
  writer.boolean("BlockPublicPolicy", settings->block_public_policy);
  writer.boolean("RestrictPublicBuckets", settings->restrict_public_buckets);
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> put_public_access_block(Call& call) {
  const Outcome<std::string> text = co_await read_document(call, kBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  const std::optional<Settings> settings = xml::read_public_access_block(*text);
  if (!settings) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  co_return co_await store(call, encode(*settings), 200);
}

Async<Answer> delete_public_access_block(Call& call) {
  co_return co_await store(call, std::string(kDeleted), 204);
}

}  // namespace mote::s3
