#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/bucket_document.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/read_plan.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/tag_set.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

constexpr std::string_view kDocumentName = "tagging";
constexpr std::size_t kTaggingBytesMax = 128 * kKiB;

Reply tagging_reply(const TagSet& tags) {
  xml::Writer writer("Tagging");
  writer.open("TagSet");
  for (const auto& [key, value] : tags) {
    writer.open("Tag").text("Key", key).text("Value", value).close("Tag");
  }
  writer.close("TagSet");
  return xml_reply(std::move(writer).finish());
}

/// The encoded tags of a Tagging document.
Async<Outcome<std::string>> read_tags(Call& call, std::size_t tags_max) {
  const Outcome<std::string> text =
      co_await read_document(call, kTaggingBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  std::optional<xml::TagList> tags = xml::read_tagging(*text);
  if (!tags) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  Refusal checked = check_tags(*tags, tags_max);
  if (checked) {
    co_return *std::move(checked);
  }
  co_return text_outcome(encode_tags(*std::move(tags)));
}

Async<Answer> update_bucket_tags(Call& call, std::optional<std::string> tags) {
  Refusal refused = co_await store_document(call, kDocumentName, std::move(tags));
  if (refused) {
    co_return *std::move(refused);
  }
  co_return empty_reply(204);
}

Async<Answer> update_object_tags(Call& call, std::string tags, std::uint16_t status) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> head =
      co_await engine::set_tags(call.services.store, *std::move(ref), std::move(tags));
  if (!head) {
    co_return read_error(call, head.error());
  }
  http::HeaderBlock block;
  add_version(block, **head);
  co_return empty_reply(status, std::string(block.text()));
}

}  // namespace

Async<Answer> get_bucket_tagging(Call& call) {
  const std::string* stored = stored_document(*call.bucket, kDocumentName);
  if (stored == nullptr) {
    co_return make_error(ErrorCode::no_such_tag_set, {{"BucketName", call.route.bucket}});
  }
  co_return tagging_reply(decode_tags(*stored));
}

Async<Answer> put_bucket_tagging(Call& call) {
  Outcome<std::string> tags = co_await read_tags(call, kBucketTagsMax);
  if (!tags) {
    co_return std::move(tags).error();
  }
  co_return co_await update_bucket_tags(call, *std::move(tags));
}

Async<Answer> delete_bucket_tagging(Call& call) {
  co_return co_await update_bucket_tags(call, std::nullopt);
}

Async<Answer> get_object_tagging(Call& call) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> head = co_await engine::head(call.services.store, *std::move(ref));
  if (!head) {
    co_return read_error(call, head.error());
  }
  Reply reply = tagging_reply(decode_tags((*head)->attributes.tags));
  http::HeaderBlock block;
  add_version(block, **head);
  reply.head.append(block.text());
  co_return reply;
}

Async<Answer> put_object_tagging(Call& call) {
  Outcome<std::string> tags = co_await read_tags(call, kObjectTagsMax);
  if (!tags) {
    co_return std::move(tags).error();
  }
  co_return co_await update_object_tags(call, *std::move(tags), 200);
}

Async<Answer> delete_object_tagging(Call& call) {
  co_return co_await update_object_tags(call, std::string(), 204);
}

}  // namespace mote::s3
