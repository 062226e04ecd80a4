#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "erasure/base/bytes.h"

namespace mote::http {

/// The boundary of a multipart/form-data Content-Type; nullopt if it is another type, or the
/// boundary is absent or not 1 to 70 characters of RFC 2046 §5.1.1.
[[nodiscard]] std::optional<std::string> form_boundary(std::string_view content_type);

/// Takes a multipart/form-data body (RFC 7578) apart as it arrives. No I/O; contents are handed out
/// as views, so that a part of any size needs no memory; the headers of a part are limited. Any
/// split of the input gives the same events.
class FormParser {
 public:
  static constexpr std::size_t kPartHeadBytesMax = 4 * kKiB;

  enum class Event : std::uint8_t {
    need_more,  ///< the input is used up
    part,       ///< a part begins: name(), filename()
    data,       ///< data() holds the next bytes of its content, until the next call
    part_end,
    end,     ///< the closing delimiter was there; what follows is ignored
    failed,  ///< not well-formed, for good
  };

  explicit FormParser(std::string_view boundary) : delimiter_("\r\n--" + std::string(boundary)) {}

  /// Consumes from the front of `input` up to the next event.
  [[nodiscard]] Event next(ByteView& input);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// nullopt for a field that is no file.
  [[nodiscard]] const std::optional<std::string>& filename() const noexcept { return filename_; }
  [[nodiscard]] ByteView data() const noexcept { return data_; }

 private:
  enum class State : std::uint8_t { preamble, after_delimiter, head, content, end, failed };

  Event in_content(ByteView& input);
  Event in_after_delimiter(ByteView& input);
  Event in_head(ByteView& input);
  [[nodiscard]] bool match_delimiter(ByteView& input);
  [[nodiscard]] bool read_part_head();
  [[nodiscard]] bool read_disposition(std::string_view value);
  Event fail();

  std::string delimiter_;    // with the CRLF that belongs to it; has no other CR
  std::size_t matched_ = 2;  // bytes of it seen so far; the body begins as if after a CRLF
  std::size_t replay_ = 0;   // bytes of it that turned out to be content
  State state_ = State::preamble;
  std::string line_;  // head of a part, or what follows a delimiter
  std::string name_;
  std::optional<std::string> filename_;
  ByteView data_;
};

}  // namespace mote::http
