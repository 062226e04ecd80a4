#include "server/s3/tag_set.h"

#include <algorithm>

#include "server/http/uri.h"

namespace mote::s3 {

namespace {

constexpr std::size_t kTagKeyMax = 128;
constexpr std::size_t kTagValueMax = 256;

bool is_tag_char(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  constexpr std::string_view kMarks = " +-=._:/@";
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
}

/// Length in Unicode code points of valid UTF-8.
std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

bool is_tag_text(std::string_view text, std::size_t characters_max) noexcept {
  return http::is_valid_utf8(text) && characters(text) <= characters_max &&
         std::all_of(text.begin(), text.end(), is_tag_char);
}

bool split_query(std::string_view query, TagSet& out) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view piece = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (piece.empty()) {
      continue;
    }
    const std::size_t equals = piece.find('=');
    auto& [key, value] = out.emplace_back();
    if (!http::append_uri_decoded(key, piece.substr(0, equals), http::Plus::blank)) {
      return false;
    }
    if (equals != std::string_view::npos &&
        !http::append_uri_decoded(value, piece.substr(equals + 1), http::Plus::blank)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Refusal check_tags(const TagSet& tags, std::size_t tags_max) {
  if (tags.size() > tags_max) {
    return make_error(ErrorCode::invalid_tag,
                      (tags_max == kObjectTagsMax ? "Object tags cannot be greater than "
                                                  : "Bucket tag count cannot be greater than ") +
                          std::to_string(tags_max));
  }
  for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
    const auto& [key, value] = *tag;
    if (key.empty() || !is_tag_text(key, kTagKeyMax)) {
      return make_error(ErrorCode::invalid_tag, "The TagKey you have provided is invalid",
                        {{"TagKey", key}});
    }
    if (!is_tag_text(value, kTagValueMax)) {
      return make_error(ErrorCode::invalid_tag, "The TagValue you have provided is invalid",
                        {{"TagKey", key}, {"TagValue", value}});
    }
    const auto same_key = [&wanted = key](const auto& other) { return other.first == wanted; };
    if (std::any_of(tags.begin(), tag, same_key)) {
      return make_error(ErrorCode::invalid_tag, "Cannot provide multiple Tags with the same key",
                        {{"TagKey", key}});
    }
  }
  return std::nullopt;
}

Outcome<TagSet> parse_tagging_header(std::string_view value) {
  TagSet tags;
  if (!split_query(value, tags)) {
    return invalid_argument(
        "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query "
        "parameters without tag name duplicates.",
        "x-amz-tagging", value);
  }
  Refusal checked = check_tags(tags, kObjectTagsMax);
  if (checked) {
    return *std::move(checked);
  }
  return tags;
}

std::string encode_tags(TagSet tags) {
  std::sort(tags.begin(), tags.end());
  std::string out;
  for (const auto& [key, value] : tags) {
    if (!out.empty()) {
      out.push_back('&');
    }
    http::append_uri_encoded(out, key, http::Slash::encode);
    out.push_back('=');
    http::append_uri_encoded(out, value, http::Slash::encode);
  }
  return out;
}

TagSet decode_tags(std::string_view stored) {
  TagSet tags;
  if (!split_query(stored, tags)) {
    tags.clear();
  }
  return tags;
}

std::size_t count_tags(std::string_view stored) noexcept {
  if (stored.empty()) {
    return 0;
  }
  return static_cast<std::size_t>(std::count(stored.begin(), stored.end(), '&')) + 1;
}

}  // namespace mote::s3
