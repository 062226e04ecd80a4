#include "server/http/uri.h"

#include <array>
#include <cstdint>

#include "server/http/ascii.h"

namespace mote::http {

namespace {

constexpr auto kUnreserved = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 128; ++c) {
    const char symbol = static_cast<char>(c);
    table[c] = is_alpha(symbol) || is_digit(symbol) || symbol == '-' || symbol == '.' ||
               symbol == '_' || symbol == '~';
  }
  return table;
}();

/// Length of the well-formed multi-byte UTF-8 sequence at the front of `text`, 0 if there is none
/// (Unicode 15 table 3-7).
std::size_t utf8_sequence(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto tail = [&byte](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned lead = byte(0);
  const unsigned second = byte(1);
  if (lead >= 0xc2 && lead <= 0xdf) {
    return tail(1) ? 2 : 0;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool overlong = lead == 0xe0 && second < 0xa0;
    const bool surrogate = lead == 0xed && second > 0x9f;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool overlong = lead == 0xf0 && second < 0x90;
    const bool beyond = lead == 0xf4 && second > 0x8f;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

void append_uri_encoded(std::string& out, std::string_view text, Slash slash) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::size_t start = 0;  // of the run that needs no encoding
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (kUnreserved[byte] || (text[i] == '/' && slash == Slash::keep)) {
      continue;
    }
    out.append(text.substr(start, i - start));
    const char escape[] = {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    out.append(escape, sizeof escape);
    start = i + 1;
  }
  out.append(text.substr(start));
}

std::string uri_encode(std::string_view text, Slash slash) {
  std::string out;
  out.reserve(text.size());
  append_uri_encoded(out, text, slash);
  return out;
}

bool append_uri_decoded(std::string& out, std::string_view text, Plus plus) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::blank) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      if (text.size() - i < 3) {
        return false;
      }
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) {
        return false;
      }
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return true;
}

bool is_valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = utf8_sequence(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace mote::http
