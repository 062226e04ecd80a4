#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/listing.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/list_token.h"

namespace mote::s3 {

namespace {

/// Room for one entry beside its key, so that a page is built without moving it.
constexpr std::size_t kEntryBytes = 400;

struct Query {
  std::string_view prefix;
  std::string_view delimiter;
  std::uint32_t page = 0;
  xml::Encoding encoding = xml::Encoding::none;
};

Outcome<Query> read_query(const Call& call) {
  const Outcome<std::uint32_t> page = page_size_param(call, "max-keys");
  if (!page) {
    return page.error();
  }
  const Outcome<bool> url = wants_url_encoding(call);
  if (!url) {
    return url.error();
  }
  return Query{.prefix = call.param("prefix"),
               .delimiter = call.param("delimiter"),
               .page = *page,
               .encoding = *url ? xml::Encoding::url : xml::Encoding::none};
}

void write_contents(xml::Writer& writer, const ListPage& page, xml::Encoding encoding,
                    const OwnerName* owner) {
  for (const ListEntry& entry : page.entries) {
    writer.open("Contents").key("Key", entry.key, encoding);
    writer.date("LastModified", entry.head->modified_ms);
    writer.etag("ETag", mote::to_text(entry.head->etag));
    write_checksum_names(writer, *entry.head);
    writer.number("Size", entry.head->bytes);
    if (owner != nullptr) {
      write_owner(writer, "Owner", *owner);
    }
    writer.text("StorageClass", "STANDARD").close("Contents");
  }
}

Async<Result<ListPage>> fetch(Call& call, Query query, std::string after) {
  if (query.page == 0) {
    co_return ListPage{};
  }
  ListRequest request;
  request.bucket = call.route.bucket;
  request.prefix = query.prefix;
  request.delimiter = query.delimiter;
  request.after = std::move(after);
  request.entries_max = query.page;
  co_return co_await engine::list(call.services.store, std::move(request));
}

void write_common(xml::Writer& writer, const Call& call, const Query& query, bool truncated) {
  writer.text("Name", call.route.bucket).key("Prefix", query.prefix, query.encoding);
  writer.number("MaxKeys", query.page);
  if (!query.delimiter.empty()) {
    writer.key("Delimiter", query.delimiter, query.encoding);
  }
  if (query.encoding == xml::Encoding::url) {
    writer.text("EncodingType", "url");
  }
  writer.boolean("IsTruncated", truncated);
}

std::size_t expected_bytes(const ListPage& page) {
  return (page.entries.size() + page.common_prefixes.size()) * kEntryBytes;
}

/// S3 gives NextMarker with a delimiter only, as the last key says it otherwise; a page that was
/// cut short elsewhere must say where.
bool needs_next_marker(const Query& query, const ListPage& page) {
  return !query.delimiter.empty() || page.entries.empty() ||
         page.entries.back().key != page.next_after;
}

/// Tokens belong to the bucket as it is now: one that was deleted and made again has another id.
std::string token_scope(const BucketInfo& bucket) {
  return std::to_string(bucket.id);
}

}  // namespace

Async<Answer> list_objects(Call& call) {
  const Outcome<Query> query = read_query(call);
  if (!query) {
    co_return query.error();
  }
  const std::string_view marker = call.param("marker");
  const Result<ListPage> page = co_await fetch(call, *query, std::string(marker));
  if (!page) {
    co_return call.mapped(page.error());
  }
  const OwnerName owner = owner_name(call, call.bucket->owner);
  xml::Writer writer("ListBucketResult");
  writer.reserve(expected_bytes(*page));
  write_common(writer, call, *query, page->truncated);
  writer.key("Marker", marker, query->encoding);
  if (page->truncated && needs_next_marker(*query, *page)) {
    writer.key("NextMarker", page->next_after, query->encoding);
  }
  write_contents(writer, *page, query->encoding, &owner);
  write_common_prefixes(writer, page->common_prefixes, query->encoding);
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> list_objects_v2(Call& call) {
  const Outcome<Query> query = read_query(call);
  if (!query) {
    co_return query.error();
  }
  const std::string scope = token_scope(*call.bucket);
  const std::string_view start_after = call.param("start-after");
  const http::QueryParam* token = call.target.find("continuation-token");
  std::string after(start_after);
  if (token != nullptr && !token->value.empty()) {
    std::optional<std::string> read = read_list_token(scope, token->value);
    if (!read) {
      co_return invalid_argument("The continuation token provided is incorrect",
                                 "continuation-token", token->value);
    }
    after = *std::move(read);
  }
  const Result<ListPage> page = co_await fetch(call, *query, std::move(after));
  if (!page) {
    co_return call.mapped(page.error());
  }
  const OwnerName owner = owner_name(call, call.bucket->owner);
  const bool with_owner = call.param("fetch-owner") == "true";
  xml::Writer writer("ListBucketResult");
  writer.reserve(expected_bytes(*page));
  write_common(writer, call, *query, page->truncated);
  writer.number("KeyCount", page->entries.size() + page->common_prefixes.size());
  if (token != nullptr) {
    writer.text("ContinuationToken", token->value);
  }
  if (!start_after.empty()) {
    writer.key("StartAfter", start_after, query->encoding);
  }
  if (page->truncated) {
    writer.text("NextContinuationToken", make_list_token(scope, page->next_after));
  }
  write_contents(writer, *page, query->encoding, with_owner ? &owner : nullptr);
  write_common_prefixes(writer, page->common_prefixes, query->encoding);
  co_return xml_reply(std::move(writer).finish());
}

}  // namespace mote::s3
