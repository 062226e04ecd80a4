#include "server/net/request_parser.h"

#include <functional>

#include <boost/beast/http/basic_parser.hpp>

#include "server/http/limits.h"

namespace mote::net {
namespace {

namespace beast = boost::beast;
using beast::error_code;

/// Receives Beast's callbacks as views into the connection's buffer.
class Parser final : public beast::http::basic_parser<true> {
 public:
  Parser(std::string_view section, http::RequestHead& head) : section_(section), head_(&head) {
    header_limit(static_cast<std::uint32_t>(http::kHeadBytesMax + 4));
    body_limit(boost::none);
  }

  [[nodiscard]] std::optional<http::FramingError> refused() const { return refused_; }
  [[nodiscard]] ByteView take_data() { return std::exchange(data_, {}); }
  /// From here on fields are trailers: parsed, never kept.
  void close_head() { head_ = nullptr; }

 private:
  void on_request_impl(beast::http::verb /*verb*/, beast::string_view method,
                       beast::string_view target, int version, error_code& /*ec*/) override {
    head_->set_method({method.data(), method.size()});
    head_->set_target({target.data(), target.size()});
    head_->minor_version = version % 10;
  }

  void on_field_impl(beast::http::field /*name*/, beast::string_view name, beast::string_view value,
                     error_code& ec) override {
    if (head_ == nullptr) {
      return;
    }
    // A folded line (obs-fold) is the one case in which Beast hands out a view of its own memory.
    const std::less<const char*> before;
    const bool folded =
        !value.empty() && (before(value.data(), section_.data()) ||
                           !before(value.data(), section_.data() + section_.size()));
    if (folded) {
      refused_ = http::FramingError::malformed;
      ec = beast::http::error::bad_value;
    } else if (!head_->headers.add({name.data(), name.size()}, {value.data(), value.size()})) {
      refused_ = http::FramingError::too_many_fields;
      ec = beast::http::error::header_limit;
    }
  }

  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, beast::string_view body,
                                 error_code& /*ec*/) override {
    data_ = std::as_bytes(std::span(body.data(), body.size()));
    return body.size();
  }

  void on_header_impl(error_code& /*ec*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*ec*/) override {}
  std::size_t on_body_impl(beast::string_view body, error_code& /*ec*/) override {
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, beast::string_view /*extensions*/,
                            error_code& /*ec*/) override {}
  void on_finish_impl(error_code& /*ec*/) override {}
  void on_response_impl(int /*code*/, beast::string_view /*reason*/, int /*version*/,
                        error_code& /*ec*/) override {}

  std::string_view section_;
  http::RequestHead* head_;
  ByteView data_;
  std::optional<http::FramingError> refused_;
};

http::FramingError from_beast(const error_code& ec) {
  if (ec == beast::http::error::bad_version) {
    return http::FramingError::unsupported_version;
  }
  if (ec == beast::http::error::bad_content_length ||
      ec == beast::http::error::multiple_content_length) {
    return http::FramingError::bad_content_length;
  }
  if (ec == beast::http::error::bad_transfer_encoding) {
    return http::FramingError::bad_transfer_encoding;
  }
  if (ec == beast::http::error::header_limit) {
    return http::FramingError::header_section_too_large;
  }
  return http::FramingError::malformed;
}

}  // namespace

class RequestParser::Impl {
 public:
  std::optional<Parser> parser;
};

RequestParser::RequestParser() : impl_(std::make_unique<Impl>()) {}
RequestParser::~RequestParser() = default;

std::optional<http::FramingError> RequestParser::parse_head(std::string_view section,
                                                            http::RequestHead& head,
                                                            http::Framing& framing) {
  head.clear();
  const std::size_t line = section.find("\r\n");
  if (line == std::string_view::npos || line > http::kRequestLineBytesMax) {
    return http::FramingError::request_line_too_long;
  }
  if (section.size() - line > http::kHeaderSectionBytesMax) {
    return http::FramingError::header_section_too_large;
  }
  Parser& parser = impl_->parser.emplace(section, head);
  error_code ec;
  const std::size_t used = parser.put({section.data(), section.size()}, ec);
  if (parser.refused()) {
    return parser.refused();
  }
  // A Content-Length that Beast's 64 bits cannot hold is the guard's to name; it has the field
  // already.
  if (ec &&
      !(ec == beast::http::error::bad_content_length && head.headers.contains("content-length"))) {
    return from_beast(ec);
  }
  if (!ec && used != section.size()) {
    return http::FramingError::malformed;
  }
  parser.close_head();
  const std::optional<http::FramingError> error = http::check_framing(head, framing);
  if (error) {
    return error;
  }
  return ec ? std::optional(from_beast(ec)) : std::nullopt;
}

RequestParser::ChunkStep RequestParser::step_chunked(ByteView input) {
  ChunkStep step;
  Parser& parser = *impl_->parser;
  if (parser.is_done()) {
    step.finished = true;
    return step;
  }
  error_code ec;
  step.consumed = parser.put({input.data(), input.size()}, ec);
  step.data = parser.take_data();
  step.failed = ec && ec != beast::http::error::need_more;
  step.finished = !step.failed && parser.is_done();
  return step;
}

}  // namespace mote::net
