#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "erasure/base/result.h"
#include "server/async/exchange.h"
#include "server/net/counter.h"
#include "server/net/tls_context.h"

namespace mote::net {

class Connection;

struct NetOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0 picks a free one
  std::size_t threads = 1;
  std::size_t connections_max = 20'000;  ///< per server; beyond it a connection is closed at once
  std::shared_ptr<const TlsContext> tls{};     ///< null: plain HTTP
  std::chrono::seconds handshake_timeout{10};  ///< TLS, from accept to its end
};

/// One I/O thread: its io_context, its SO_REUSEPORT acceptor and the connections it accepted, which
/// never leave it. start() and the destructor belong to the owner's thread; everything else runs on
/// the worker's own.
class Worker {
 public:
  Worker(RequestHandler& handler, NetStats& stats, const NetOptions& options,
         std::atomic<std::size_t>& open);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Binds and listens. The first worker of a server may ask for port 0; the others get its port.
  Status listen(const asio::ip::tcp::endpoint& endpoint);
  [[nodiscard]] std::uint16_t port() const;
  void start(std::size_t index);
  /// Any thread: stops accepting; idle connections end, busy ones after their reply.
  void drain();
  /// Any thread: ends every connection now.
  void kill();
  [[nodiscard]] std::size_t open_connections() const {
    return open_here_.load(std::memory_order_relaxed);
  }
  /// Any thread: lets the thread end once nothing runs; join.
  void join();

  // For connections, on the worker's thread.
  [[nodiscard]] RequestHandler& handler() { return handler_; }
  [[nodiscard]] NetStats& stats() { return stats_; }
  [[nodiscard]] bool draining() const { return draining_; }
  [[nodiscard]] std::chrono::seconds handshake_timeout() const { return handshake_timeout_; }
  void add(Connection* connection) { connections_.insert(connection); }
  void remove(Connection* connection);
  std::uint64_t next_id() { return id_seed_ + 0x9e3779b97f4a7c15U * ++id_count_; }

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, IoExecutor>;
  using Timer =
      asio::basic_waitable_timer<std::chrono::steady_clock,
                                 asio::wait_traits<std::chrono::steady_clock>, IoExecutor>;
  Async<void> accept_loop();
  Async<void> tick_loop();

  RequestHandler& handler_;
  NetStats& stats_;
  std::size_t connections_max_;
  std::shared_ptr<const TlsContext> tls_;
  std::chrono::seconds handshake_timeout_;
  std::atomic<std::size_t>& open_;
  std::atomic<std::size_t> open_here_{0};
  asio::io_context io_{1};
  Acceptor acceptor_;
  Timer tick_;
  Timer pause_;
  std::unordered_set<Connection*> connections_;
  bool draining_ = false;
  std::uint64_t id_seed_ = 0;
  std::uint64_t id_count_ = 0;
  std::thread thread_;
};

}  // namespace mote::net
