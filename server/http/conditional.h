#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/header_map.h"

namespace mote::http {

/// The preconditions of one request, as sent. Views into the request head.
struct Preconditions {
  std::optional<std::string_view> if_match;
  std::optional<std::string_view> if_none_match;
  std::optional<std::string_view> if_modified_since;
  std::optional<std::string_view> if_unmodified_since;

  [[nodiscard]] bool any() const noexcept {
    return if_match || if_none_match || if_modified_since || if_unmodified_since;
  }
};

/// From If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since.
[[nodiscard]] Preconditions preconditions(const HeaderMap& headers) noexcept;
/// From x-amz-copy-source-if-match and so on (CopyObject, UploadPartCopy).
[[nodiscard]] Preconditions copy_source_preconditions(const HeaderMap& headers) noexcept;

/// What they are held against: the current object.
struct Validators {
  std::string_view etag;              ///< without quotes
  std::int64_t modified_seconds = 0;  ///< Last-Modified, UTC seconds
};

enum class Verdict : std::uint8_t { proceed, not_modified, precondition_failed };

/// GET and HEAD. RFC 9110 §13.2.2 order, which is also S3's table: If-Match decides alone over
/// If-Unmodified-Since, If-None-Match alone over If-Modified-Since. A date that does not parse, or
/// an If-Modified-Since in the future of `now_seconds`, is ignored.
[[nodiscard]] Verdict evaluate_read(const Preconditions& conditions, const Validators& object,
                                    std::int64_t now_seconds);

/// The same for a copy's source, where what would be 304 is 412 (AWS CopyObject).
[[nodiscard]] Verdict evaluate_copy_source(const Preconditions& conditions,
                                           const Validators& object, std::int64_t now_seconds);

/// True if `list` (a comma-separated ETag list, quotes optional, `W/` ignored) names `etag` or is
/// `*`.
[[nodiscard]] bool etag_list_matches(std::string_view list, std::string_view etag) noexcept;

}  // namespace mote::http
