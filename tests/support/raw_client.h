#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace mote::test {

/// A blocking TCP client on loopback that sends exact bytes and reads what comes. Every wait is
/// bounded.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) {
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void finish_sending() { ::shutdown(fd_, SHUT_WR); }
  /// Closes with a reset, as a killed client does.
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    ::close(fd_);
    fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
  }

  /// Reads until `count` bytes are there, the peer closes, or the time is up.
  std::string read(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(5)) {
    while (buffer_.size() < count && receive(limit)) {
    }
    return take(std::min(count, buffer_.size()));
  }
  /// Reads until the peer closes.
  std::string read_all(std::chrono::milliseconds limit = std::chrono::seconds(5)) {
    while (receive(limit)) {
    }
    return take(buffer_.size());
  }
  /// One reply: head, and the body that its Content-Length announces (unless `head_only`).
  std::string read_reply(bool head_only = false,
                         std::chrono::milliseconds limit = std::chrono::seconds(5)) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive(limit)) {
        return take(buffer_.size());
      }
    }
    std::size_t body = 0;
    const std::size_t length = buffer_.find("Content-Length: ");
    if (!head_only && length < end) {
      body = std::stoul(buffer_.substr(length + 16));
    }
    return read(end + 4 + body, limit);
  }
  /// True if the peer has closed (nothing more comes) within the limit.
  bool closed(std::chrono::milliseconds limit = std::chrono::seconds(5)) {
    while (receive(limit)) {
    }
    return eof_;
  }

 private:
  bool receive(std::chrono::milliseconds limit) {
    pollfd event{fd_, POLLIN, 0};
    if (eof_ || ::poll(&event, 1, static_cast<int>(limit.count())) <= 0) {
      return false;
    }
    std::array<char, 65536> block{};
    const ssize_t n = ::recv(fd_, block.data(), block.size(), 0);
    if (n <= 0) {
      eof_ = true;
      return false;
    }
    buffer_.append(block.data(), static_cast<std::size_t>(n));
    return true;
  }
  std::string take(std::size_t count) {
    std::string taken = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return taken;
  }

  int fd_;
  bool connected_ = false;
  bool eof_ = false;
  std::string buffer_;
};

}  // namespace mote::test
