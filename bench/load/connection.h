#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/load/target.h"
#include "erasure/base/result.h"

namespace mote::bench {

/// A reply being read: its head is parsed, its body hashed as it comes.
struct ReplyState {
  int status = 0;
  std::uint64_t content_length = 0;
  std::uint64_t body_seen = 0;
  bool head_done = false;
  bool close = false;
};

/// One non-blocking connection with one request under way at a time. Driven by its worker's epoll.
class Connection {
 public:
  Connection() = default;
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Status open(const Endpoint& endpoint);
  void close();
  [[nodiscard]] int fd() const { return fd_; }

  /// Starts a request: head and body are sent as far as the socket takes them.
  void start(std::string head, std::string_view body, bool head_only);
  enum class Progress : std::uint8_t { waiting, done, failed };
  /// Goes on after epoll said so.
  Progress advance();
  /// Sends what the socket takes. False: the connection is lost.
  bool send_some();
  [[nodiscard]] bool wants_write() const { return sent_ < head_.size() + body_.size(); }
  [[nodiscard]] const ReplyState& reply() const { return reply_; }
  /// Body of the reply, kept up to a bound that fits every checked object.
  [[nodiscard]] const std::string& reply_body() const { return in_; }

 private:
  bool parse_head();

  int fd_ = -1;
  std::string head_;
  std::string_view body_;
  std::size_t sent_ = 0;
  bool head_only_ = false;
  ReplyState reply_;
  std::string in_;
};

}  // namespace mote::bench
