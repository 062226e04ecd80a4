#include "server/net/worker.h"

#include <pthread.h>
#include <sys/socket.h>

#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "erasure/base/rng.h"
#include "server/net/connection.h"

namespace mote::net {
namespace {

using asio::ip::tcp;

Async<void> serve(std::shared_ptr<Connection> connection) {
  co_await connection->run();
}

std::string peer_text(const Socket& socket) {
  // The peer may be gone already; remote_endpoint() must not throw out of a handler
  // (CVE-2019-10222).
  boost::system::error_code ec;
  const tcp::endpoint peer = socket.remote_endpoint(ec);
  return ec ? std::string("-") : peer.address().to_string();
}

}  // namespace

Worker::Worker(RequestHandler& handler, NetStats& stats, const NetOptions& options,
               std::atomic<std::size_t>& open)
    : handler_(handler),
      stats_(stats),
      connections_max_(options.connections_max),
      tls_(options.tls),
      handshake_timeout_(options.handshake_timeout),
      open_(open),
      acceptor_(io_.get_executor()),
      tick_(io_.get_executor()),
      pause_(io_.get_executor()) {
  SystemRng rng;
  id_seed_ = rng.next();
}

Worker::~Worker() {
  join();
}

Status Worker::listen(const tcp::endpoint& endpoint) {
  boost::system::error_code ec;
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) {
    const int on = 1;
    if (::setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        ::setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
      return Error{Errc::io_error, errno, "net.listen"};
    }
    acceptor_.bind(endpoint, ec);
  }
  if (!ec) {
    acceptor_.listen(1024, ec);
  }
  if (ec) {
    return Error{Errc::io_error, ec.value(), "net.listen"};
  }
  return ok();
}

std::uint16_t Worker::port() const {
  boost::system::error_code ec;
  return acceptor_.local_endpoint(ec).port();
}

void Worker::start(std::size_t index) {
  asio::co_spawn(io_.get_executor(), accept_loop(), asio::detached);
  asio::co_spawn(io_.get_executor(), tick_loop(), asio::detached);
  thread_ = std::thread([this] { io_.run(); });
  pthread_setname_np(thread_.native_handle(), ("mote-io-" + std::to_string(index)).c_str());
}

Async<void> Worker::accept_loop() {
  while (!draining_) {
    auto [ec, socket] = co_await acceptor_.async_accept(kAwait);
    if (ec) {
      if (!acceptor_.is_open()) {
        break;
      }
      // Out of descriptors or memory: wait instead of spinning; connections that end make room.
      pause_.expires_after(std::chrono::milliseconds(50));
      co_await pause_.async_wait(kAwait);
      continue;
    }
    if (open_.load(std::memory_order_relaxed) >= connections_max_) {
      stats_.connections_refused.add();
      continue;
    }
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.non_blocking(true, ignored);
    std::unique_ptr<TlsSession> tls;
    if (tls_ != nullptr && (tls = tls_->new_session(socket.native_handle())) == nullptr) {
      stats_.connections_refused.add();
      continue;
    }
    std::string peer = peer_text(socket);
    open_.fetch_add(1, std::memory_order_relaxed);
    open_here_.fetch_add(1, std::memory_order_relaxed);
    stats_.connections_opened.add();
    auto connection =
        std::make_shared<Connection>(std::move(socket), *this, std::move(peer), std::move(tls));
    asio::co_spawn(io_.get_executor(), serve(std::move(connection)), asio::detached);
  }
}

Async<void> Worker::tick_loop() {
  while (!draining_ || !connections_.empty()) {
    tick_.expires_after(std::chrono::seconds(1));
    co_await tick_.async_wait(kAwait);
    const auto now = std::chrono::steady_clock::now();
    const std::vector<Connection*> all(connections_.begin(), connections_.end());
    for (Connection* connection : all) {
      connection->tick(now);
    }
  }
}

void Worker::remove(Connection* connection) {
  connections_.erase(connection);
  open_.fetch_sub(1, std::memory_order_relaxed);
  open_here_.fetch_sub(1, std::memory_order_relaxed);
  stats_.connections_closed.add();
  if (draining_ && connections_.empty()) {
    tick_.cancel();
  }
}

void Worker::drain() {
  asio::post(io_, [this] {
    draining_ = true;
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    const std::vector<Connection*> all(connections_.begin(), connections_.end());
    for (Connection* connection : all) {
      connection->drain();
    }
    tick_.cancel();
  });
}

void Worker::kill() {
  asio::post(io_, [this] {
    const std::vector<Connection*> all(connections_.begin(), connections_.end());
    for (Connection* connection : all) {
      connection->kill();
    }
  });
}

void Worker::join() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

}  // namespace mote::net
