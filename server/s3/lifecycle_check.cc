#include "server/s3/lifecycle_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "server/http/date.h"
#include "server/s3/xml/reader.h"

namespace mote::s3 {

namespace {

constexpr std::size_t kRulesMax = 1000;
constexpr std::size_t kIdCharactersMax = 255;
constexpr std::int64_t kDayMs = 86'400'000;

struct Action {
  std::string_view name;
  std::int64_t days_min;
};
/// S3 takes a transition on the day an object was made, but no expiration.
constexpr std::array kActions = {
    Action{"Expiration", 1},
    Action{"Transition", 0},
    Action{"NoncurrentVersionExpiration", 1},
    Action{"NoncurrentVersionTransition", 0},
    Action{"AbortIncompleteMultipartUpload", 1},
};

S3Error malformed() {
  return make_error(ErrorCode::malformed_xml);
}

std::optional<std::int64_t> to_number(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, ec] = std::from_chars(text.data(), end, value);
  return ec == std::errc{} && at == end ? std::optional(value) : std::nullopt;
}

Refusal check_field(const xml::Element& field, const Action& action) {
  const std::string text = field.text().value_or("");
  if (field.name() == "Date") {
    const std::optional<std::int64_t> when = http::parse_xml_date(text);
    if (!when) {
      return malformed();
    }
    if (*when % kDayMs != 0) {
      return invalid_argument("'Date' must be at midnight GMT", "Date", text);
    }
  } else if (field.name().ends_with("Days") || field.name().starts_with("DaysAfter")) {
    const std::optional<std::int64_t> days = to_number(text);
    if (!days) {
      return malformed();
    }
    if (*days < action.days_min) {
      return invalid_argument("'" + std::string(field.name()) + "' for " +
                                  std::string(action.name) +
                                  (action.days_min > 0 ? " action must be a positive integer"
                                                       : " action must be nonnegative"),
                              field.name(), text);
    }
  }
  return std::nullopt;
}

/// Any element of a rule that is an action; others have been looked at elsewhere.
Refusal check_action(const xml::Element& element, bool& is_action) {
  const auto action =
      std::find_if(kActions.begin(), kActions.end(),
                   [&element](const Action& each) { return each.name == element.name(); });
  is_action = action != kActions.end();
  Refusal refused;
  if (is_action) {
    element.for_each([&](const xml::Element& field) {
      refused = check_field(field, *action);
      return !refused;
    });
  }
  return refused;
}

Refusal check_rule(const xml::Element& rule, std::set<std::string>& ids) {
  const std::optional<std::string> status = rule.child_text("Status");
  if (rule.name() != "Rule" || (status != "Enabled" && status != "Disabled")) {
    return malformed();
  }
  if (const std::string id = rule.child_text("ID").value_or(""); !id.empty()) {
    if (id.size() > kIdCharactersMax) {
      return invalid_argument("ID length should not exceed allowed limit of 255", "ID", id);
    }
    if (!ids.insert(id).second) {
      return invalid_argument("Rule ID must be unique. Found same ID for more than one rule", "ID",
                              id);
    }
  }
  bool acts = false;
  Refusal refused;
  rule.for_each([&](const xml::Element& element) {
    bool is_action = false;
    refused = check_action(element, is_action);
    acts = acts || is_action;
    return !refused;
  });
  if (!refused && !acts) {
    return make_error(ErrorCode::invalid_request,
                      "At least one action needs to be specified in a rule");
  }
  return refused;
}

}  // namespace

Refusal check_lifecycle(std::string_view document) {
  const std::optional<xml::Document> parsed = xml::Document::parse(document);
  if (!parsed || parsed->root().name() != "LifecycleConfiguration") {
    return malformed();
  }
  std::set<std::string> ids;
  std::size_t rules = 0;
  Refusal refused;
  parsed->root().for_each([&](const xml::Element& rule) {
    refused = ++rules > kRulesMax ? malformed() : check_rule(rule, ids);
    return !refused;
  });
  if (!refused && rules == 0) {
    return malformed();
  }
  return refused;
}

}  // namespace mote::s3
