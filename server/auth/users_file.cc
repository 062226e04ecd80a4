#include "server/auth/users_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "server/auth/strict_json.h"

namespace mote::auth {

namespace {

namespace json = boost::json;

constexpr std::size_t kAccessKeyBytesMin = 3;
constexpr std::size_t kAccessKeyBytesMax = 128;
constexpr std::size_t kSecretKeyBytesMin = 8;
constexpr std::array<std::string_view, 5> kMembers = {"access_key", "secret_key", "id",
                                                      "display_name", "email"};

/// Text that travels in headers and XML as it is.
bool is_printable(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
}

bool is_access_key(std::string_view text) noexcept {
  return text.size() >= kAccessKeyBytesMin && text.size() <= kAccessKeyBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return c > ' ' && c < 0x7F && c != '/' && c != ':' && c != ',';
         });
}

/// A member that must be text; "" where it is absent.
std::optional<std::string> text_member(const json::object& entry, std::string_view name) {
  const json::value* const value = entry.if_contains({name.data(), name.size()});
  if (value == nullptr) {
    return std::string();
  }
  const json::string* const text = value->if_string();
  if (text == nullptr || !is_printable({text->data(), text->size()})) {
    return std::nullopt;
  }
  return std::string(text->data(), text->size());
}

/// What is wrong with the names in an entry, "" if nothing.
std::string unknown_member(const json::object& entry) {
  for (const auto& member : entry) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(kMembers.begin(), kMembers.end(), name) == kMembers.end()) {
      return "unknown member \"" + std::string(name) + "\"";
    }
  }
  return {};
}

/// One entry; the problem it has, "" if none.
std::string read_entry(const json::value& value, Credential& out) {
  const json::object* const entry = value.if_object();
  if (entry == nullptr) {
    return "not an object";
  }
  if (std::string problem = unknown_member(*entry); !problem.empty()) {
    return problem;
  }
  std::array<std::string, kMembers.size()> texts;
  for (std::size_t i = 0; i < kMembers.size(); ++i) {
    std::optional<std::string> text = text_member(*entry, kMembers[i]);
    if (!text) {
      return "\"" + std::string(kMembers[i]) + "\" is not a text";
    }
    texts[i] = *std::move(text);
  }
  auto& [access_key, secret_key, id, display_name, email] = texts;
  if (!is_access_key(access_key)) {
    return "\"access_key\" needs 3 to 128 visible ASCII characters without / : and ,";
  }
  if (secret_key.size() < kSecretKeyBytesMin) {
    return "\"secret_key\" needs 8 characters at least";
  }
  out.secret = Secret(std::move(secret_key));
  out.identity = {std::move(access_key), std::move(id), std::move(display_name), std::move(email)};
  if (out.identity.user_id.empty()) {
    out.identity.user_id = out.identity.access_key;
  }
  return {};
}

/// Two keys of one user must not disagree about who that is. Fills in what only one of them says.
bool join_names(std::string& one, std::string& other) {
  if (one.empty() || other.empty()) {
    (one.empty() ? one : other) = one.empty() ? other : one;
    return true;
  }
  return one == other;
}

std::string check_entries(std::vector<Credential>& all) {
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Identity& mine = all[i].identity;
    if (!keys.insert(mine.access_key).second) {
      return "the access key " + mine.access_key + " is given twice";
    }
    for (std::size_t j = 0; j < i; ++j) {
      Identity& other = all[j].identity;
      if (other.user_id == mine.user_id && (!join_names(mine.display_name, other.display_name) ||
                                            !join_names(mine.email, other.email))) {
        return "the user " + mine.user_id + " has two names or two e-mail addresses";
      }
    }
  }
  for (Credential& credential : all) {
    if (credential.identity.display_name.empty()) {
      credential.identity.display_name = credential.identity.user_id;
    }
  }
  return {};
}

}  // namespace

UsersFile parse_users(std::string_view text) {
  UsersFile out;
  const std::optional<json::value> document = parse_strict_json(text);
  const json::object* const root = document ? document->if_object() : nullptr;
  const json::value* const users = root == nullptr ? nullptr : root->if_contains("users");
  if (users == nullptr || !users->is_array() || root->size() != 1) {
    out.problem = R"(not a JSON object of the form {"users": [...]} in which every name is unique)";
    return out;
  }
  for (const json::value& value : users->get_array()) {
    Credential credential;
    const std::string problem = read_entry(value, credential);
    if (!problem.empty()) {
      out.problem = "entry " + std::to_string(out.credentials.size() + 1) + ": " + problem;
      break;
    }
    out.credentials.push_back(std::move(credential));
  }
  if (out.problem.empty()) {
    out.problem = check_entries(out.credentials);
  }
  if (!out.problem.empty()) {
    out.credentials.clear();
  }
  return out;
}

}  // namespace mote::auth
