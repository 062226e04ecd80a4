#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "erasure/base/bytes.h"
#include "server/http/framing_guard.h"
#include "server/http/head.h"

namespace mote::net {

/// Beast's HTTP/1 parser fed by hand over the connection's own buffer: no field container, no copy.
/// One instance per connection; each message gets a new Beast parser inside it.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Parses one complete head: `section` runs from the request line to the empty line. `head`
  /// becomes a snapshot whose views point into `section`; nothing that comes later (trailers) can
  /// change it. nullopt when ok and `framing` is judged.
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
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mote::net
