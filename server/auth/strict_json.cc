#include "server/auth/strict_json.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

namespace mote::auth {

namespace {

namespace json = boost::json;

/// Receives the events of a parse and refuses a name that its object has already.
class NameCheck {
 public:
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(json::error_code& /*ec*/) { return true; }
  bool on_document_end(json::error_code& /*ec*/) { return true; }
  bool on_object_begin(json::error_code& /*ec*/) {
    names_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t /*count*/, json::error_code& /*ec*/) {
    names_.pop_back();
    return true;
  }
  bool on_array_begin(json::error_code& /*ec*/) { return true; }
  bool on_array_end(std::size_t /*count*/, json::error_code& /*ec*/) { return true; }
  bool on_key_part(json::string_view part, std::size_t /*count*/, json::error_code& /*ec*/) {
    name_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t /*count*/, json::error_code& ec) {
    name_.append(part.data(), part.size());
    if (!names_.back().insert(std::exchange(name_, {})).second) {
      ec = json::error::syntax;
      return false;
    }
    return true;
  }
  bool on_string_part(json::string_view /*part*/, std::size_t /*count*/, json::error_code& /*ec*/) {
    return true;
  }
  bool on_string(json::string_view /*text*/, std::size_t /*count*/, json::error_code& /*ec*/) {
    return true;
  }
  bool on_number_part(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }
  bool on_int64(std::int64_t /*value*/, json::string_view /*text*/, json::error_code& /*ec*/) {
    return true;
  }
  bool on_uint64(std::uint64_t /*value*/, json::string_view /*text*/, json::error_code& /*ec*/) {
    return true;
  }
  bool on_double(double /*value*/, json::string_view /*text*/, json::error_code& /*ec*/) {
    return true;
  }
  bool on_bool(bool /*value*/, json::error_code& /*ec*/) { return true; }
  bool on_null(json::error_code& /*ec*/) { return true; }
  bool on_comment_part(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }
  bool on_comment(json::string_view /*text*/, json::error_code& /*ec*/) { return true; }

 private:
  std::vector<std::set<std::string>> names_;  // of the objects that are open
  std::string name_;                          // pieces of the name being read
};

bool names_are_unique(std::string_view text) {
  json::basic_parser<NameCheck> parser(json::parse_options{});
  json::error_code ec;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  return !ec && used == text.size();
}

}  // namespace

std::optional<json::value> parse_strict_json(std::string_view text) {
  if (!names_are_unique(text)) {
    return std::nullopt;
  }
  json::error_code ec;
  json::value value = json::parse({text.data(), text.size()}, ec);
  return ec ? std::nullopt : std::optional(std::move(value));
}

}  // namespace mote::auth
