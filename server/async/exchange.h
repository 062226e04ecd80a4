#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/base/result.h"
#include "server/async/task.h"
#include "server/http/framing_guard.h"
#include "server/http/head.h"

namespace mote {

/// The body of one request with the HTTP framing (Content-Length or chunked) already removed; S3's
/// own aws-chunked coding is still there. Belongs to the connection's thread.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// The next bytes, straight from the connection's buffer, valid until the next call; empty at the
  /// end. The first call sends "100 Continue" if the client waits for it. Errors: io_error (the
  /// peer went away or ended early), timed_out (slower than the limits), invalid_argument (broken
  /// chunk framing).
  virtual Async<Result<ByteView>> next() = 0;
  /// Fills `out` as far as the body goes; fewer bytes only at its end.
  virtual Async<Result<std::size_t>> read(ByteSpan out) = 0;
};

/// A reply as the S3 layer builds it. `head` holds complete header lines ("Name: value\r\n"),
/// checked against injection by whoever appended them; the connection adds the status line, Date,
/// request ids, Connection and Server.
struct Reply {
  std::uint16_t status = 200;
  std::string head;
  Slice body;  ///< whole body, unless streamed
  std::uint64_t content_length =
      0;                           ///< as announced; for HEAD and streamed replies not body.size()
  bool has_content_length = true;  ///< false on 204 and 304
  bool close = false;              ///< end the connection after this reply
};

/// Where a reply goes. Exactly one reply per exchange: send(), or begin() and then write() until
/// content_length bytes are out.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  /// Sends head and whole body in one gathered write. On HEAD the body is not sent.
  virtual Async<Status> send(Reply reply) = 0;
  /// Starts a streamed reply of reply.content_length bytes.
  virtual Async<Status> begin(Reply reply) = 0;
  virtual Async<Status> write(Slice bytes) = 0;
  /// A streamed reply that cannot be completed: the connection is cut so that the client sees a
  /// short body, never a wrong one.
  virtual void abort() = 0;
  [[nodiscard]] virtual bool started() const = 0;
};

/// One request and the way to answer it. Lives on the connection until the handler has returned;
/// all on the connection's thread.
struct Exchange {
  const http::RequestHead& head;
  const http::Framing& framing;
  BodySource& body;
  ReplySink& reply;
  std::string_view request_id;    ///< 16 characters, unique in this process
  std::string_view peer_address;  ///< of the socket, for logs and policies
  bool secure = false;            ///< arrived over TLS
};

/// Gathers replies that can be given without waiting; the connection writes them in one go.
class ReplyBatch {
 public:
  virtual ~ReplyBatch() = default;
  /// `head_lines` is copied; `body` is kept by reference to its owner.
  virtual void add(std::uint16_t status, std::string_view head_lines, Slice body,
                   std::uint64_t content_length) = 0;
};

/// What a connection needs from above. One instance serves all threads.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  /// The fast path: answers a request without body at once from memory, or returns false having
  /// done nothing. Never blocks, never allocates on a hit.
  virtual bool answer_now(const http::RequestHead& head, const http::Framing& framing,
                          std::string_view request_id, ReplyBatch& replies) = 0;
  /// Everything else. Always produces a reply (or aborts one that has started).
  virtual Async<void> handle(Exchange& exchange) = 0;
  /// A request refused before it became one (framing, limits): the reply to give before closing.
  virtual Reply refuse(http::FramingError error, std::string_view request_id) = 0;
};

}  // namespace mote
