#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/ip/tcp.hpp>

#include "server/async/exchange.h"
#include "server/net/counter.h"
#include "server/net/reply_writer.h"
#include "server/net/request_parser.h"
#include "server/net/tls_session.h"

namespace mote::net {

using Socket = asio::basic_stream_socket<asio::ip::tcp, IoExecutor>;

class Worker;

/// One client connection: read head, dispatch, write, keep alive or close. Lives on one worker's
/// thread and never leaves it; owned by its own coroutine. Deadlines are checked by the worker's
/// tick, so no request arms a timer.
class Connection final : public BodySource, public std::enable_shared_from_this<Connection> {
 public:
  /// `tls` is null on a plain connection; else a session for this socket.
  Connection(Socket socket, Worker& worker, std::string peer,
             std::unique_ptr<TlsSession> tls = nullptr);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Serves requests until the connection ends.
  Async<void> run();

  /// Worker's tick: closes a connection that is past its deadline, gives back the buffer of an idle
  /// one.
  void tick(std::chrono::steady_clock::time_point now);
  /// Graceful stop: an idle connection ends at once, a busy one after its reply.
  void drain();
  /// Ends it now.
  void kill();

  // BodySource
  Async<Result<ByteView>> next() override;
  Async<Result<std::size_t>> read(ByteSpan out) override;

 private:
  enum class Phase : std::uint8_t { handshake, idle, head, body, handling };
  using Received = std::tuple<boost::system::error_code, std::size_t>;
  /// What the buffer held.
  enum class Found : std::uint8_t {
    nothing,  ///< no whole head: read more
    request,  ///< head_ is parsed and needs a task
    refused,  ///< framing_error_
    last,     ///< answered, and the connection ends
  };

  Async<void> secure();
  Async<Received> receive(asio::mutable_buffer out);
  Found answer_ready();
  Async<bool> read_some(std::size_t room);
  Async<bool> park();
  Async<bool> serve_request();
  Async<bool> finish_body();
  Async<void> refuse(http::FramingError error);
  Async<void> linger();
  Async<Result<ByteView>> next_chunked();
  Async<bool> send_continue();
  [[nodiscard]] std::string_view unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
  [[nodiscard]] bool body_left() const;
  void start_body();
  void make_room(std::size_t room);
  void release_buffer();
  void next_request_id();
  [[nodiscard]] bool must_close() const;

  Socket socket_;
  Worker& worker_;
  std::string peer_;
  std::unique_ptr<TlsSession> tls_;  // null: plain
  RequestParser parser_;
  ReplyWriter writer_;
  http::RequestHead head_;
  http::Framing framing_;
  std::string head_text_;  // a copy of the head while its body streams through the buffer

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // unread bytes are [begin_, end_)
  std::size_t end_ = 0;
  std::size_t scanned_ = 0;
  std::size_t head_bytes_ = 0;  // of the request that head_ is of
  http::FramingError framing_error_{};

  std::uint64_t body_remaining_ = 0;  // with Content-Length
  bool body_chunked_ = false;
  ByteView chunk_left_;  // body bytes handed out by next() that read() had no room for
  bool body_done_ = true;
  bool body_failed_ = false;
  bool continue_due_ = false;

  Phase phase_ = Phase::idle;
  bool draining_ = false;
  bool closing_ = false;
  bool parked_ = false;      // no buffer, waiting for readability
  bool park_asked_ = false;  // the pending read was cancelled to give the buffer back
  bool timed_out_ = false;
  std::chrono::steady_clock::time_point since_{};  // start of the current phase
  std::uint64_t body_bytes_in_ = 0;
  char request_id_[17] = {};
};

}  // namespace mote::net
