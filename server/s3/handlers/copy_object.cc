#include "server/http/limits.h"
#include "server/http/range.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/copy_stream.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/handlers/upload_call.h"
#include "server/s3/object_attributes.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

/// x-amz-metadata-directive and x-amz-tagging-directive: true for REPLACE.
Outcome<bool> replaces(const Call& call, std::string_view header, const char* what) {
  const std::string_view value = call.header(header).value_or("COPY");
  if (value != "COPY" && value != "REPLACE") {
    return invalid_argument(std::string("Unknown ") + what + " directive.", header, value);
  }
  return value == "REPLACE";
}

/// What the copy is stored with: the source's own, or what the request brings instead.
Outcome<ObjectAttributes> copy_attributes(const Call& call, const OpenedSource& source) {
  const Outcome<bool> metadata = replaces(call, "x-amz-metadata-directive", "metadata");
  if (!metadata) {
    return metadata.error();
  }
  const Outcome<bool> tagging = replaces(call, "x-amz-tagging-directive", "tagging");
  if (!tagging) {
    return tagging.error();
  }
  const bool to_itself = source.source.bucket == call.route.bucket &&
                         source.source.key == call.route.key && !source.source.version;
  if (to_itself && !*metadata && !call.header("x-amz-storage-class")) {
    return make_error(ErrorCode::invalid_request,
                      "This copy request is illegal because it is trying to copy an object to "
                      "itself without changing the object's metadata, storage class, website "
                      "redirect location or encryption attributes.");
  }
  ObjectAttributes out = source.object.head->attributes;
  if (*metadata) {
    Outcome<ObjectAttributes> sent = attributes_from_request(call.head(), call.who);
    if (!sent) {
      return std::move(sent).error();
    }
    out.headers = std::move(sent->headers);
  }
  if (*tagging) {
    Outcome<std::string> tags = tags_from_request(call.head(), call.who);
    if (!tags) {
      return std::move(tags).error();
    }
    out.tags = *std::move(tags);
  }
  return out;
}

std::string copy_document(const char* root, const ETag& etag, std::int64_t modified_ms,
                          const StoredChecksum& checksum) {
  xml::Writer writer(root);
  writer.etag("ETag", mote::to_text(etag)).date("LastModified", modified_ms);
  if (const auto algorithm = to_algorithm(checksum.kind)) {
    writer.text(digest::element_name(*algorithm), to_text(checksum, 0));
  }
  return std::move(writer).finish();
}

/// The checksum that a copy of this object carries.
digest::ChecksumAlgorithm copy_checksum(std::optional<digest::ChecksumAlgorithm> asked,
                                        const ObjectHead& source) {
  return asked.value_or(to_algorithm(source.checksum.kind).value_or(kDefaultChecksum));
}

S3Error source_too_large() {
  return make_error(
      ErrorCode::invalid_request,
      "The specified copy source is larger than the maximum allowable size for a copy "
      "source: " +
          std::to_string(http::kPutBytesMax));
}

/// The bytes that a part copies.
Outcome<CopyPlan> part_plan(const Call& call, const ObjectHead& source) {
  CopyPlan plan{.offset = 0, .length = source.bytes};
  if (const auto header = call.header("x-amz-copy-source-range")) {
    const Outcome<CopyRange> range = parse_copy_range(*header);
    if (!range) {
      return range.error();
    }
    if (range->last >= source.bytes) {
      return make_error(
          ErrorCode::invalid_range,
          "Range specified is not valid for source object of size: " + std::to_string(source.bytes),
          {{"RangeRequested", *header}});
    }
    plan.offset = range->first;
    plan.length = range->last - range->first + 1;
  }
  if (plan.length > http::kPutBytesMax) {
    return source_too_large();
  }
  return plan;
}

}  // namespace

Async<Answer> copy_object(Call& call) {
  const Preconditions preconditions = write_preconditions(call);
  const Outcome<std::optional<digest::ChecksumAlgorithm>> asked = asked_checksum(call);
  if (!asked) {
    co_return asked.error();
  }
  const Outcome<OpenedSource> source = co_await open_copy_source(call);
  if (!source) {
    co_return source.error();
  }
  Outcome<ObjectAttributes> attributes = copy_attributes(call, *source);
  if (!attributes) {
    co_return std::move(attributes).error();
  }
  const ObjectHead& from = *source->object.head;
  if (from.bytes > http::kPutBytesMax) {
    co_return source_too_large();
  }
  Outcome<CopiedBytes> copied = co_await copy_bytes(
      call, source->object,
      {.offset = 0, .length = from.bytes, .checksum = copy_checksum(*asked, from)});
  if (!copied) {
    co_return std::move(copied).error();
  }
  PutRequest request;
  request.bucket = call.route.bucket;
  request.key = call.route.key;
  request.etag.md5 = copied->md5;
  request.checksum = std::move(copied->checksum);
  request.attributes = *std::move(attributes);
  request.preconditions = preconditions;
  const Result<PutResult> stored =
      co_await engine::put(call.services.store, std::move(request), std::move(copied->body));
  if (!stored) {
    co_return co_await write_error(call, stored.error(), preconditions);
  }
  const ObjectHead& made = *stored->head;
  Reply reply =
      xml_reply(copy_document("CopyObjectResult", made.etag, made.modified_ms, made.checksum));
  http::HeaderBlock block;
  block.append_lines(source_version_header(*source));
  add_new_version(block, made);
  reply.head.append(block.text());
  co_return reply;
}

Async<Answer> upload_part_copy(Call& call) {
  Outcome<UploadCall> upload = upload_call(call);
  if (!upload) {
    co_return std::move(upload).error();
  }
  const Outcome<std::uint16_t> number = part_number(call);
  if (!number) {
    co_return number.error();
  }
  const Outcome<OpenedSource> source = co_await open_copy_source(call);
  if (!source) {
    co_return source.error();
  }
  Outcome<CopyPlan> plan = part_plan(call, *source->object.head);
  if (!plan) {
    co_return std::move(plan).error();
  }
  plan->checksum = to_algorithm(upload->token.checksum).value_or(kDefaultChecksum);
  Outcome<CopiedBytes> copied = co_await copy_bytes(call, source->object, *plan);
  if (!copied) {
    co_return std::move(copied).error();
  }
  PutPartRequest request;
  request.upload = std::move(upload->ref);
  request.number = *number;
  request.etag.md5 = copied->md5;
  request.checksum = std::move(copied->checksum);
  const Result<PartInfo> stored =
      co_await engine::put_part(call.services.store, std::move(request), std::move(copied->body));
  if (!stored) {
    co_return call.mapped(stored.error());
  }
  Reply reply = xml_reply(
      copy_document("CopyPartResult", stored->etag, stored->modified_ms, stored->checksum));
  reply.head.append(source_version_header(*source));
  co_return reply;
}

}  // namespace mote::s3
