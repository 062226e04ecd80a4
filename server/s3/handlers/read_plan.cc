#include "server/s3/handlers/read_plan.h"

#include "server/http/conditional.h"
#include "server/http/limits.h"
#include "server/http/range.h"
#include "server/s3/handlers/parameters.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/object_attributes.h"

namespace mote::s3 {

namespace {

/// The bytes that are asked for, and how the answer names them.
struct Selection {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool partial = false;              ///< 206 with Content-Range
  const PartLayout* part = nullptr;  ///< the part of a multipart object that was asked for
};

S3Error invalid_range(const Call& call, std::uint64_t bytes) {
  return make_error(ErrorCode::invalid_range, {{"RangeRequested", call.head().headers.get("range")},
                                               {"ActualObjectSize", std::to_string(bytes)}});
}

Outcome<Selection> select_part(const Call& call, const ObjectHead& head) {
  if (call.head().headers.contains("range")) {
    return make_error(ErrorCode::invalid_request,
                      "Cannot specify both Range header and partNumber query parameter");
  }
  const Outcome<std::uint32_t> number =
      integer_param(call, "partNumber", {.min = 1, .max = http::kPartNumberMax});
  if (!number) {
    return number.error();
  }
  Selection out{.length = head.bytes, .partial = head.bytes > 0};
  if (head.parts.empty()) {
    if (*number != 1) {
      return make_error(ErrorCode::invalid_part_number);
    }
    return out;
  }
  for (const PartLayout& part : head.parts) {
    if (part.number == *number) {
      out.length = part.bytes;
      out.partial = part.bytes > 0;
      out.part = &part;
      return out;
    }
    out.offset += part.bytes;
  }
  return make_error(ErrorCode::invalid_part_number);
}

Outcome<Selection> select_bytes(const Call& call, const ObjectHead& head) {
  if (call.target.has("partNumber")) {
    return select_part(call, head);
  }
  Selection out{.length = head.bytes};
  const std::optional<std::string_view> header = call.head().headers.find("range");
  const std::optional<http::RangeSpec> spec = header ? http::parse_range(*header) : std::nullopt;
  if (!spec) {
    return out;
  }
  const std::optional<http::ByteRange> range = http::resolve_range(*spec, head.bytes);
  if (!range) {
    return invalid_range(call, head.bytes);
  }
  out.offset = range->offset;
  out.length = range->length;
  out.partial = true;
  return out;
}

Outcome<http::Verdict> judge(const Call& call, const ObjectHead& head, std::string_view etag) {
  const http::Preconditions conditions = http::preconditions(call.head().headers);
  if (!conditions.any()) {
    return http::Verdict::proceed;
  }
  const http::Validators validators{.etag = etag, .modified_seconds = head.modified_ms / 1000};
  const http::Verdict verdict =
      http::evaluate_read(conditions, validators, call.services.clock.wall_ms() / 1000);
  if (verdict == http::Verdict::precondition_failed) {
    const bool by_match =
        conditions.if_match.has_value() && !http::etag_list_matches(*conditions.if_match, etag);
    return make_error(ErrorCode::precondition_failed,
                      {{"Condition", by_match ? "If-Match" : "If-Unmodified-Since"}});
  }
  return verdict;
}

/// A checksum covers either the whole object or the part that was asked for, never a range: clients
/// verify what they receive against it (wire.md 3.3).
void add_asked_checksum(http::HeaderBlock& block, const Call& call, const ObjectHead& head,
                        const Selection& selection) {
  if (call.header("x-amz-checksum-mode").value_or("") != "ENABLED") {
    return;
  }
  if (selection.part != nullptr) {
    add_checksum(block, selection.part->checksum, 0);
    add_checksum_type(block, head.checksum);
  } else if (!selection.partial || call.target.has("partNumber")) {
    add_checksum(block, head.checksum, head.parts.size());
    add_checksum_type(block, head.checksum);
  }
}

ReadPlan not_modified(const ObjectHead& head) {
  http::HeaderBlock block;
  add_etag(block, head.etag);
  add_last_modified(block, head.modified_ms);
  add_version(block, head);
  for (const char* name : {"Cache-Control", "Expires"}) {
    const std::string_view value = stored_header(head.attributes.headers, name);
    if (!value.empty()) {
      block.add(name, value);
    }
  }
  ReadPlan plan;
  plan.body = false;
  plan.reply.status = 304;
  plan.reply.has_content_length = false;
  plan.reply.head = block.text();
  return plan;
}

}  // namespace

Outcome<ReadPlan> plan_read(const Call& call, const ObjectHead& head) {
  const std::string etag = mote::to_text(head.etag);
  const Outcome<http::Verdict> verdict = judge(call, head, etag);
  if (!verdict) {
    return verdict.error();
  }
  if (*verdict == http::Verdict::not_modified) {
    return not_modified(head);
  }
  const Outcome<Selection> selection = select_bytes(call, head);
  if (!selection) {
    return selection.error();
  }
  http::HeaderBlock block;
  if (has_overrides(call.target)) {
    const Outcome<std::string> lines = override_headers(head.attributes.headers, call.target);
    if (!lines) {
      return lines.error();
    }
    block.append_lines(*lines);
  } else {
    block.append_lines(head.attributes.headers);
  }
  add_object_lines(block, head);
  ReadPlan plan;
  if (selection->partial) {
    block.add("Content-Range",
              http::content_range({.offset = selection->offset, .length = selection->length},
                                  head.bytes));
    plan.reply.status = 206;
  }
  if (selection->part != nullptr) {
    block.add("x-amz-mp-parts-count", head.parts.size());
  }
  add_asked_checksum(block, call, head, *selection);
  plan.offset = selection->offset;
  plan.length = selection->length;
  plan.reply.content_length = selection->length;
  plan.reply.head = block.text();
  return plan;
}

S3Error read_error(const Call& call, const Error& error) {
  S3Error mapped = call.mapped(error);
  if (error.code == Errc::delete_marker) {
    if (call.target.has("versionId")) {
      mapped = make_error(ErrorCode::method_not_allowed,
                          {{"Method", call.head().method_text}, {"ResourceType", "DeleteMarker"}});
      mapped.extra.emplace_back("x-amz-version-id", call.param("versionId"));
    }
    mapped.extra.emplace_back("x-amz-delete-marker", "true");
  }
  return mapped;
}

}  // namespace mote::s3
