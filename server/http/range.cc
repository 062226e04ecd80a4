#include "server/http/range.h"

#include <algorithm>

#include "server/http/ascii.h"
#include "server/http/header_map.h"

namespace mote::http {

std::optional<RangeSpec> parse_range(std::string_view header) noexcept {
  constexpr std::string_view kUnit = "bytes=";
  header = trim_ows(header);
  if (!starts_with_ignore_case(header, kUnit)) {
    return std::nullopt;
  }
  const std::string_view range = trim_ows(header.substr(kUnit.size()));
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = range.substr(dash + 1);
  const auto first_number = parse_number<std::uint64_t>(first);
  const auto last_number = parse_number<std::uint64_t>(last);
  if ((!first.empty() && !first_number) || (!last.empty() && !last_number)) {
    return std::nullopt;
  }
  if (first_number && last_number) {
    if (*first_number > *last_number) {
      return std::nullopt;
    }
    return RangeSpec{RangeSpec::Kind::from_to, *first_number, *last_number};
  }
  if (first_number) {
    return RangeSpec{RangeSpec::Kind::from, *first_number, 0};
  }
  if (last_number) {
    return RangeSpec{RangeSpec::Kind::suffix, 0, *last_number};
  }
  return std::nullopt;
}

std::optional<ByteRange> resolve_range(const RangeSpec& spec, std::uint64_t size) noexcept {
  if (spec.kind == RangeSpec::Kind::suffix) {
    const std::uint64_t length = std::min(spec.last, size);
    return length == 0 ? std::nullopt : std::optional(ByteRange{size - length, length});
  }
  if (spec.first >= size) {
    return std::nullopt;
  }
  const std::uint64_t rest = size - spec.first;
  if (spec.kind == RangeSpec::Kind::from || spec.last >= size) {
    return ByteRange{spec.first, rest};
  }
  return ByteRange{spec.first, spec.last - spec.first + 1};
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return "bytes " + std::to_string(range.offset) + "-" +
         std::to_string(range.offset + range.length - 1) + "/" + std::to_string(size);
}

std::string unsatisfied_range(std::uint64_t size) {
  return "bytes */" + std::to_string(size);
}

}  // namespace mote::http
