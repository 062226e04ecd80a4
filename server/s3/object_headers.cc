#include "server/s3/object_headers.h"

#include "server/http/date.h"
#include "server/s3/checksums.h"
#include "server/s3/ids.h"
#include "server/s3/tag_set.h"

namespace mote::s3 {

void add_etag(http::HeaderBlock& block, const ETag& etag) {
  block.add("ETag", "\"" + mote::to_text(etag) + "\"");
}

void add_last_modified(http::HeaderBlock& block, std::int64_t modified_ms) {
  const auto date = http::format_http_date(modified_ms / 1000);
  block.add("Last-Modified", std::string_view(date.data(), date.size()));
}

void add_checksum(http::HeaderBlock& block, const StoredChecksum& checksum, std::size_t parts) {
  if (const auto algorithm = to_algorithm(checksum.kind)) {
    block.add(digest::header_name(*algorithm), to_text(checksum, parts));
  }
}

void add_checksum_type(http::HeaderBlock& block, const StoredChecksum& checksum) {
  if (checksum.kind != ChecksumKind::none) {
    block.add("x-amz-checksum-type", type_name(checksum.composite));
  }
}

void add_version(http::HeaderBlock& block, const ObjectHead& head) {
  if (head.versioned) {
    block.add("x-amz-version-id", to_text(head.version));
  }
}

void add_new_version(http::HeaderBlock& block, const ObjectHead& head) {
  if (head.version != kNullVersion) {
    add_version(block, head);
  }
}

void add_object_lines(http::HeaderBlock& block, const ObjectHead& head) {
  add_etag(block, head.etag);
  add_last_modified(block, head.modified_ms);
  add_version(block, head);
  block.add("Accept-Ranges", "bytes");
  if (!head.attributes.tags.empty()) {
    block.add("x-amz-tagging-count", count_tags(head.attributes.tags));
  }
}

std::string render_object_headers(const ObjectHead& head) {
  http::HeaderBlock block;
  block.append_lines(head.attributes.headers);
  add_object_lines(block, head);
  return std::string(block.text());
}

}  // namespace mote::s3
