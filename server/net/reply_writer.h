#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "server/async/exchange.h"
#include "server/net/counter.h"
#include "server/net/tls_session.h"

namespace mote::net {

/// What a connection writes: replies collected and sent in gathered writes, in order. One per
/// connection, memory reused from reply to reply.
class ReplyWriter final : public ReplySink, public ReplyBatch {
 public:
  using Socket = asio::basic_stream_socket<asio::ip::tcp, IoExecutor>;

  /// `tls` is null on a plain connection; it outlives the writer or set_plain().
  ReplyWriter(Socket& socket, NetStats& stats, TlsSession* tls)
      : socket_(socket), stats_(stats), tls_(tls) {}
  void set_plain() noexcept { tls_ = nullptr; }

  /// Prepares for the next exchange. `close` may still be asked for by the reply.
  void start_exchange(std::string_view request_id, bool is_head, bool close);
  /// Changes the decision taken at start_exchange while no reply has begun.
  void set_close(bool close) { close_ = close; }
  [[nodiscard]] bool close_announced() const { return close_; }
  [[nodiscard]] bool aborted() const { return aborted_; }
  [[nodiscard]] bool finished() const { return started_ && remaining_ == 0; }
  [[nodiscard]] bool pending() const { return !parts_.empty(); }
  [[nodiscard]] std::chrono::steady_clock::time_point progress() const { return progress_; }

  // ReplyBatch
  void add(std::uint16_t status, std::string_view head_lines, Slice body,
           std::uint64_t content_length) override;
  enum class Pushed : std::uint8_t {
    done,     ///< everything collected is with the kernel
    blocked,  ///< the socket takes no more for now: flush() waits for it
    failed,   ///< the peer is gone; what was collected is dropped
  };
  /// Writes what the socket takes at once, in gathered writes. Never waits.
  Pushed push();
  /// Writes everything collected, waiting where it has to. An error: the peer is gone.
  Async<Status> flush();
  /// Queues raw bytes ("HTTP/1.1 100 Continue").
  void add_raw(std::string_view text);

  // ReplySink
  Async<Status> send(Reply reply) override;
  Async<Status> begin(Reply reply) override;
  Async<Status> write(Slice bytes) override;
  void abort() override { aborted_ = true; }
  [[nodiscard]] bool started() const override { return started_; }

 private:
  struct Part {
    std::size_t offset = 0;  // into text_, when body.owner and body.bytes are empty
    std::size_t size = 0;
    Slice body;
    bool is_text = false;
  };
  void add_head(std::uint16_t status, std::string_view head_lines, std::uint64_t content_length,
                bool has_length);
  void append_text(std::string_view text);
  void end_text(std::size_t from);
  ssize_t transmit(iovec* vectors, std::size_t count);
  [[nodiscard]] std::string_view bytes_of(const Part& part) const;
  void advance(std::size_t sent);
  void forget();

  Socket& socket_;
  NetStats& stats_;
  TlsSession* tls_;
  std::string text_;
  std::vector<Part> parts_;
  std::size_t part_ = 0;          // first part that is not written yet
  std::size_t part_written_ = 0;  // bytes of it that are
  int error_ = 0;                 // errno of the write that failed
  std::string_view request_id_;
  bool is_head_ = false;
  bool close_ = false;
  bool started_ = false;
  bool aborted_ = false;
  std::uint64_t remaining_ = 0;
  std::chrono::steady_clock::time_point progress_{};
};

}  // namespace mote::net
