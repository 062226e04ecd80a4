#include "bench/load/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

namespace mote::bench {

Connection::~Connection() {
  close();
}

void Connection::close() {
  if (fd_ >= 0) {
    ::close(fd_);
    fd_ = -1;
  }
}

Status Connection::open(const Endpoint& endpoint) {
  close();
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(endpoint.port);
  if (::inet_pton(AF_INET, endpoint.host.c_str(), &address.sin_addr) != 1) {
    return Error{Errc::invalid_argument, 0, "host is not an IPv4 address"};
  }
  if (fd_ < 0 || ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return Error{Errc::io_error, errno, "connect"};
  }
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return ok();
}

void Connection::start(std::string head, std::string_view body, bool head_only) {
  head_ = std::move(head);
  body_ = body;
  sent_ = 0;
  head_only_ = head_only;
  reply_ = {};
  in_.clear();
}

bool Connection::send_some() {
  while (wants_write()) {
    std::array<iovec, 2> parts{};
    std::size_t count = 0;
    if (sent_ < head_.size()) {
      parts[count++] = {head_.data() + sent_, head_.size() - sent_};
      if (!body_.empty()) {
        parts[count++] = {const_cast<char*>(body_.data()), body_.size()};
      }
    } else {
      const std::size_t from = sent_ - head_.size();
      parts[count++] = {const_cast<char*>(body_.data()) + from, body_.size() - from};
    }
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const ssize_t n = ::sendmsg(fd_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    sent_ += static_cast<std::size_t>(n);
  }
  return true;
}

bool Connection::parse_head() {
  const std::size_t end = in_.find("\r\n\r\n");
  if (end == std::string::npos) {
    return in_.size() < 65536;
  }
  if (!in_.starts_with("HTTP/1.1 ")) {
    return false;
  }
  std::from_chars(in_.data() + 9, in_.data() + 12, reply_.status);
  if (reply_.status == 100) {
    in_.erase(0, end + 4);
    return parse_head();
  }
  const std::string_view head(in_.data(), end + 2);
  for (const std::string_view name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
    const std::size_t at = head.find(name);
    if (at != std::string_view::npos) {
      std::from_chars(head.data() + at + name.size(), head.data() + head.size(),
                      reply_.content_length);
    }
  }
  reply_.close = head.find("\r\nConnection: close\r\n") != std::string_view::npos;
  if (head_only_ || reply_.status == 204 || reply_.status == 304) {
    reply_.content_length = 0;
  }
  reply_.head_done = true;
  in_.erase(0, end + 4);
  reply_.body_seen = in_.size();
  return true;
}

Connection::Progress Connection::advance() {
  if (wants_write() && !send_some()) {
    return Progress::failed;
  }
  // Replies are read in large pieces; what the checks need stays in in_.
  thread_local std::array<char, 262144> block;
  const ssize_t n = ::recv(fd_, block.data(), block.size(), MSG_DONTWAIT);
  if (n < 0) {
    return errno == EAGAIN || errno == EINTR ? Progress::waiting : Progress::failed;
  }
  if (n == 0) {
    return Progress::failed;
  }
  in_.append(block.data(), static_cast<std::size_t>(n));
  if (reply_.head_done) {
    reply_.body_seen += static_cast<std::uint64_t>(n);
  } else if (!parse_head()) {
    return Progress::failed;
  }
  return reply_.head_done && reply_.body_seen >= reply_.content_length ? Progress::done
                                                                       : Progress::waiting;
}

}  // namespace mote::bench
