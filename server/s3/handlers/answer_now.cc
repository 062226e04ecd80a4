#include <algorithm>
#include <array>

#include "server/s3/handlers/host_bucket.h"
#include "server/s3/handlers/service.h"
#include "server/s3/object_headers.h"

namespace mote::s3 {

namespace {

/// Headers that make an answer differ from the object's plain one.
constexpr std::array<std::string_view, 5> kConditional = {
    "range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"};

/// Of a whole, current object and nothing else. Sub-resources and versions come with a query;
/// `x-id`, which some SDKs add, means nothing.
bool is_plain(const http::RequestHead& head) noexcept {
  if (!head.query_raw.empty() && head.query_raw != "x-id=GetObject" &&
      head.query_raw != "x-id=HeadObject") {
    return false;
  }
  return std::none_of(kConditional.begin(), kConditional.end(),
                      [&head](std::string_view name) { return head.headers.contains(name); });
}

}  // namespace

std::string_view to_string(ReadPath path) noexcept {
  switch (path) {
    case ReadPath::fast:
      return "fast";
    case ReadPath::special:
      return "special";
    case ReadPath::anonymous:
      return "anonymous";
    case ReadPath::refused:
      return "refused";
    case ReadPath::not_object:
      return "not_object";
    case ReadPath::uncached:
      return "uncached";
    case ReadPath::large:
      return "large";
  }
  return "";
}

bool S3Service::answer_now(const http::RequestHead& head, const http::Framing& framing,
                           std::string_view request_id, ReplyBatch& replies) {
  const bool reads = head.method == http::Method::get || head.method == http::Method::head;
  if (!reads || framing.body == http::Framing::Body::chunked) {
    return false;
  }
  const ReadPath path =
      cache_ == nullptr ? ReadPath::uncached : answer_from_cache(head, request_id, replies);
  if (observer_ != nullptr) {
    observer_->read_took(path);
  }
  return path == ReadPath::fast;
}

ReadPath S3Service::answer_from_cache(const http::RequestHead& head, std::string_view request_id,
                                      ReplyBatch& replies) {
  if (!is_plain(head)) {
    return ReadPath::special;
  }
  // Scratch memory of this thread: warm after a few requests, then nothing here allocates.
  thread_local http::Target target;
  thread_local http::HeaderBlock lines;
  const std::optional<std::string_view> bucket_label = host_bucket(head, options_);
  if (!bucket_label || target.parse(head.target)) {
    return ReadPath::refused;
  }
  // Whatever is refused below is refused again, with its document, by handle().
  const Outcome<auth::Verified> who =
      services_.authenticator.authenticate({head, target, *bucket_label});
  if (!who || who->anonymous()) {
    return who ? ReadPath::anonymous : ReadPath::refused;
  }
  const Outcome<Route> routed = route({.method = head.method,
                                       .method_text = head.method_text,
                                       .target = target,
                                       .host_bucket = *bucket_label,
                                       .has_copy_source = false,
                                       .content_type = {}});
  if (!routed || (routed->op != Op::get_object && routed->op != Op::head_object)) {
    return routed ? ReadPath::not_object : ReadPath::refused;
  }
  const Outcome<std::shared_ptr<const BucketInfo>> bucket =
      authorise({head, target, *who, *routed}, services_.store);
  if (!bucket) {
    return ReadPath::refused;
  }
  const std::shared_ptr<const metacache::Image> image = cache_->lookup(**bucket, routed->key);
  const bool is_head = routed->op == Op::head_object;
  if (image == nullptr || image->wire_headers.empty() ||
      image->kind == metacache::Image::Kind::absent) {
    return ReadPath::uncached;
  }
  if (image->kind == metacache::Image::Kind::head && !is_head) {
    return image->head->bytes > cache_->limits().inline_bytes_max ? ReadPath::large
                                                                  : ReadPath::uncached;
  }
  std::string_view answer = image->wire_headers;
  if (who->header(head, "x-amz-checksum-mode").value_or("") == "ENABLED" &&
      image->head->checksum.kind != ChecksumKind::none) {
    lines.clear();
    lines.append_lines(image->wire_headers);
    add_checksum(lines, image->head->checksum, image->head->parts.size());
    add_checksum_type(lines, image->head->checksum);
    answer = lines.text();
  }
  replies.add(200, answer, is_head ? Slice{} : image->body, image->head->bytes);
  if (observer_ != nullptr) {
    observer_->request_done({.request_id = request_id,
                             .peer_address = {},
                             .operation = describe(routed->op).name,
                             .bucket = routed->bucket,
                             .key = routed->key,
                             .status = 200});
  }
  return ReadPath::fast;
}

}  // namespace mote::s3
