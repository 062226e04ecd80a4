#include "server/net/request_parser.h"

#include <span>
#include <utility>

#include <boost/beast/http/basic_parser.hpp>

#include "server/http/head_parser.h"
#include "server/http/limits.h"

namespace mote::net {
namespace {

namespace beast = boost::beast;
using beast::error_code;

/// Takes a chunked body apart. Receives Beast's callbacks as views into the connection's buffer.
class ChunkParser final : public beast::http::basic_parser<true> {
 public:
  ChunkParser() {
    header_limit(static_cast<std::uint32_t>(http::kHeadBytesMax + 4));
    body_limit(boost::none);
  }
  [[nodiscard]] ByteView take_data() { return std::exchange(data_, {}); }

 private:
  void on_request_impl(beast::http::verb /*verb*/, beast::string_view /*method*/,
                       beast::string_view /*target*/, int /*version*/,
                       error_code& /*ec*/) override {}
  /// Of the head, which is known, and of trailers, which are never kept.
  void on_field_impl(beast::http::field /*name*/, beast::string_view /*name*/,
                     beast::string_view /*value*/, error_code& /*ec*/) override {}
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

  ByteView data_;
};

}  // namespace

class RequestParser::Impl {
 public:
  std::optional<ChunkParser> parser;
};

RequestParser::RequestParser() = default;
RequestParser::~RequestParser() = default;

std::optional<http::FramingError> RequestParser::parse_head(std::string_view section,
                                                            http::RequestHead& head,
                                                            http::Framing& framing) {
  section_ = section;
  if (impl_ != nullptr) {
    impl_->parser.reset();
  }
  if (const auto error = http::parse_head(section, head)) {
    return error;
  }
  return http::check_parsed_framing(head, framing);
}

/// Shows Beast the head that was judged already, so that it knows the message and goes on with its
/// chunks. False if it reads the head in another way: then nothing of the body is believed.
bool RequestParser::start_chunks() {
  if (impl_ == nullptr) {
    impl_ = std::make_unique<Impl>();
  }
  ChunkParser& parser = impl_->parser.emplace();
  error_code ec;
  const std::size_t used = parser.put({section_.data(), section_.size()}, ec);
  return !ec && used == section_.size() && parser.chunked();
}

RequestParser::ChunkStep RequestParser::step_chunked(ByteView input) {
  ChunkStep step;
  if ((impl_ == nullptr || !impl_->parser) && !start_chunks()) {
    step.failed = true;
    return step;
  }
  ChunkParser& parser = *impl_->parser;
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
