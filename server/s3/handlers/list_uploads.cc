#include <algorithm>

#include "server/http/limits.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/listing.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/handlers/upload_call.h"

namespace mote::s3 {

namespace {

void write_upload_checksum(xml::Writer& writer, const UploadInfo& info) {
  if (const auto algorithm = to_algorithm(info.checksum)) {
    writer.text("ChecksumAlgorithm", digest::name(*algorithm));
    writer.text("ChecksumType", type_name(!info.checksum_full_object));
  }
}

void write_part(xml::Writer& writer, const PartInfo& part) {
  writer.open("Part").number("PartNumber", part.number).date("LastModified", part.modified_ms);
  writer.etag("ETag", mote::to_text(part.etag)).number("Size", part.bytes);
  if (const auto algorithm = to_algorithm(part.checksum.kind)) {
    writer.text(digest::element_name(*algorithm), to_text(part.checksum, 0));
  }
  writer.close("Part");
}

struct UploadsQuery {
  std::uint32_t page = 0;
  xml::Encoding encoding = xml::Encoding::none;
  ListUploadsRequest request;
};

Outcome<UploadsQuery> read_uploads_query(const Call& call) {
  const Outcome<std::uint32_t> page = page_size_param(call, "max-uploads");
  if (!page) {
    return page.error();
  }
  const Outcome<bool> url = wants_url_encoding(call);
  if (!url) {
    return url.error();
  }
  UploadsQuery out;
  out.page = *page;
  out.encoding = *url ? xml::Encoding::url : xml::Encoding::none;
  out.request.bucket = call.route.bucket;
  out.request.prefix = call.param("prefix");
  out.request.delimiter = call.param("delimiter");
  out.request.key_marker = call.param("key-marker");
  out.request.entries_max = *page;
  const std::string_view marker = call.param("upload-id-marker");
  if (!marker.empty() && !out.request.key_marker.empty()) {
    const std::optional<UploadToken> token = parse_upload_id(marker);
    if (!token) {
      return invalid_argument("Invalid uploadId marker", "upload-id-marker", marker);
    }
    out.request.upload_marker = token->id;
  }
  return out;
}

void write_uploads_head(xml::Writer& writer, const Call& call, const UploadsQuery& query,
                        const ListUploadsPage& page) {
  const xml::Encoding encoding = query.encoding;
  writer.text("Bucket", call.route.bucket);
  writer.key("KeyMarker", call.param("key-marker"), encoding);
  writer.text("UploadIdMarker", call.param("upload-id-marker"));
  if (page.truncated) {
    UploadToken next{.id = page.next_upload};
    if (!page.entries.empty() && page.entries.back().ref.upload == page.next_upload) {
      next.checksum = page.entries.back().checksum;
      next.full_object = page.entries.back().checksum_full_object;
    }
    writer.key("NextKeyMarker", page.next_key, encoding);
    writer.text("NextUploadIdMarker", to_text(next));
  }
  writer.key("Prefix", call.param("prefix"), encoding);
  if (const std::string_view delimiter = call.param("delimiter"); !delimiter.empty()) {
    writer.key("Delimiter", delimiter, encoding);
  }
  if (encoding == xml::Encoding::url) {
    writer.text("EncodingType", "url");
  }
  writer.number("MaxUploads", query.page).boolean("IsTruncated", page.truncated);
}

}  // namespace

Async<Answer> list_parts(Call& call) {
  Outcome<UploadCall> upload = upload_call(call);
  if (!upload) {
    co_return std::move(upload).error();
  }
  const Outcome<std::uint32_t> page = page_size_param(call, "max-parts");
  if (!page) {
    co_return page.error();
  }
  const Outcome<std::uint32_t> marker = integer_param(call, "part-number-marker", {});
  if (!marker) {
    co_return marker.error();
  }
  const Outcome<bool> url = wants_url_encoding(call);
  if (!url) {
    co_return url.error();
  }
  const Result<UploadInfo> info =
      co_await engine::get_upload(call.services.store, std::move(upload->ref));
  if (!info) {
    co_return call.mapped(info.error());
  }
  const auto first = std::upper_bound(
      info->parts.begin(), info->parts.end(), *marker,
      [](std::uint32_t number, const PartInfo& part) { return number < part.number; });
  const auto left = info->parts.end() - first;
  const auto last = first + std::min<std::ptrdiff_t>(left, static_cast<std::ptrdiff_t>(*page));
  xml::Writer writer("ListPartsResult");
  writer.text("Bucket", call.route.bucket);
  writer.key("Key", call.route.key, *url ? xml::Encoding::url : xml::Encoding::none);
  writer.text("UploadId", call.param("uploadId")).number("PartNumberMarker", *marker);
  writer.number("NextPartNumberMarker", last == first ? *marker : (last - 1)->number);
  writer.number("MaxParts", *page).boolean("IsTruncated", last != info->parts.end() && *page > 0);
  if (*url) {
    writer.text("EncodingType", "url");
  }
  for (auto part = first; part != last; ++part) {
    write_part(writer, *part);
  }
  write_owner(writer, "Initiator", owner_name(call, info->owner));
  write_owner(writer, "Owner", owner_name(call, call.bucket->owner));
  writer.text("StorageClass", "STANDARD");
  write_upload_checksum(writer, *info);
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> list_multipart_uploads(Call& call) {
  Outcome<UploadsQuery> query = read_uploads_query(call);
  if (!query) {
    co_return std::move(query).error();
  }
  Result<ListUploadsPage> page = ListUploadsPage{};
  if (query->page > 0) {
    page = co_await engine::list_uploads(call.services.store, query->request);
  }
  if (!page) {
    co_return call.mapped(page.error());
  }
  const OwnerName owner = owner_name(call, call.bucket->owner);
  xml::Writer writer("ListMultipartUploadsResult");
  write_uploads_head(writer, call, *query, *page);
  for (const UploadInfo& upload : page->entries) {
    writer.open("Upload").key("Key", upload.ref.key, query->encoding);
    writer.text("UploadId", upload_id_text(upload));
    write_owner(writer, "Initiator", owner_name(call, upload.owner));
    write_owner(writer, "Owner", owner);
    writer.text("StorageClass", "STANDARD").date("Initiated", upload.created_ms);
    write_upload_checksum(writer, upload);
    writer.close("Upload");
  }
  write_common_prefixes(writer, page->common_prefixes, query->encoding);
  co_return xml_reply(std::move(writer).finish());
}

}  // namespace mote::s3
