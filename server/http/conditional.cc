#include "server/http/conditional.h"

#include <algorithm>

#include "server/http/ascii.h"
#include "server/http/date.h"

namespace mote::http {

namespace {

/// Cuts the next entity tag off `list`: its text without quotes and W/. False at the end.
bool take_etag(std::string_view& list, std::string_view& etag) {
  while (!list.empty() && (is_ows(list.front()) || list.front() == ',')) {
    list.remove_prefix(1);
  }
  if (list.empty()) {
    return false;
  }
  if (list.starts_with("W/")) {
    list.remove_prefix(2);
  }
  if (list.starts_with('"')) {
    list.remove_prefix(1);
    const std::size_t close = std::min(list.find('"'), list.size());
    etag = list.substr(0, close);
    list.remove_prefix(std::min(close + 1, list.size()));
    return true;
  }
  const std::size_t end = std::min(list.find(','), list.size());
  etag = trim_ows(list.substr(0, end));
  list.remove_prefix(end);
  return true;
}

bool unmodified(std::string_view since, const Validators& object, std::int64_t now_seconds) {
  const auto date = parse_http_date(since, now_seconds);
  return !date || object.modified_seconds <= *date;
}

bool modified(std::string_view since, const Validators& object, std::int64_t now_seconds) {
  const auto date = parse_http_date(since, now_seconds);
  return !date || *date > now_seconds || object.modified_seconds > *date;
}

}  // namespace

Preconditions preconditions(const HeaderMap& headers) noexcept {
  return {headers.find("if-match"), headers.find("if-none-match"),
          headers.find("if-modified-since"), headers.find("if-unmodified-since")};
}

Preconditions copy_source_preconditions(const HeaderMap& headers) noexcept {
  return {headers.find("x-amz-copy-source-if-match"),
          headers.find("x-amz-copy-source-if-none-match"),
          headers.find("x-amz-copy-source-if-modified-since"),
          headers.find("x-amz-copy-source-if-unmodified-since")};
}

Verdict evaluate_read(const Preconditions& conditions, const Validators& object,
                      std::int64_t now_seconds) {
  if (conditions.if_match) {
    if (!etag_list_matches(*conditions.if_match, object.etag)) {
      return Verdict::precondition_failed;
    }
  } else if (conditions.if_unmodified_since &&
             !unmodified(*conditions.if_unmodified_since, object, now_seconds)) {
    return Verdict::precondition_failed;
  }
  if (conditions.if_none_match) {
    if (etag_list_matches(*conditions.if_none_match, object.etag)) {
      return Verdict::not_modified;
    }
  } else if (conditions.if_modified_since &&
             !modified(*conditions.if_modified_since, object, now_seconds)) {
    return Verdict::not_modified;
  }
  return Verdict::proceed;
}

Verdict evaluate_copy_source(const Preconditions& conditions, const Validators& object,
                             std::int64_t now_seconds) {
  const Verdict verdict = evaluate_read(conditions, object, now_seconds);
  return verdict == Verdict::not_modified ? Verdict::precondition_failed : verdict;
}

bool etag_list_matches(std::string_view list, std::string_view etag) noexcept {
  if (trim_ows(list) == "*") {
    return true;
  }
  std::string_view candidate;
  while (take_etag(list, candidate)) {
    if (candidate == etag) {
      return true;
    }
  }
  return false;
}

}  // namespace mote::http
