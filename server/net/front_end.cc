#include "server/net/front_end.h"

#include <thread>

#include <boost/asio/ip/address.hpp>

namespace mote::net {

Result<std::unique_ptr<FrontEnd>> FrontEnd::start(RequestHandler& handler, NetStats& stats,
                                                  const NetOptions& options) {
  boost::system::error_code ec;
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const asio::ip::address address = asio::ip::make_address(host, ec);
  if (ec) {
    return Error{Errc::invalid_argument, 0, "net.address"};
  }
  std::unique_ptr<FrontEnd> front(new FrontEnd);
  std::uint16_t port = options.port;
  for (std::size_t i = 0; i < options.threads; ++i) {
    auto worker = std::make_unique<Worker>(handler, stats, options, front->open_);
    const Status listening = worker->listen({address, port});
    if (!listening) {
      return listening.error();
    }
    port = worker->port();
    front->workers_.push_back(std::move(worker));
  }
  front->port_ = port;
  for (std::size_t i = 0; i < front->workers_.size(); ++i) {
    front->workers_[i]->start(i);
  }
  return front;
}

FrontEnd::~FrontEnd() {
  stop(std::chrono::milliseconds(0));
}

void FrontEnd::stop(std::chrono::milliseconds deadline) {
  if (stopped_) {
    return;
  }
  stopped_ = true;
  for (const auto& worker : workers_) {
    worker->drain();
  }
  const auto until = std::chrono::steady_clock::now() + deadline;
  while (open_connections() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (const auto& worker : workers_) {
    worker->kill();
  }
  for (const auto& worker : workers_) {
    worker->join();
  }
}

}  // namespace mote::net
