#include "server/s3/object_attributes.h"

#include <algorithm>
#include <map>

#include "server/digest/encoding.h"
#include "server/http/limits.h"
#include "server/http/response_head.h"
#include "server/http/uri.h"
#include "server/s3/tag_set.h"

namespace mote::s3 {

namespace {

constexpr std::string_view kMetaPrefix = "x-amz-meta-";
constexpr std::string_view kDefaultContentType = "binary/octet-stream";

/// A header that is stored and given back, and the parameter that overrides it on GET.
struct StoredField {
  std::string_view name;  ///< as written
  std::string_view lower;
  std::string_view parameter;
};
constexpr std::array kStoredFields = {
    StoredField{"Content-Type", "content-type", "response-content-type"},
    StoredField{"Cache-Control", "cache-control", "response-cache-control"},
    StoredField{"Content-Disposition", "content-disposition", "response-content-disposition"},
    StoredField{"Content-Encoding", "content-encoding", "response-content-encoding"},
    StoredField{"Content-Language", "content-language", "response-content-language"},
    StoredField{"Expires", "expires", "response-expires"},
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

/// aws-chunked is the transfer's coding, not the object's (wire.md 15). What else the client sent
/// is kept: as it is, or where aws-chunked stood in it, joined by ", ".
std::string without_aws_chunked(std::string_view value) {
  const std::string_view sent = value;
  bool chunked = false;
  std::string out;
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    const std::string_view coding = http::trim_ows(value.substr(0, comma));
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
    if (http::equals_ignore_case(coding, "aws-chunked")) {
      chunked = true;
      continue;
    }
    if (coding.empty()) {
      continue;
    }
    if (!out.empty()) {
      out.append(", ");
    }
    out.append(coding);
  }
  return chunked ? out : std::string(sent);
}

bool is_eight_bit(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

using Metadata = std::map<std::string, std::string>;

Metadata collect_metadata(const http::RequestHead& head, const auth::Verified& who) {
  Metadata out;
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (!http::starts_with_ignore_case(name, kMetaPrefix)) {
      return;
    }
    auto [at, fresh] = out.try_emplace(lower_case(name), value);
    if (!fresh) {
      at->second.append(",").append(value);
    }
  };
  for (const http::HeaderField& field : head.headers.fields()) {
    add(field.name, field.value);
  }
  for (const auto& [name, value] : who.hoisted) {
    if (!head.headers.contains(name)) {
      add(name, value);
    }
  }
  return out;
}

Refusal add_metadata(http::HeaderBlock& block, const Metadata& metadata) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : metadata) {
    bytes += name.size() - kMetaPrefix.size() + value.size();
  }
  if (bytes > http::kUserMetadataBytesMax) {
    return make_error(ErrorCode::metadata_too_large,
                      {{"Size", std::to_string(bytes)},
                       {"MaxSizeAllowed", std::to_string(http::kUserMetadataBytesMax)}});
  }
  for (const auto& [name, value] : metadata) {
    bool added = false;
    if (is_eight_bit(value)) {
      const bool text = http::is_valid_utf8(value);
      added = text && block.add(name, "=?UTF-8?B?" + digest::to_base64(as_bytes(value)) + "?=");
    } else {
      added = block.add(name, value);
    }
    if (!added || name.size() == kMetaPrefix.size()) {
      return invalid_argument("Metadata header is not valid", name, "");
    }
  }
  return std::nullopt;
}

const StoredField* find_field(std::string_view line) noexcept {
  const std::string_view name = line.substr(0, line.find(':'));
  const auto at = std::find_if(kStoredFields.begin(), kStoredFields.end(),
                               [name](const StoredField& field) { return field.name == name; });
  return at == kStoredFields.end() ? nullptr : &*at;
}

}  // namespace

Outcome<std::string> tags_from_request(const http::RequestHead& head, const auth::Verified& who) {
  const std::optional<std::string_view> header = who.header(head, "x-amz-tagging");
  if (!header || header->empty()) {
    return text_outcome({});
  }
  Outcome<TagSet> tags = parse_tagging_header(*header);
  if (!tags) {
    return std::move(tags).error();
  }
  return text_outcome(encode_tags(*std::move(tags)));
}

Outcome<ObjectAttributes> attributes_from_request(const http::RequestHead& head,
                                                  const auth::Verified& who) {
  http::HeaderBlock block;
  for (const StoredField& field : kStoredFields) {
    std::string value(who.header(head, field.lower).value_or(""));
    if (field.lower == "content-encoding") {
      value = without_aws_chunked(value);
    }
    if (value.empty() && field.lower == "content-type") {
      value = kDefaultContentType;
    }
    if (!value.empty() && !block.add(field.name, value)) {
      return invalid_argument("Header value is not valid", field.name, "");
    }
  }
  Refusal added = add_metadata(block, collect_metadata(head, who));
  if (added) {
    return *std::move(added);
  }
  Outcome<std::string> tags = tags_from_request(head, who);
  if (!tags) {
    return std::move(tags).error();
  }
  ObjectAttributes out;
  out.headers = block.text();
  out.tags = *std::move(tags);
  return out;
}

bool has_overrides(const http::Target& target) noexcept {
  return std::any_of(kStoredFields.begin(), kStoredFields.end(),
                     [&](const StoredField& field) { return target.has(field.parameter); });
}

Outcome<std::string> override_headers(std::string_view stored, const http::Target& target) {
  http::HeaderBlock block;
  std::string_view rest = stored;
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    const std::size_t length = end == std::string_view::npos ? rest.size() : end + 2;
    const std::string_view line = rest.substr(0, length);
    rest.remove_prefix(length);
    const StoredField* field = find_field(line);
    if (field == nullptr || !target.has(field->parameter)) {
      block.append_lines(line);
    }
  }
  for (const StoredField& field : kStoredFields) {
    const http::QueryParam* parameter = target.find(field.parameter);
    if (parameter != nullptr && !block.add(field.name, parameter->value)) {
      return invalid_argument("Header value cannot be represented using ISO-8859-1.",
                              field.parameter, "");
    }
  }
  return text_outcome(std::string(block.text()));
}

std::string_view stored_header(std::string_view stored, std::string_view name) noexcept {
  while (!stored.empty()) {
    const std::size_t end = stored.find("\r\n");
    const std::string_view line = stored.substr(0, end);
    stored.remove_prefix(end == std::string_view::npos ? stored.size() : end + 2);
    if (line.size() > name.size() + 1 && line.starts_with(name) && line[name.size()] == ':') {
      return http::trim_ows(line.substr(name.size() + 1));
    }
  }
  return {};
}

}  // namespace mote::s3
