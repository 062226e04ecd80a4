#include "server/s3/error_reply.h"

#include "server/http/response_head.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

/// Elements that travel as headers (x-amz-delete-marker).
bool is_header(std::string_view name) noexcept {
  return name.starts_with("x-amz-");
}

/// What an answer needs beside its document.
void add_special_headers(http::HeaderBlock& block, const S3Error& error) {
  for (const auto& [name, value] : error.extra) {
    if (is_header(name)) {
      block.add(name, value);
    } else if (name == "ActualObjectSize" && error.status == 416) {
      block.add("Content-Range", "bytes */" + value);
    } else if (name == "Region") {
      block.add("x-amz-bucket-region", value);
    }
  }
  if (error.status == 503) {
    block.add("Retry-After", "1");
  }
}

}  // namespace

std::string error_document(const S3Error& error, const ErrorPlace& place) {
  xml::Writer writer("Error", "");
  writer.text("Code", error.code).text("Message", error.message);
  for (const auto& [name, value] : error.extra) {
    if (!is_header(name)) {
      writer.text(name, value);
    }
  }
  if (!place.resource.empty()) {
    writer.text("Resource", place.resource);
  }
  writer.text("RequestId", place.request_id).text("HostId", place.request_id);
  return std::move(writer).finish();
}

Reply error_reply(const S3Error& error, const ErrorPlace& place, bool head_only) {
  http::HeaderBlock block;
  add_special_headers(block, error);
  Reply reply;
  reply.status = static_cast<std::uint16_t>(error.status);
  if (!head_only) {
    block.add("Content-Type", "application/xml");
    block.add("X-Content-Type-Options", "nosniff");
    reply.body = Slice::own(error_document(error, place));
    reply.content_length = reply.body.size();
  }
  reply.head = block.text();
  return reply;
}

}  // namespace mote::s3
