#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Dates on the wire. Times are UTC seconds or milliseconds since 1970; years 1 to 9999 only.
namespace mote::http {

inline constexpr std::size_t kHttpDateBytes = 29;  ///< "Sun, 06 Nov 1994 08:49:37 GMT"
inline constexpr std::size_t kAmzDateBytes = 16;   ///< "20130524T000000Z"
inline constexpr std::size_t kXmlDateBytes = 24;   ///< "2006-01-02T15:04:05.000Z"

/// IMF-fixdate (RFC 9110 §5.6.7), into a caller's buffer without allocating.
std::array<char, kHttpDateBytes> format_http_date(std::int64_t seconds) noexcept;
[[nodiscard]] std::string http_date(std::int64_t seconds);
/// IMF-fixdate, RFC 850 and asctime forms, as RFC 9110 asks of a recipient; also `+0000` for GMT.
/// nullopt if it is none of them. Two-digit years: RFC 850's rule with `now_seconds`.
[[nodiscard]] std::optional<std::int64_t> parse_http_date(std::string_view text,
                                                          std::int64_t now_seconds = 0) noexcept;

/// "20130524T000000Z", the ISO 8601 basic form of x-amz-date.
[[nodiscard]] std::array<char, kAmzDateBytes> format_amz_date(std::int64_t seconds) noexcept;
[[nodiscard]] std::optional<std::int64_t> parse_amz_date(std::string_view text) noexcept;

/// "2006-01-02T15:04:05.000Z", the form of every date in an S3 document.
[[nodiscard]] std::array<char, kXmlDateBytes> format_xml_date(std::int64_t milliseconds) noexcept;
[[nodiscard]] std::string xml_date(std::int64_t milliseconds);
/// ISO 8601 extended in UTC: "2006-01-02T15:04:05Z" or with a fraction (milliseconds kept).
[[nodiscard]] std::optional<std::int64_t> parse_xml_date(std::string_view text) noexcept;

}  // namespace mote::http
