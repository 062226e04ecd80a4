#include <array>
#include <cstdint>

#include "server/http/uri.h"
#include "server/s3/xml/reader.h"

namespace mote::xml {

namespace {

bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_name_char(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == ':' || byte >= 0x80;
}

/// XML 1.0 §2.2 Char.
bool is_xml_char(std::uint32_t code) noexcept {
  return code == 0x9 || code == 0xA || code == 0xD || (code >= 0x20 && code <= 0xD7FF) ||
         (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

/// A scanner that knows just enough of XML to say no. It walks the text once and allocates nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  bool scan() noexcept {
    take("\xEF\xBB\xBF");
    while (!rest_.empty()) {
      if (!(rest_.front() == '<' ? scan_markup() : scan_text())) {
        return false;
      }
    }
    return depth_ == 0 && roots_ == 1;
  }

 private:
  bool take(std::string_view word) noexcept {
    if (!rest_.starts_with(word)) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }

  bool skip_past(std::string_view end) noexcept {
    const std::size_t at = rest_.find(end);
    if (at == std::string_view::npos || !no_controls(rest_.substr(0, at))) {
      return false;
    }
    rest_.remove_prefix(at + end.size());
    return true;
  }

  static bool no_controls(std::string_view text) noexcept {
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20 && !is_blank(c)) {
        return false;
      }
    }
    return true;
  }

  bool scan_markup() noexcept {
    if (take("<!--")) {
      return skip_past("-->");
    }
    if (take("<![CDATA[")) {
      return depth_ > 0 && skip_past("]]>");
    }
    if (rest_.starts_with("<!")) {
      return false;  // DOCTYPE, ENTITY and their kin
    }
    if (take("<?")) {
      return skip_past("?>");
    }
    if (take("</")) {
      return scan_end_tag();
    }
    rest_.remove_prefix(1);
    return scan_start_tag();
  }

  std::string_view take_name() noexcept {
    std::size_t length = 0;
    while (length < rest_.size() && is_name_char(rest_[length])) {
      ++length;
    }
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  void skip_blanks() noexcept {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
    }
  }

  bool scan_start_tag() noexcept {
    const std::string_view name = take_name();
    if (name.empty() || (depth_ == 0 && roots_ == 1) || depth_ == kDepthMax) {
      return false;
    }
    if (depth_ == 0) {
      roots_ = 1;
    }
    open_[depth_++] = name;
    while (true) {
      skip_blanks();
      if (take("/>")) {
        --depth_;
        return true;
      }
      if (take(">")) {
        return true;
      }
      if (!scan_attribute()) {
        return false;
      }
    }
  }

  bool scan_attribute() noexcept {
    if (take_name().empty()) {
      return false;
    }
    skip_blanks();
    if (!take("=")) {
      return false;
    }
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '"' && quote != '\'') {
      return false;
    }
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos || !scan_characters(rest_.substr(0, end))) {
      return false;
    }
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool scan_end_tag() noexcept {
    const std::string_view name = take_name();
    skip_blanks();
    return depth_ > 0 && name == open_[--depth_] && take(">");
  }

  bool scan_text() noexcept {
    const std::string_view text = rest_.substr(0, rest_.find('<'));
    rest_.remove_prefix(text.size());
    if (depth_ == 0) {
      for (const char c : text) {
        if (!is_blank(c)) {
          return false;
        }
      }
      return true;
    }
    return scan_characters(text);
  }

  static bool scan_characters(std::string_view text) noexcept {
    if (!no_controls(text) || text.find('<') != std::string_view::npos) {
      return false;
    }
    while (true) {
      const std::size_t at = text.find('&');
      if (at == std::string_view::npos) {
        return true;
      }
      text.remove_prefix(at + 1);
      const std::size_t end = text.find(';');
      if (end == std::string_view::npos || !is_good_reference(text.substr(0, end))) {
        return false;
      }
      text.remove_prefix(end + 1);
    }
  }

  static bool is_good_reference(std::string_view name) noexcept {
    if (name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos") {
      return true;
    }
    if (!name.starts_with('#')) {
      return false;
    }
    name.remove_prefix(1);
    const bool hex = name.starts_with('x');
    name.remove_prefix(hex ? 1 : 0);
    return is_good_number(name, hex ? 16U : 10U);
  }

  static bool is_good_number(std::string_view digits, std::uint32_t base) noexcept {
    constexpr std::size_t kDigitsMax = 8;
    if (digits.empty() || digits.size() > kDigitsMax) {
      return false;
    }
    std::uint32_t code = 0;
    for (const char c : digits) {
      std::uint32_t digit = 16;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A') + 10;
      }
      if (digit >= base) {
        return false;
      }
      code = code * base + digit;
    }
    return is_xml_char(code);
  }

  std::string_view rest_;
  std::array<std::string_view, kDepthMax> open_{};
  std::size_t depth_ = 0;
  int roots_ = 0;
};

}  // namespace

bool is_acceptable(std::string_view text) noexcept {
  return http::is_valid_utf8(text) && Scanner(text).scan();
}

}  // namespace mote::xml
