#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mote::http {

/// Reason phrase of a status ("Not Found"), "Unknown" for one this server never sends.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

/// Header lines being written into one reusable string. A name or value with CR, LF or NUL can
/// never reach the wire: the line is refused as a whole.
class HeaderBlock {
 public:
  /// Appends "name: value\r\n". False, with nothing appended, if the name is empty or not a token
  /// or the value holds CR, LF or NUL.
  bool add(std::string_view name, std::string_view value);
  void add(std::string_view name, std::uint64_t number);
  /// Appends lines that were made by a HeaderBlock before (a stored or cached block), unchecked.
  void append_lines(std::string_view lines) { text_.append(lines); }
  void clear() noexcept { text_.clear(); }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

 protected:
  std::string text_;
};

/// A whole response head: start(status), add lines, finish().
class ResponseHead : public HeaderBlock {
 public:
  /// Forgets what was there and writes the status line, always as HTTP/1.1 (RFC 9112 §2.3).
  void start(int status);
  /// Appends the empty line that ends the head.
  void finish() { text_.append("\r\n"); }
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  int status_ = 0;
};

}  // namespace mote::http
