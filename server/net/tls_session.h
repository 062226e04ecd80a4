#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <openssl/types.h>

#include "server/async/task.h"

namespace mote::net {

/// The server's side of one TLS connection, over a non-blocking socket that it does not own. Its
/// calls never wait; who gets EAGAIN waits for the socket and calls again. Belongs to the
/// connection's thread.
class TlsSession {
 public:
  /// Null if memory is out. Keeps the certificate it was made with, whatever is loaded later.
  static std::unique_ptr<TlsSession> make(SSL_CTX* context, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class Step : std::uint8_t { done, want_read, want_write, plain_http, failed };
  /// Goes on with the handshake. plain_http: the client speaks HTTP without TLS.
  Step handshake();

  /// Like recv: bytes, 0 once the peer has said goodbye, or -1 with errno; EAGAIN if more has to
  /// arrive, or to leave (wants_write) first.
  ssize_t read(char* out, std::size_t size);
  [[nodiscard]] bool wants_write() const noexcept { return wants_write_; }
  /// Like sendmsg, at most one record: small parts leave together. After EAGAIN the next call has
  /// to begin with the same bytes.
  ssize_t write(const iovec* parts, std::size_t count);
  /// Tells the peer that nothing was cut off, if the socket takes it at once.
  void say_goodbye();

 private:
  explicit TlsSession(int socket) : socket_(socket) {}
  ssize_t failed(int error);

  int socket_;
  SSL* ssl_ = nullptr;
  bool wants_write_ = false;
  bool usable_ = false;  // handshake done, no fatal error since
};

using TcpSocket = asio::basic_stream_socket<asio::ip::tcp, IoExecutor>;

/// The handshake, to its end. Cancelling the socket ends it. Never want_read or want_write.
Async<TlsSession::Step> shake_hands(TcpSocket& socket, TlsSession& session);
/// socket.async_read_some over TLS.
Async<std::tuple<boost::system::error_code, std::size_t>> read_tls(TcpSocket& socket,
                                                                   TlsSession& session,
                                                                   asio::mutable_buffer out);

}  // namespace mote::net
