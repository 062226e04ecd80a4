#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/listing.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/ids.h"

namespace mote::s3 {

namespace {

struct Query {
  std::uint32_t page = 0;
  xml::Encoding encoding = xml::Encoding::none;
  ListVersionsRequest request;
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
  Query out;
  out.page = *page;
  out.encoding = *url ? xml::Encoding::url : xml::Encoding::none;
  out.request.bucket = call.route.bucket;
  out.request.prefix = call.param("prefix");
  out.request.delimiter = call.param("delimiter");
  out.request.key_marker = call.param("key-marker");
  out.request.entries_max = *page;
  const std::string_view marker = call.param("version-id-marker");
  if (marker.empty()) {
    return out;
  }
  if (out.request.key_marker.empty()) {
    return invalid_argument("A version-id marker cannot be specified without a key marker.",
                            "version-id-marker", marker);
  }
  out.request.version_marker = parse_version_id(marker);
  if (!out.request.version_marker) {
    return invalid_argument("Invalid version id specified", "version-id-marker", marker);
  }
  return out;
}

/// Nothing but these elements at the top: minio-go's reader fails on any other (wire.md 1.2).
void write_head(xml::Writer& writer, const Call& call, const Query& query,
                const ListVersionsPage& page) {
  const xml::Encoding encoding = query.encoding;
  writer.text("Name", call.route.bucket).key("Prefix", call.param("prefix"), encoding);
  writer.key("KeyMarker", call.param("key-marker"), encoding);
  writer.text("VersionIdMarker", call.param("version-id-marker"));
  if (page.truncated) {
    writer.key("NextKeyMarker", page.next_key, encoding);
    // A page that ends with a common prefix goes on behind it: there is no version to name.
    if (!page.entries.empty() && page.entries.back().key == page.next_key) {
      writer.text("NextVersionIdMarker", to_text(page.next_version));
    }
  }
  writer.number("MaxKeys", query.page);
  if (const std::string_view delimiter = call.param("delimiter"); !delimiter.empty()) {
    writer.key("Delimiter", delimiter, encoding);
  }
  if (encoding == xml::Encoding::url) {
    writer.text("EncodingType", "url");
  }
  writer.boolean("IsTruncated", page.truncated);
}

void write_entry(xml::Writer& writer, const VersionEntry& entry, xml::Encoding encoding,
                 const OwnerName& owner) {
  const ObjectHead& head = *entry.head;
  const char* const element = head.delete_marker ? "DeleteMarker" : "Version";
  writer.open(element).key("Key", entry.key, encoding);
  writer.text("VersionId", to_text(head.version)).boolean("IsLatest", entry.latest);
  writer.date("LastModified", head.modified_ms);
  if (!head.delete_marker) {
    writer.etag("ETag", mote::to_text(head.etag));
    write_checksum_names(writer, head);
    writer.number("Size", head.bytes).text("StorageClass", "STANDARD");
  }
  write_owner(writer, "Owner", owner);
  writer.close(element);
}

}  // namespace

Async<Answer> list_object_versions(Call& call) {
  Outcome<Query> query = read_query(call);
  if (!query) {
    co_return std::move(query).error();
  }
  Result<ListVersionsPage> page = ListVersionsPage{};
  if (query->page > 0) {
    page = co_await engine::list_versions(call.services.store, query->request);
  }
  if (!page) {
    co_return call.mapped(page.error());
  }
  const OwnerName owner = owner_name(call, call.bucket->owner);
  xml::Writer writer("ListVersionsResult");
  write_head(writer, call, *query, *page);
  for (const VersionEntry& entry : page->entries) {
    write_entry(writer, entry, query->encoding, owner);
  }
  write_common_prefixes(writer, page->common_prefixes, query->encoding);
  co_return xml_reply(std::move(writer).finish());
}

}  // namespace mote::s3
