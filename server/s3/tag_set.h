#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/s3/s3_error.h"

namespace mote::s3 {

using TagSet = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kObjectTagsMax = 10;
inline constexpr std::size_t kBucketTagsMax = 50;

/// AWS "Categorizing your storage using tags": key 1 to 128 characters, value up to 256, letters,
/// digits, blanks and + - = . _ : / @; no key twice; at most `tags_max`. InvalidTag.
[[nodiscard]] Refusal check_tags(const TagSet& tags, std::size_t tags_max);
/// x-amz-tagging: URL query syntax. InvalidArgument, and what check_tags answers.
[[nodiscard]] Outcome<TagSet> parse_tagging_header(std::string_view value);

/// The stored form: encoded `key=value&key=value`, sorted by key.
[[nodiscard]] std::string encode_tags(TagSet tags);
/// Reads the stored form.
[[nodiscard]] TagSet decode_tags(std::string_view stored);
/// Number of tags in the stored form.
[[nodiscard]] std::size_t count_tags(std::string_view stored) noexcept;

}  // namespace mote::s3
