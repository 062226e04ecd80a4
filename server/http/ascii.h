#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

/// Character classes of RFC 9110 and number reading. Locale-free, unlike <cctype>.
namespace mote::http {

[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
[[nodiscard]] constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_alpha(char c) noexcept {
  return to_lower(c) >= 'a' && to_lower(c) <= 'z';
}
[[nodiscard]] constexpr bool is_ows(char c) noexcept {
  return c == ' ' || c == '\t';
}
/// Characters of a token (RFC 9110 §5.6.2): method and field names.
inline constexpr auto kTokenChars = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 128; ++c) {
    const char symbol = static_cast<char>(c);
    table[c] = is_alpha(symbol) || is_digit(symbol) ||
               std::string_view("!#$%&'*+-.^_`|~").find(symbol) != std::string_view::npos;
  }
  return table;
}();
[[nodiscard]] constexpr bool is_token_char(char c) noexcept {
  return kTokenChars[static_cast<unsigned char>(c)];
}
/// Characters allowed in a field value: blank, tab, visible, and bytes above 127 (metadata in
/// UTF-8).
[[nodiscard]] constexpr bool is_field_char(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}
/// Characters allowed in a request target: visible, and bytes above 127 (clients that send UTF-8
/// raw).
[[nodiscard]] constexpr bool is_target_char(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && c != '#';
}
/// True if every character is of the class. Written out, because a predicate passed by pointer
/// costs a call per character: these ran for half of the time that a head takes to parse.
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
  bool good = true;
  for (const char c : text) {
    good = good && is_token_char(c);
  }
  return good && !text.empty();
}
[[nodiscard]] constexpr bool is_digits(std::string_view text) noexcept {
  bool good = true;
  for (const char c : text) {
    good = good && is_digit(c);
  }
  return good && !text.empty();
}
[[nodiscard]] constexpr bool is_target_text(std::string_view text) noexcept {
  bool good = true;
  for (const char c : text) {
    good = good && is_target_char(c);
  }
  return good;
}
/// As is_field_char for every character, eight at a time.
[[nodiscard]] inline bool is_field_text(std::string_view text) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = kOnes * 0x80U;
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    const std::uint64_t deletes = word ^ kOnes * 0x7fU;  // a byte is zero here where it is DEL
    const std::uint64_t suspects =
        ((word - kOnes * 0x20U) & ~word & kHighs) | ((deletes - kOnes) & ~deletes & kHighs);
    if (suspects != 0) {  // a control character, a tab, or a byte next to one
      for (std::size_t i = 0; i < sizeof word; ++i) {
        if (!is_field_char(text[i])) {
          return false;
        }
      }
    }
    text.remove_prefix(sizeof word);
  }
  for (const char c : text) {
    if (!is_field_char(c)) {
      return false;
    }
  }
  return true;
}
/// 0-15, or -1 for anything but a hex digit.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) {
    return c - '0';
  }
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A number of digits only (no sign, no blanks); nullopt also when it does not fit.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) noexcept {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || !is_digit(text.front()) || error != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return value;
}

/// Calls `visit(item)` for each comma-separated item, trimmed; empty items too.
template <class F>
void for_each_item(std::string_view list, F&& visit) {
  for (;;) {
    const std::size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    while (!item.empty() && is_ows(item.front())) {
      item.remove_prefix(1);
    }
    while (!item.empty() && is_ows(item.back())) {
      item.remove_suffix(1);
    }
    visit(item);
    if (comma == std::string_view::npos) {
      return;
    }
    list.remove_prefix(comma + 1);
  }
}

}  // namespace mote::http
