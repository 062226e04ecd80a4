#include "server/http/form_parser.h"

#include <algorithm>
#include <utility>

#include "server/http/ascii.h"
#include "server/http/header_map.h"

namespace mote::http {

namespace {

constexpr std::size_t kBoundaryBytesMax = 70;
constexpr std::size_t kPaddingBytesMax = 64;  // blanks after a delimiter

bool is_boundary_char(char c) noexcept {
  return is_alpha(c) || is_digit(c) ||
         std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

/// Value of a parameter, quoted or not, from the front of `rest`; nullopt if a quote is not closed.
/// `\"` and `\\` are taken as escapes, any other backslash as itself: browsers on Windows send
/// paths.
std::optional<std::string> take_value(std::string_view& rest) {
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string value(trim_ows(rest.substr(0, end)));
    rest.remove_prefix(end);
    return value;
  }
  std::string value;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\')) {
      ++i;
    }
    value.push_back(rest[i]);
  }
  return std::nullopt;
}

/// Calls visit(name, value) for each `; name=value`; false if it is not made of these.
template <class F>
bool for_each_parameter(std::string_view rest, F&& visit) {
  while (!(rest = trim_ows(rest)).empty()) {
    if (rest.front() != ';') {
      return false;
    }
    rest = trim_ows(rest.substr(1));
    if (rest.empty()) {
      return true;  // a semicolon at the end
    }
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos || !is_token(rest.substr(0, equals))) {
      return false;
    }
    const std::string_view name = rest.substr(0, equals);
    rest.remove_prefix(equals + 1);
    std::optional<std::string> value = take_value(rest);
    if (!value) {
      return false;
    }
    visit(name, *std::move(value));
  }
  return true;
}

}  // namespace

std::optional<std::string> form_boundary(std::string_view content_type) {
  const std::size_t end = std::min(content_type.find(';'), content_type.size());
  if (!equals_ignore_case(trim_ows(content_type.substr(0, end)), "multipart/form-data")) {
    return std::nullopt;
  }
  std::optional<std::string> boundary;
  bool repeated = false;
  const bool well_formed =
      for_each_parameter(content_type.substr(end), [&](std::string_view name, std::string value) {
        if (equals_ignore_case(name, "boundary")) {
          repeated = boundary.has_value();
          boundary = std::move(value);
        }
      });
  if (!well_formed || repeated || !boundary || boundary->empty() ||
      boundary->size() > kBoundaryBytesMax || boundary->back() == ' ' ||
      !std::all_of(boundary->begin(), boundary->end(), is_boundary_char)) {
    return std::nullopt;
  }
  return boundary;
}

FormParser::Event FormParser::fail() {
  state_ = State::failed;
  return Event::failed;
}

FormParser::Event FormParser::next(ByteView& input) {
  switch (state_) {
    case State::preamble:
    case State::content:
      return in_content(input);
    case State::after_delimiter:
      return in_after_delimiter(input);
    case State::head:
      return in_head(input);
    case State::end:
      input = {};
      return Event::need_more;
    case State::failed:
      return Event::failed;
  }
  return Event::failed;
}

/// Goes on with a delimiter that has begun. True when it is complete. On a mismatch the bytes that
/// seemed to be its beginning are content; it can then only begin anew at the byte that differs.
bool FormParser::match_delimiter(ByteView& input) {
  const std::string_view text = as_text(input);
  std::size_t used = 0;
  while (used < text.size() && matched_ < delimiter_.size() && text[used] == delimiter_[matched_]) {
    ++used;
    ++matched_;
  }
  input = input.subspan(used);
  if (matched_ == delimiter_.size()) {
    matched_ = 0;
    return true;
  }
  if (used < text.size()) {
    replay_ = std::exchange(matched_, 0);
  }
  return false;
}

FormParser::Event FormParser::in_content(ByteView& input) {
  while (!input.empty()) {
    if (matched_ > 0) {
      const bool first = state_ == State::preamble;
      if (match_delimiter(input)) {
        state_ = State::after_delimiter;
        line_.clear();
        if (!first) {
          return Event::part_end;
        }
        return in_after_delimiter(input);
      }
      if (replay_ > 0) {
        data_ = as_bytes(std::string_view(delimiter_).substr(0, std::exchange(replay_, 0)));
        if (!first) {
          return Event::data;
        }
      }
      continue;
    }
    const std::string_view text = as_text(input);
    std::size_t end = text.find(delimiter_);
    if (end == std::string_view::npos) {
      // Its beginning may stand at the end of this piece; its one CR tells where.
      const std::size_t tail = text.size() - std::min(text.size(), delimiter_.size() - 1);
      end = std::min(text.find('\r', tail), text.size());
    }
    if (end > 0) {
      data_ = input.first(end);
      input = input.subspan(end);
      if (state_ == State::content) {
        return Event::data;
      }
      continue;
    }
    input = input.subspan(1);  // the CR that a delimiter begins with
    matched_ = 1;
  }
  return Event::need_more;
}

FormParser::Event FormParser::in_after_delimiter(ByteView& input) {
  const std::string_view text = as_text(input);
  for (std::size_t i = 0; i < text.size(); ++i) {
    line_.push_back(text[i]);
    if (line_ == "--") {
      input = {};
      state_ = State::end;
      return Event::end;
    }
    if (line_.ends_with("\r\n")) {
      if (!trim_ows(std::string_view(line_).substr(0, line_.size() - 2)).empty()) {
        return fail();
      }
      input = input.subspan(i + 1);
      state_ = State::head;
      line_.clear();
      return in_head(input);
    }
    if (line_.size() > kPaddingBytesMax) {
      return fail();
    }
  }
  input = {};
  return Event::need_more;
}

FormParser::Event FormParser::in_head(ByteView& input) {
  const std::string_view text = as_text(input);
  for (std::size_t i = 0; i < text.size(); ++i) {
    line_.push_back(text[i]);
    if (line_.size() > kPartHeadBytesMax) {
      return fail();
    }
    if (line_ == "\r\n" || line_.ends_with("\r\n\r\n")) {
      input = input.subspan(i + 1);
      if (!read_part_head()) {
        return fail();
      }
      state_ = State::content;
      return Event::part;
    }
  }
  input = {};
  return Event::need_more;
}

bool FormParser::read_part_head() {
  name_.clear();
  filename_.reset();
  std::string_view rest = line_;
  bool found = false;
  while (!rest.empty() && !rest.starts_with("\r\n")) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return false;
    }
    if (equals_ignore_case(line.substr(0, colon), "content-disposition")) {
      if (found || !read_disposition(trim_ows(line.substr(colon + 1)))) {
        return false;
      }
      found = true;
    }
  }
  return found;
}

bool FormParser::read_disposition(std::string_view value) {
  constexpr std::string_view kFormData = "form-data";
  if (!starts_with_ignore_case(value, kFormData)) {
    return false;
  }
  int names = 0;
  const bool well_formed = for_each_parameter(
      value.substr(kFormData.size()), [&](std::string_view parameter, std::string text) {
        if (equals_ignore_case(parameter, "name")) {
          name_ = std::move(text);
          ++names;
        } else if (equals_ignore_case(parameter, "filename")) {
          filename_ = std::move(text);
        }
      });
  return well_formed && names == 1 && !name_.empty();
}

}  // namespace mote::http
