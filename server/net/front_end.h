#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/net/worker.h"

namespace mote::net {

/// All I/O threads of one listening address. Several may live in one process.
class FrontEnd {
 public:
  /// Binds every worker's acceptor and starts the threads. Errors: io_error with errno (address in
  /// use, not available), invalid_argument (host is not an address).
  static Result<std::unique_ptr<FrontEnd>> start(RequestHandler& handler, NetStats& stats,
                                                 const NetOptions& options);
  ~FrontEnd();
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t open_connections() const {
    return open_.load(std::memory_order_relaxed);
  }
  /// Stops accepting, lets requests in flight end until `deadline`, then cuts what is left, and
  /// joins the threads. Blocks; not on an I/O thread.
  void stop(std::chrono::milliseconds deadline);

 private:
  FrontEnd() = default;
  std::atomic<std::size_t> open_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint16_t port_ = 0;
  bool stopped_ = false;
};

}  // namespace mote::net
