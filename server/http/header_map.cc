#include "server/http/header_map.h"

#include "server/http/ascii.h"

namespace mote::http {

bool equals_ignore_case(std::string_view text, std::string_view lower) noexcept {
  return text.size() == lower.size() && starts_with_ignore_case(text, lower);
}

bool starts_with_ignore_case(std::string_view text, std::string_view lower) noexcept {
  if (text.size() < lower.size()) {
    return false;
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) {
      return false;
    }
  }
  return true;
}

std::string_view trim_ows(std::string_view text) noexcept {
  while (!text.empty() && is_ows(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_ows(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool HeaderMap::add(std::string_view name, std::string_view value) {
  if (fields_.size() >= kHeaderFieldsMax) {
    return false;
  }
  fields_.push_back({name, trim_ows(value)});
  lengths_ |= std::uint64_t{1} << (name.size() % 64);
  return true;
}

void HeaderMap::clear() noexcept {
  fields_.clear();
  lengths_ = 0;
}

std::optional<std::string_view> HeaderMap::find(std::string_view lower) const noexcept {
  if (!length_seen(lower.size())) {
    return std::nullopt;
  }
  for (const HeaderField& field : fields_) {
    if (equals_ignore_case(field.name, lower)) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::string_view HeaderMap::get(std::string_view lower) const noexcept {
  return find(lower).value_or(std::string_view{});
}

std::size_t HeaderMap::count(std::string_view lower) const noexcept {
  std::size_t found = 0;
  find_all(lower, [&found](std::string_view) { ++found; });
  return found;
}

}  // namespace mote::http
