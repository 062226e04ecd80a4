#include "server/net/tls_session.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <boost/asio/error.hpp>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "erasure/base/bytes.h"

namespace mote::net {
namespace {

constexpr std::size_t kRecordBytes = 16 * kKiB;  // the most that one TLS record carries

bool would_block(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/// The bytes of the next record: those of the first part if they fill one, else as many parts as
/// fit, put together.
iovec next_record(const iovec* parts, std::size_t count) {
  if (parts[0].iov_len >= kRecordBytes || count == 1) {
    return {parts[0].iov_base, std::min(parts[0].iov_len, kRecordBytes)};
  }
  thread_local std::array<char, kRecordBytes> record;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < count && filled < kRecordBytes; ++i) {
    const std::size_t size = std::min(parts[i].iov_len, kRecordBytes - filled);
    std::memcpy(record.data() + filled, parts[i].iov_base, size);
    filled += size;
  }
  return {record.data(), filled};
}

// A BIO of our own, because OpenSSL's socket BIO writes without MSG_NOSIGNAL: a library must not
// depend on what its program does with SIGPIPE.
int bio_read(BIO* bio, char* out, int size) {
  BIO_clear_retry_flags(bio);
  const int socket = *static_cast<const int*>(BIO_get_data(bio));
  const ssize_t count = ::recv(socket, out, static_cast<std::size_t>(size), 0);
  if (count < 0 && would_block(errno)) {
    BIO_set_retry_read(bio);
  }
  return static_cast<int>(count);
}

int bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const int socket = *static_cast<const int*>(BIO_get_data(bio));
  const ssize_t count = ::send(socket, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && would_block(errno)) {
    BIO_set_retry_write(bio);
  }
  return static_cast<int>(count);
}

BIO_METHOD* bio_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "mote socket");
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_ctrl(made, [](BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
      return command == BIO_CTRL_FLUSH ? 1L : 0L;
    });
    return made;
  }();
  return method;
}

}  // namespace

std::unique_ptr<TlsSession> TlsSession::make(SSL_CTX* context, int socket) {
  std::unique_ptr<TlsSession> session(new TlsSession(socket));
  session->ssl_ = SSL_new(context);
  BIO* const bio = session->ssl_ == nullptr ? nullptr : BIO_new(bio_method());
  if (bio == nullptr) {
    return nullptr;
  }
  BIO_set_data(bio, &session->socket_);
  BIO_set_init(bio, 1);
  SSL_set_bio(session->ssl_, bio, bio);  // takes it over
  SSL_set_accept_state(session->ssl_);
  return session;
}

TlsSession::~TlsSession() {
  SSL_free(ssl_);
}

TlsSession::Step TlsSession::handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_);
  if (result == 1) {
    usable_ = true;
    return Step::done;
  }
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return Step::want_read;
    case SSL_ERROR_WANT_WRITE:
      return Step::want_write;
    default: {
      const bool http = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
      ERR_clear_error();
      return http ? Step::plain_http : Step::failed;
    }
  }
}

/// After a fatal error the session may not be touched again.
ssize_t TlsSession::failed(int error) {
  ERR_clear_error();
  usable_ = false;
  errno = error;
  return -1;
}

ssize_t TlsSession::read(char* out, std::size_t size) {
  if (!usable_) {
    return failed(EPIPE);
  }
  ERR_clear_error();
  std::size_t count = 0;
  if (SSL_read_ex(ssl_, out, size, &count) == 1) {
    return static_cast<ssize_t>(count);
  }
  const int error = SSL_get_error(ssl_, 0);
  wants_write_ = error == SSL_ERROR_WANT_WRITE;
  if (wants_write_ || error == SSL_ERROR_WANT_READ) {
    errno = EAGAIN;
    return -1;
  }
  return error == SSL_ERROR_ZERO_RETURN ? 0 : failed(ECONNRESET);
}

ssize_t TlsSession::write(const iovec* parts, std::size_t count) {
  if (!usable_) {
    return failed(EPIPE);
  }
  const iovec record = next_record(parts, count);
  if (record.iov_len == 0) {
    return 0;
  }
  ERR_clear_error();
  std::size_t written = 0;
  if (SSL_write_ex(ssl_, record.iov_base, record.iov_len, &written) == 1) {
    return static_cast<ssize_t>(written);
  }
  if (SSL_get_error(ssl_, 0) == SSL_ERROR_WANT_WRITE) {
    errno = EAGAIN;
    return -1;
  }
  return failed(EPIPE);  // nothing is ever read first: renegotiation is off
}

void TlsSession::say_goodbye() {
  if (usable_) {
    ERR_clear_error();
    (void)SSL_shutdown(ssl_);
    ERR_clear_error();
    usable_ = false;
  }
}

Async<TlsSession::Step> shake_hands(TcpSocket& socket, TlsSession& session) {
  while (true) {
    const TlsSession::Step step = session.handshake();
    if (step != TlsSession::Step::want_read && step != TlsSession::Step::want_write) {
      co_return step;
    }
    const auto direction =
        step == TlsSession::Step::want_read ? TcpSocket::wait_read : TcpSocket::wait_write;
    const auto [ec] = co_await socket.async_wait(direction, kAwait);
    if (ec) {
      co_return TlsSession::Step::failed;
    }
  }
}

Async<std::tuple<boost::system::error_code, std::size_t>> read_tls(TcpSocket& socket,
                                                                   TlsSession& session,
                                                                   asio::mutable_buffer out) {
  while (true) {
    const ssize_t count = session.read(static_cast<char*>(out.data()), out.size());
    if (count > 0) {
      co_return std::tuple(boost::system::error_code(), static_cast<std::size_t>(count));
    }
    if (count == 0 || errno != EAGAIN) {
      co_return std::tuple(boost::system::error_code(asio::error::eof), std::size_t{0});
    }
    const auto direction = session.wants_write() ? TcpSocket::wait_write : TcpSocket::wait_read;
    const auto [ec] = co_await socket.async_wait(direction, kAwait);
    if (ec) {
      co_return std::tuple(ec, std::size_t{0});
    }
  }
}

}  // namespace mote::net
