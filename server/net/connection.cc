#include "server/net/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "erasure/base/check.h"
#include "server/http/head_parser.h"
#include "server/http/limits.h"
#include "server/net/worker.h"

namespace mote::net {
namespace {

constexpr std::size_t kHeadRoom =
    16 * kKiB;  // first buffer of a connection: a typical head and more
constexpr std::size_t kBodyRoom = 256 * kKiB;  // read size while a body streams
constexpr std::size_t kDrainMax = 256 * kKiB;  // an unread body up to this is read away, not cut
constexpr auto kParkAfter = std::chrono::seconds(2);
constexpr std::string_view kPlainHttpReply =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 23\r\n"
    "Connection: close\r\n\r\nThis port takes HTTPS.\n";

}  // namespace

Connection::Connection(Socket socket, Worker& worker, std::string peer,
                       std::unique_ptr<TlsSession> tls)
    : socket_(std::move(socket)),
      worker_(worker),
      peer_(std::move(peer)),
      tls_(std::move(tls)),
      writer_(socket_, worker.stats(), tls_.get()) {
  since_ = std::chrono::steady_clock::now();
  worker_.add(this);
}

Connection::~Connection() {
  worker_.remove(this);
}

/// The TLS handshake; closing_ is set where it fails.
Async<void> Connection::secure() {
  phase_ = Phase::handshake;
  const TlsSession::Step step = co_await shake_hands(socket_, *tls_);
  if (step == TlsSession::Step::done) {
    worker_.stats().tls_handshakes.add();
    co_return;
  }
  worker_.stats().tls_failures.add();
  closing_ = true;
  if (step == TlsSession::Step::plain_http) {
    tls_.reset();
    writer_.set_plain();
    writer_.add_raw(kPlainHttpReply);
    (void)co_await writer_.flush();
  }
}

/// Bytes of the stream, off the path of a small request.
Async<Connection::Received> Connection::receive(asio::mutable_buffer out) {
  if (tls_ != nullptr) {
    co_return co_await read_tls(socket_, *tls_, out);
  }
  co_return co_await socket_.async_read_some(out, kAwait);
}

Async<void> Connection::run() {
  if (tls_ != nullptr) {
    co_await secure();
  }
  while (!closing_) {
    const Found found = answer_ready();
    ReplyWriter::Pushed pushed = writer_.push();
    if (pushed == ReplyWriter::Pushed::blocked) {
      phase_ = Phase::handling;  // a peer that takes nothing is judged as one, not as idle
      since_ = std::chrono::steady_clock::now();
      const Status flushed = co_await writer_.flush();
      pushed = flushed ? ReplyWriter::Pushed::done : ReplyWriter::Pushed::failed;
    }
    if (pushed == ReplyWriter::Pushed::failed || found == Found::last) {
      break;
    }
    if (found == Found::refused) {
      co_await refuse(framing_error_);
      break;
    }
    if (found == Found::request) {
      if (!co_await serve_request()) {
        break;
      }
      continue;
    }
    if (unread().empty() && (draining_ || worker_.draining())) {
      break;
    }
    make_room(kHeadRoom);
    const asio::mutable_buffer room(buffer_.get() + end_, capacity_ - end_);
    Received received;
    if (tls_ == nullptr) {
      received = co_await socket_.async_read_some(room, kAwait);
    } else {
      received = co_await read_tls(socket_, *tls_, room);
    }
    const auto [ec, count] = received;
    if (ec) {
      if (!park_asked_ || !co_await park()) {
        break;
      }
      continue;
    }
    end_ += count;
    worker_.stats().bytes_received.add(count);
  }
  co_await linger();
}

/// The tick asked for the buffer back: waits for the next request without one.
Async<bool> Connection::park() {
  park_asked_ = false;
  release_buffer();
  parked_ = true;
  const auto [ec] = co_await socket_.async_wait(Socket::wait_read, kAwait);
  parked_ = false;
  co_return !ec && !closing_;
}

Async<bool> Connection::read_some(std::size_t room) {
  make_room(room);
  const auto [ec, count] =
      co_await receive(asio::mutable_buffer(buffer_.get() + end_, capacity_ - end_));
  if (ec) {
    co_return false;
  }
  end_ += count;
  worker_.stats().bytes_received.add(count);
  co_return true;
}

/// Answers what is buffered as long as it needs no waiting; the replies are left with the writer.
/// No coroutine, so that a cached GET costs one resumption: that of the read that brought it.
Connection::Found Connection::answer_ready() {
  while (true) {
    // RFC 9112 2.2: empty lines before a request line are ignored.
    while (unread().starts_with("\r\n")) {
      begin_ += 2;
      scanned_ = 0;
    }
    head_bytes_ = http::find_head_end(unread(), scanned_);
    if (head_bytes_ == 0) {
      if (unread().size() >= http::kHeadBytesMax) {
        framing_error_ = http::FramingError::header_section_too_large;
        return Found::refused;
      }
      const Phase waiting = unread().empty() ? Phase::idle : Phase::head;
      if (phase_ != waiting || waiting == Phase::idle) {
        phase_ = waiting;
        since_ = std::chrono::steady_clock::now();
      }
      return Found::nothing;
    }
    scanned_ = 0;
    worker_.stats().requests.add();
    const auto error = parser_.parse_head(unread().substr(0, head_bytes_), head_, framing_);
    if (error) {
      framing_error_ = *error;
      return Found::refused;
    }
    next_request_id();
    const bool close = !framing_.keep_alive || draining_ || worker_.draining();
    writer_.start_exchange({request_id_, 16}, head_.method == http::Method::head, close);
    const bool has_body = framing_.body == http::Framing::Body::chunked ||
                          (framing_.body == http::Framing::Body::length && framing_.length > 0);
    if (has_body || !worker_.handler().answer_now(head_, framing_, {request_id_, 16}, writer_)) {
      return Found::request;
    }
    worker_.stats().requests_fast.add();
    begin_ += head_bytes_;
    if (close) {
      return Found::last;
    }
  }
}

/// The general path of the request that answer_ready() found. False: the connection ends.
Async<bool> Connection::serve_request() {
  phase_ = Phase::handling;
  since_ = std::chrono::steady_clock::now();
  // The buffer is about to move under the head's views: keep the head apart.
  head_text_.assign(unread().substr(0, head_bytes_));
  MOTE_CHECK(!parser_.parse_head(head_text_, head_, framing_));
  begin_ += head_bytes_;
  start_body();
  Exchange exchange{head_, framing_, *this, writer_, {request_id_, 16}, peer_, tls_ != nullptr};
  co_await worker_.handler().handle(exchange);
  if (writer_.aborted() || !writer_.started()) {
    co_return false;
  }
  if (writer_.pending() && !co_await writer_.flush()) {
    co_return false;
  }
  if (!writer_.finished()) {
    closing_ = true;  // a body was announced and not delivered
    co_return false;
  }
  const bool clean = co_await finish_body();
  phase_ = Phase::idle;
  co_return !writer_.close_announced() && clean && !draining_;
}

void Connection::start_body() {
  body_chunked_ = framing_.body == http::Framing::Body::chunked;
  body_remaining_ = framing_.body == http::Framing::Body::length ? framing_.length : 0;
  body_done_ = !body_chunked_ && body_remaining_ == 0;
  body_failed_ = false;
  chunk_left_ = {};
  continue_due_ = framing_.expect_continue && !body_done_;
  body_bytes_in_ = 0;
  // A reply given before the body was asked for ends the connection where reading the body away
  // would be unbounded, or where the client waits for a 100 that never comes.
  if (must_close()) {
    writer_.set_close(true);
  }
}

bool Connection::must_close() const {
  const bool unread_is_long = body_chunked_ ? !body_done_ : body_remaining_ > kDrainMax;
  return !framing_.keep_alive || draining_ || continue_due_ || body_failed_ || unread_is_long;
}

bool Connection::body_left() const {
  return !body_done_ || !chunk_left_.empty();
}

Async<bool> Connection::send_continue() {
  continue_due_ = false;
  writer_.add_raw("HTTP/1.1 100 Continue\r\n\r\n");
  const Status sent = co_await writer_.flush();
  co_return sent.has_value();
}

Async<Result<ByteView>> Connection::next() {
  phase_ = Phase::body;
  if (continue_due_ && !co_await send_continue()) {
    co_return Error{Errc::io_error, 0, "net.body"};
  }
  if (body_failed_) {
    co_return Error{Errc::io_error, 0, "net.body"};
  }
  if (!chunk_left_.empty()) {
    co_return std::exchange(chunk_left_, {});
  }
  if (body_done_) {
    writer_.set_close(must_close());
    co_return ByteView{};
  }
  if (body_chunked_) {
    co_return co_await next_chunked();
  }
  const auto room =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(body_remaining_, kHeadRoom, kBodyRoom));
  if (unread().empty() && !co_await read_some(room)) {
    body_failed_ = true;
    writer_.set_close(true);
    co_return Error{timed_out_ ? Errc::timed_out : Errc::io_error, 0, "net.body"};
  }
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(unread().size(), body_remaining_));
  const ByteView bytes = as_bytes(unread().substr(0, count));
  begin_ += count;
  body_remaining_ -= count;
  body_bytes_in_ += count;
  body_done_ = body_remaining_ == 0;
  writer_.set_close(must_close());
  co_return bytes;
}

Async<Result<ByteView>> Connection::next_chunked() {
  while (true) {
    const RequestParser::ChunkStep step = parser_.step_chunked(as_bytes(unread()));
    if (step.failed) {
      body_failed_ = true;
      writer_.set_close(true);
      co_return Error{Errc::invalid_argument, 0, "net.chunked"};
    }
    begin_ += step.consumed;
    if (step.finished) {
      body_done_ = true;
      writer_.set_close(must_close());
      co_return step.data;
    }
    if (!step.data.empty()) {
      body_bytes_in_ += step.data.size();
      co_return step.data;
    }
    if (step.consumed > 0) {
      continue;
    }
    if (unread().size() >= http::kHeadBytesMax) {
      body_failed_ = true;  // a chunk header or trailer section without an end
      writer_.set_close(true);
      co_return Error{Errc::invalid_argument, 0, "net.chunked"};
    }
    if (!co_await read_some(kBodyRoom)) {
      body_failed_ = true;
      writer_.set_close(true);
      co_return Error{timed_out_ ? Errc::timed_out : Errc::io_error, 0, "net.body"};
    }
  }
}

Async<Result<std::size_t>> Connection::read(ByteSpan out) {
  std::size_t filled = 0;
  while (filled < out.size() && body_left()) {
    // Large direct reads skip the connection's buffer.
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - filled, body_remaining_));
    if (!body_chunked_ && chunk_left_.empty() && unread().empty() && !continue_due_ &&
        !body_failed_ && wanted >= kHeadRoom) {
      phase_ = Phase::body;
      const auto [ec, count] = co_await receive(asio::mutable_buffer(out.data() + filled, wanted));
      if (ec) {
        body_failed_ = true;
        writer_.set_close(true);
        co_return Error{timed_out_ ? Errc::timed_out : Errc::io_error, 0, "net.body"};
      }
      worker_.stats().bytes_received.add(count);
      filled += count;
      body_bytes_in_ += count;
      body_remaining_ -= count;
      body_done_ = body_remaining_ == 0;
      writer_.set_close(must_close());
      continue;
    }
    const Result<ByteView> bytes = co_await next();
    if (!bytes) {
      co_return bytes.error();
    }
    const std::size_t count = std::min(bytes->size(), out.size() - filled);
    std::memcpy(out.data() + filled, bytes->data(), count);
    filled += count;
    chunk_left_ = bytes->subspan(count);
  }
  co_return filled;
}

Async<bool> Connection::finish_body() {
  if (continue_due_ || body_failed_ || writer_.close_announced()) {
    co_return body_done_;
  }
  std::size_t drained = 0;
  while (body_left()) {
    const Result<ByteView> bytes = co_await next();
    if (!bytes) {
      co_return false;
    }
    drained += bytes->size();
    if (drained > kDrainMax) {
      co_return false;
    }
  }
  co_return true;
}

Async<void> Connection::refuse(http::FramingError error) {
  worker_.stats().requests_refused.add();
  next_request_id();
  closing_ = true;
  writer_.start_exchange({request_id_, 16}, false, true);
  Reply reply = worker_.handler().refuse(error, {request_id_, 16});
  reply.close = true;
  (void)co_await writer_.send(std::move(reply));
}

/// Lets the client read the last reply: closing with unread input would reset the connection and
/// may take the reply with it (RFC 9112 9.6). Bounded in bytes, and in time by the tick.
Async<void> Connection::linger() {
  boost::system::error_code ignored;
  if (timed_out_ || writer_.aborted()) {
    socket_.close(ignored);
    co_return;
  }
  if (tls_ != nullptr) {
    tls_->say_goodbye();  // what is read from here on is only read away
  }
  socket_.shutdown(Socket::shutdown_send, ignored);
  phase_ = Phase::body;
  since_ = std::chrono::steady_clock::now() - http::kBodyStallTimeout + std::chrono::seconds(2);
  body_bytes_in_ = 0;
  std::size_t drained = 0;
  while (!ignored && drained < 4 * kDrainMax) {
    begin_ = end_ = 0;
    make_room(kHeadRoom);
    const auto [ec, count] =
        co_await socket_.async_read_some(asio::buffer(buffer_.get(), capacity_), kAwait);
    if (ec) {
      break;
    }
    drained += count;
  }
  socket_.close(ignored);
}

void Connection::make_room(std::size_t room) {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    scanned_ = 0;
  }
  if (capacity_ - end_ >= std::min(room, kHeadRoom) / 2 && capacity_ - begin_ >= room) {
    return;
  }
  const std::size_t held = end_ - begin_;
  const std::size_t wanted = std::max(room, kHeadRoom) + held;
  if (wanted > capacity_) {
    std::unique_ptr<char[]> bigger(new char[wanted]);
    if (held > 0) {  // at first there is no buffer
      std::memcpy(bigger.get(), buffer_.get() + begin_, held);
    }
    buffer_ = std::move(bigger);
    capacity_ = wanted;
  } else if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, held);
  }
  begin_ = 0;
  end_ = held;
}

void Connection::release_buffer() {
  buffer_.reset();
  capacity_ = begin_ = end_ = scanned_ = 0;
  head_text_ = {};
}

void Connection::next_request_id() {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::uint64_t id = worker_.next_id();
  for (int i = 15; i >= 0; --i) {
    request_id_[i] = kDigits[id & 15U];
    id >>= 4;
  }
}

void Connection::tick(std::chrono::steady_clock::time_point now) {
  const auto in_phase = now - since_;
  bool expired = false;
  switch (phase_) {
    case Phase::handshake:
      expired = in_phase > worker_.handshake_timeout();
      break;
    case Phase::idle:
      if (!parked_ && !park_asked_ && in_phase > kParkAfter && unread().empty() &&
          buffer_ != nullptr) {
        park_asked_ = true;
        boost::system::error_code ignored;
        socket_.cancel(ignored);
        return;
      }
      expired = in_phase > http::kIdleTimeout;
      break;
    case Phase::head:
      expired = in_phase > http::kHeadTimeout;
      break;
    case Phase::body: {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(in_phase).count();
      expired =
          in_phase > http::kBodyStallTimeout &&
          body_bytes_in_ < static_cast<std::uint64_t>(seconds) * http::kBodyBytesPerSecondMin &&
          now - std::max(writer_.progress(), since_) > http::kWriteStallTimeout;
      break;
    }
    case Phase::handling:
      // The engine has its own deadlines; only a peer that does not take its reply is ended here.
      expired = writer_.pending() &&
                now - std::max(writer_.progress(), since_) > http::kWriteStallTimeout;
      break;
  }
  if (expired) {
    worker_.stats().timeouts.add();
    timed_out_ = true;
    kill();
  }
}

void Connection::drain() {
  draining_ = true;
  if (phase_ == Phase::idle && unread().empty()) {
    if (tls_ != nullptr) {
      tls_->say_goodbye();
    }
    kill();
  }
}

void Connection::kill() {
  closing_ = true;
  boost::system::error_code ignored;
  socket_.cancel(ignored);
  socket_.shutdown(Socket::shutdown_both, ignored);
}

}  // namespace mote::net
