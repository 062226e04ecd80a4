#include "server/s3/handlers/replies.h"

#include <charconv>

#include "server/digest/encoding.h"
#include "server/http/header_map.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/ids.h"

namespace mote::s3 {

Reply xml_reply(std::string document) {
  Reply reply;
  reply.head = "Content-Type: application/xml\r\n";
  reply.content_length = document.size();
  reply.body = Slice::own(std::move(document));
  return reply;
}

Reply empty_reply(std::uint16_t status, std::string head) {
  Reply reply;
  reply.status = status;
  reply.head = std::move(head);
  reply.has_content_length = status != 204;
  return reply;
}

Outcome<ObjectRef> object_ref(const Call& call) {
  ObjectRef ref{.bucket = std::string(call.route.bucket),
                .key = std::string(call.route.key),
                .version = std::nullopt};
  if (const http::QueryParam* version = call.target.find("versionId")) {
    ref.version = parse_version_id(version->value);
    if (!ref.version) {
      return invalid_argument(version->value.empty() ? "Version id cannot be the empty string"
                                                     : "Invalid version id specified",
                              "versionId", version->value);
    }
  }
  return ref;
}

std::optional<ETag> parse_etag(std::string_view text) noexcept {
  text = http::trim_ows(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  constexpr std::size_t kHexDigits = 32;
  ETag etag;
  if (text.size() < kHexDigits || !digest::read_hex(text.substr(0, kHexDigits), etag.md5)) {
    return std::nullopt;
  }
  text.remove_prefix(kHexDigits);
  if (text.empty()) {
    return etag;
  }
  if (text.front() != '-') {
    return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  const auto [at, ec] = std::from_chars(text.data() + 1, end, etag.parts);
  return ec == std::errc{} && at == end && etag.parts > 0 ? std::optional(etag) : std::nullopt;
}

namespace {

/// The tags of a list. One that this server never makes matches no object: it is left out.
std::vector<ETag> parse_etags(std::string_view list) {
  std::vector<ETag> out;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (const std::optional<ETag> tag = parse_etag(list.substr(0, comma))) {
      out.push_back(*tag);
    }
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return out;
}

}  // namespace

Preconditions write_preconditions(const Call& call) {
  Preconditions out;
  if (const auto none = call.header("if-none-match")) {
    out.if_absent = http::trim_ows(*none) == "*";
    out.if_none_match = parse_etags(*none);
  }
  if (const auto match = call.header("if-match")) {
    out.if_exists = http::trim_ows(*match) == "*";
    if (!out.if_exists) {
      out.if_match = parse_etags(*match);
    }
  }
  return out;
}

Async<S3Error> write_error(Call& call, Error error, Preconditions preconditions) {
  if (error.code != Errc::precondition_failed) {
    co_return call.mapped(error);
  }
  if (preconditions.if_match || preconditions.if_exists) {
    ObjectRef current{.bucket = std::string(call.route.bucket),
                      .key = std::string(call.route.key),
                      .version = std::nullopt};
    const Result<engine::HeadPtr> head =
        co_await engine::head(call.services.store, std::move(current));
    if (!head &&
        (head.error().code == Errc::no_such_key || head.error().code == Errc::delete_marker)) {
      co_return call.mapped(head.error());
    }
    co_return make_error(ErrorCode::precondition_failed, {{"Condition", "If-Match"}});
  }
  co_return make_error(ErrorCode::precondition_failed, {{"Condition", "If-None-Match"}});
}

}  // namespace mote::s3
