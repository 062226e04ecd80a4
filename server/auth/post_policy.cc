#include "server/auth/post_policy.h"

#include <algorithm>
#include <array>

#include <boost/json/serialize.hpp>

#include "server/auth/strict_json.h"
#include "server/digest/encoding.h"
#include "server/http/ascii.h"
#include "server/http/date.h"
#include "server/http/header_map.h"

namespace mote::auth {

namespace {

namespace json = boost::json;

/// Fields that no condition has to name.
constexpr std::array<std::string_view, 5> kFree = {"awsaccesskeyid", "signature", "x-amz-signature",
                                                   "policy", "file"};
constexpr std::string_view kIgnoredPrefix = "x-ignore-";
/// A checksum grants nothing: it only makes the upload stricter. (ceph/s3-tests sends one that no
/// condition names; AWS's documentation does not say.)
constexpr std::string_view kChecksumPrefix = "x-amz-checksum-";

Failure invalid_policy(const std::string& detail) {
  return {"InvalidPolicyDocument", 400, "Invalid Policy: " + detail, {}};
}

Failure refused_by_policy(const std::string& detail) {
  return {"AccessDenied", 403, "Invalid according to Policy: " + detail, {}};
}

std::optional<std::string> text_of(const json::value& value) {
  const json::string* const text = value.if_string();
  return text == nullptr ? std::nullopt : std::optional(std::string(text->data(), text->size()));
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), http::to_lower);
  return text;
}

/// A bound of content-length-range: a whole number, also as text.
std::optional<std::uint64_t> bound_of(const json::value& value) {
  if (const std::optional<std::string> text = text_of(value)) {
    return http::parse_number<std::uint64_t>(*text);
  }
  if (value.is_int64() && value.get_int64() >= 0) {
    return static_cast<std::uint64_t>(value.get_int64());
  }
  return value.is_uint64() ? std::optional(value.get_uint64()) : std::nullopt;
}

bool is_free(std::string_view field) noexcept {
  return field.starts_with(kIgnoredPrefix) || field.starts_with(kChecksumPrefix) ||
         std::find(kFree.begin(), kFree.end(), field) != kFree.end();
}

}  // namespace

std::optional<std::string_view> find_field(const FormFields& fields,
                                           std::string_view lower) noexcept {
  for (const auto& [name, value] : fields) {
    if (name == lower) {
      return value;
    }
  }
  return std::nullopt;
}

/// Fills a policy from its document; each function answers what is wrong, or nothing.
struct PostPolicy::Reader {
  PostPolicy& policy;

  std::optional<Failure> read_conditions(const json::value* list) const {
    if (list == nullptr) {
      return invalid_policy("Policy missing conditions.");
    }
    if (!list->is_array()) {
      return invalid_policy("Invalid 'conditions' value: must be a List.");
    }
    for (const json::value& item : list->get_array()) {
      std::optional<Failure> failure;
      if (const json::object* const object = item.if_object()) {
        failure = read_simple(*object);
      } else if (const json::array* const array = item.if_array()) {
        failure = read_list(*array);
      } else {
        failure = invalid_policy("Invalid condition: must be an object or a list.");
      }
      if (failure) {
        return failure;
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> read_simple(const json::object& object) const {
    if (object.size() != 1) {
      return invalid_policy(
          "Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.");
    }
    const std::string name(object.begin()->key().data(), object.begin()->key().size());
    const std::optional<std::string> value = text_of(object.begin()->value());
    if (name.empty() || !value) {
      return invalid_policy("Invalid Simple-Condition: value must be a string.");
    }
    add(Match::equal, name, *value);
    return std::nullopt;
  }

  std::optional<Failure> read_list(const json::array& array) const {
    const std::string operation = array.empty() ? "" : lower_case(text_of(array[0]).value_or(""));
    constexpr std::size_t kOperands = 3;
    if (array.size() != kOperands) {
      return invalid_policy("Invalid Condition: a condition has an operator and two arguments.");
    }
    if (operation == "content-length-range") {
      return read_range(array);
    }
    if (operation != "eq" && operation != "starts-with") {
      return invalid_policy("Invalid Condition: unknown operation '" + operation + "'.");
    }
    const std::optional<std::string> field = text_of(array[1]);
    const std::optional<std::string> value = text_of(array[2]);
    if (!field || !value || field->size() < 2 || field->front() != '$') {
      return invalid_policy("Invalid Condition: it needs a $field and a string.");
    }
    add(operation == "eq" ? Match::equal : Match::starts_with, field->substr(1), *value);
    return std::nullopt;
  }

  std::optional<Failure> read_range(const json::array& array) const {
    const std::optional<std::uint64_t> low = bound_of(array[1]);
    const std::optional<std::uint64_t> high = bound_of(array[2]);
    if (!low || !high) {
      return invalid_policy("Invalid content-length-range: bounds are whole numbers.");
    }
    policy.bytes_min_ = std::max(policy.bytes_min_, *low);
    policy.bytes_max_ = std::min(policy.bytes_max_, *high);
    return std::nullopt;
  }

  void add(Match match, const std::string& field, const std::string& value) const {
    const json::array shown{match == Match::equal ? "eq" : "starts-with", json::string("$" + field),
                            json::string(value)};
    policy.conditions_.push_back({match, lower_case(field), value, json::serialize(shown)});
  }
};

Outcome<PostPolicy> PostPolicy::read(std::string_view base64, std::int64_t now_ms) {
  const std::optional<std::string> text = digest::from_base64(base64);
  const std::optional<json::value> document = text ? parse_strict_json(*text) : std::nullopt;
  const json::object* const root = document ? document->if_object() : nullptr;
  if (root == nullptr) {
    return invalid_policy("Invalid JSON.");
  }
  const json::value* const expiration = root->if_contains("expiration");
  if (expiration == nullptr) {
    return invalid_policy("Policy missing expiration.");
  }
  const std::optional<std::int64_t> expires =
      http::parse_xml_date(text_of(*expiration).value_or(""));
  if (!expires) {
    return invalid_policy("Invalid 'expiration' value.");
  }
  PostPolicy policy;
  if (auto failure = Reader{policy}.read_conditions(root->if_contains("conditions"))) {
    return *std::move(failure);
  }
  if (now_ms >= *expires) {
    return refused_by_policy("Policy expired.");
  }
  return policy;
}

bool PostPolicy::names(std::string_view field) const noexcept {
  return std::any_of(conditions_.begin(), conditions_.end(),
                     [field](const Condition& condition) { return condition.field == field; });
}

bool PostPolicy::holds(const Condition& condition, std::string_view value) noexcept {
  if (condition.match == Match::equal) {
    return value == condition.value;
  }
  if (condition.field != "content-type") {
    return value.starts_with(condition.value);
  }
  // A list of types has to begin with the prefix in each of its items.
  bool all = true;
  http::for_each_item(
      value, [&](std::string_view item) { all = all && item.starts_with(condition.value); });
  return all;
}

std::optional<Failure> PostPolicy::check_fields(const FormFields& fields,
                                                std::string_view bucket) const {
  if (!names("bucket")) {
    return refused_by_policy("Extra input fields: bucket");
  }
  for (const auto& [name, value] : fields) {
    if (!is_free(name) && !names(name)) {
      return refused_by_policy("Extra input fields: " + name);
    }
    if (name == "bucket" && value != bucket) {
      return refused_by_policy("the bucket field names another bucket.");
    }
  }
  for (const Condition& condition : conditions_) {
    const std::string_view value =
        condition.field == "bucket" ? bucket : find_field(fields, condition.field).value_or("");
    if (!holds(condition, value)) {
      return refused_by_policy("Policy Condition failed: " + condition.text);
    }
  }
  return std::nullopt;
}

std::optional<Failure> PostPolicy::check_length(std::uint64_t file_bytes) const {
  if (file_bytes > bytes_max_) {
    return Failure{"EntityTooLarge",
                   400,
                   "Your proposed upload exceeds the maximum allowed size",
                   {{"ProposedSize", std::to_string(file_bytes)},
                    {"MaxSizeAllowed", std::to_string(bytes_max_)}}};
  }
  if (file_bytes < bytes_min_) {
    return Failure{"EntityTooSmall",
                   400,
                   "Your proposed upload is smaller than the minimum allowed size",
                   {{"ProposedSize", std::to_string(file_bytes)},
                    {"MinSizeAllowed", std::to_string(bytes_min_)}}};
  }
  return std::nullopt;
}

}  // namespace mote::auth
