#include <algorithm>
#include <array>

#include "server/auth/form_signature.h"
#include "server/http/ascii.h"
#include "server/http/limits.h"
#include "server/http/uri.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/post_form.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/names.h"
#include "server/s3/object_attributes.h"
#include "server/s3/tag_set.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

// Form uploads (AWS "POST Object", "Browser-based uploads using POST"): what a PUT says in headers,
// a form says in fields, and its signature covers the policy that these fields have to satisfy.
namespace mote::s3 {

namespace {

constexpr std::uint64_t kFormBytesMax = http::kPutBytesMax + 64 * kKiB;

/// Fields that steer the upload and are no headers of the object.
constexpr std::array<std::string_view, 13> kSteering = {"key",
                                                        "policy",
                                                        "signature",
                                                        "awsaccesskeyid",
                                                        "bucket",
                                                        "success_action_redirect",
                                                        "success_action_status",
                                                        "redirect",
                                                        "tagging",
                                                        "x-amz-algorithm",
                                                        "x-amz-credential",
                                                        "x-amz-date",
                                                        "x-amz-signature"};

std::string_view field(const PostForm& form, std::string_view name) {
  return auth::find_field(form.fields, name).value_or("");
}

/// The key with the client's file name put in where the form asks for it.
std::string expanded_key(std::string_view key, std::string_view file_name) {
  constexpr std::string_view kVariable = "${filename}";
  std::string out;
  while (!key.empty()) {
    const std::size_t at = std::min(key.find(kVariable), key.size());
    out.append(key.substr(0, at));
    key.remove_prefix(at);
    if (!key.empty()) {
      out.append(file_name);
      key.remove_prefix(kVariable.size());
    }
  }
  return out;
}

/// Puts the expanded key in place of the field: conditions are held against it.
Refusal settle_key(PostForm& form) {
  for (auto& [name, value] : form.fields) {
    if (name == "key" && !value.empty()) {
      value = expanded_key(value, form.file_name);
      return check_key(value);
    }
  }
  return invalid_argument(
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order "
      "of the fields.",
      "key", "");
}

/// The tagging field holds the document that PUT ?tagging takes; objects keep the header's form.
Outcome<std::string> tagging_header(const PostForm& form) {
  const std::string_view text = field(form, "tagging");
  if (text.empty()) {
    return text_outcome({});
  }
  const std::optional<xml::TagList> tags = xml::read_tagging(text);
  if (!tags) {
    return make_error(ErrorCode::malformed_xml);
  }
  if (Refusal refused = check_tags(*tags, kObjectTagsMax)) {
    return *std::move(refused);
  }
  return text_outcome(encode_tags(*tags));
}

/// The fields as the headers of the PUT that they stand for. Views into `form` and `tags`.
Refusal make_head(const PostForm& form, const std::string& tags, http::RequestHead& head) {
  head.set_method("POST");
  for (const auto& [name, value] : form.fields) {
    const bool steers = std::find(kSteering.begin(), kSteering.end(), name) != kSteering.end();
    if (steers || name.starts_with("x-ignore-")) {
      continue;
    }
    if (!http::is_field_text(value) ||
        !head.headers.add(name == "acl" ? "x-amz-acl" : std::string_view(name), value)) {
      return invalid_argument("A form field has a value that no header can carry.", name, "");
    }
  }
  if (!tags.empty() && !head.headers.add("x-amz-tagging", tags)) {
    return invalid_argument("Too many form fields.", "tagging", "");
  }
  return std::nullopt;
}

std::string location(const Call& call, std::string_view key) {
  std::string out = call.services.options.external_url;
  if (out.empty()) {
    out = (call.exchange.secure ? "https://" : "http://") +
          std::string(call.exchange.head.headers.get("host")) + std::string(call.target.raw_path());
  } else {
    out += (out.ends_with('/') ? "" : "/") + std::string(call.route.bucket);
  }
  out += out.ends_with('/') ? "" : "/";
  http::append_uri_encoded(out, key, http::Slash::keep);
  return out;
}

/// Where a browser is sent, "" if the form names no http address (A-37: no other scheme, no line
/// break ever reaches the Location header).
std::string redirect_target(const PostForm& form, const Route& route, const ObjectHead& head) {
  std::string_view to = field(form, "success_action_redirect");
  to = to.empty() ? field(form, "redirect") : to;
  const bool http =
      http::starts_with_ignore_case(to, "http://") || http::starts_with_ignore_case(to, "https://");
  if (!http || !http::is_target_text(to)) {
    return {};
  }
  std::string out(to);
  out += to.find('?') == std::string_view::npos ? '?' : '&';
  out += "bucket=" + http::uri_encode(route.bucket) + "&key=" + http::uri_encode(route.key) +
         "&etag=" + http::uri_encode("\"" + mote::to_text(head.etag) + "\"");
  return out;
}

Reply made_reply(const Call& call, const PostForm& form, const ObjectHead& head) {
  http::HeaderBlock block;
  add_etag(block, head.etag);
  add_checksum(block, head.checksum, 0);
  add_checksum_type(block, head.checksum);
  add_version(block, head);
  if (const std::string to = redirect_target(form, call.route, head); !to.empty()) {
    block.add("Location", to);
    return empty_reply(303, std::string(block.text()));
  }
  const std::string where = location(call, call.route.key);
  block.add("Location", where);
  const std::string_view status = field(form, "success_action_status");
  if (status != "201") {
    return empty_reply(status == "200" ? 200 : 204, std::string(block.text()));
  }
  xml::Writer writer("PostResponse", "");
  writer.text("Location", where).text("Bucket", call.route.bucket).text("Key", call.route.key);
  writer.etag("ETag", mote::to_text(head.etag));
  Reply reply = xml_reply(std::move(writer).finish());
  reply.status = 201;
  reply.head += block.text();
  return reply;
}

/// `call` stands for the PUT that the form describes.
Async<Answer> store_form(Call& call, const PostForm& form, FormReader& reader,
                         const auth::PostPolicy& policy) {
  Outcome<ObjectAttributes> attributes = attributes_from_request(call.head(), call.who);
  if (!attributes) {
    co_return std::move(attributes).error();
  }
  Outcome<Intake> intake = co_await take_form_file(call, reader, policy);
  if (!intake) {
    co_return std::move(intake).error();
  }
  PutRequest request = put_request(call, *intake, *std::move(attributes));
  const Result<PutResult> stored =
      co_await engine::put(call.services.store, std::move(request), std::move(intake->body));
  if (!stored) {
    co_return call.mapped(stored.error());
  }
  co_return made_reply(call, form, *stored->head);
}

Outcome<std::uint64_t> form_length(const Call& call) {
  if (call.exchange.framing.body != http::Framing::Body::length) {
    return make_error(ErrorCode::missing_content_length);
  }
  if (call.exchange.framing.length > kFormBytesMax) {
    return make_error(ErrorCode::entity_too_large,
                      {{"MaxSizeAllowed", std::to_string(kFormBytesMax)}});
  }
  return call.exchange.framing.length;
}

}  // namespace

Async<Answer> post_object(Call& call) {
  if (!call.who.anonymous()) {
    co_return invalid_argument("Only one auth mechanism allowed; a form carries its own signature.",
                               "Authorization", "");
  }
  const auto boundary = http::form_boundary(call.head().headers.get("content-type"));
  if (!boundary) {
    co_return make_error(ErrorCode::malformed_post_request);
  }
  const Outcome<std::uint64_t> length = form_length(call);
  if (!length) {
    co_return length.error();
  }
  FormReader reader(call.exchange.body, *boundary, *length);
  Outcome<PostForm> form = co_await read_form_fields(reader);
  if (!form) {
    co_return std::move(form).error();
  }
  const Outcome<auth::Verified> who = auth::verify_form(form->fields, call.services.authenticator);
  if (!who) {
    co_return who.error();
  }
  const Outcome<auth::PostPolicy> policy = auth::PostPolicy::read(
      auth::find_field(form->fields, "policy").value_or(""), call.services.clock.wall_ms());
  if (!policy) {
    co_return policy.error();
  }
  if (Refusal refused = settle_key(*form)) {
    co_return *std::move(refused);
  }
  if (Refusal refused = policy->check_fields(form->fields, call.route.bucket)) {
    co_return *std::move(refused);
  }
  const Outcome<std::string> tags = tagging_header(*form);
  if (!tags) {
    co_return tags.error();
  }
  http::RequestHead head;
  if (Refusal refused = make_head(*form, *tags, head)) {
    co_return *std::move(refused);
  }
  Route route = call.route;
  route.key = field(*form, "key");
  auto bucket = authorise_form({head, call.target, *who, route}, call.services.store);
  if (!bucket) {
    co_return std::move(bucket).error();
  }
  Call upload{call.services, call.exchange, call.target, *who, route, *std::move(bucket), &head};
  co_return co_await store_form(upload, *form, reader, *policy);
}

}  // namespace mote::s3
