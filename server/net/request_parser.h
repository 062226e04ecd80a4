#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "erasure/base/bytes.h"
#include "server/http/framing_guard.h"
#include "server/http/head.h"

namespace mote::net {

/// Takes requests apart over the connection's own buffer: no field container, no copy. Heads are
/// read by http::parse_head and judged by the framing guard; only a chunked body is handed to
/// Beast's HTTP/1 parser, which is made for it and fed by hand. One instance per connection.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Parses one complete head: `section` runs from the request line to the empty line. `head`
  /// becomes a snapshot whose views point into `section`; nothing that comes later (trailers) can
  /// change it. nullopt when ok and `framing` is judged. `section` stays alive as long as
  /// the body is read.
  std::optional<http::FramingError> parse_head(std::string_view section, http::RequestHead& head,
                                               http::Framing& framing);

  /// What one step through a chunked body found.
  struct ChunkStep {
    std::size_t consumed = 0;  ///< bytes of the input that are used up
    ByteView data;             ///< body bytes, a view into the input; may be empty
    bool finished = false;     ///< the last chunk and its trailers are consumed
    bool failed = false;       ///< the framing is broken
  };
  /// Goes on with a message whose head said `chunked`. Call again with what was not consumed, and
  /// more. Trailer fields are parsed for framing and dropped.
  ChunkStep step_chunked(ByteView input);

 private:
  bool start_chunks();

  class Impl;
  std::unique_ptr<Impl> impl_;  // made with the first chunked body
  std::string_view section_;
};

}  // namespace mote::net
