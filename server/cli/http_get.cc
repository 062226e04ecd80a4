#include "server/cli/http_get.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include <openssl/ssl.h>

namespace mote::cli {
namespace {

struct Url {
  bool tls = false;
  std::string host;
  std::string port;
  std::string path = "/";
};

bool parse_url(std::string text, Url& url) {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kTls = "https://";
  url.tls = text.starts_with(kTls);
  if (!url.tls && !text.starts_with(kPlain)) {
    return false;
  }
  url.port = url.tls ? "443" : "80";
  text.erase(0, url.tls ? kTls.size() : kPlain.size());
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    url.path = text.substr(slash);
    text.resize(slash);
  }
  const std::size_t colon = text.rfind(':');
  const bool v6_without_port = text.ends_with(']');
  if (colon != std::string::npos && !v6_without_port) {
    url.port = text.substr(colon + 1);
    text.resize(colon);
  }
  if (text.starts_with('[') && text.ends_with(']')) {
    text = text.substr(1, text.size() - 2);
  }
  url.host = text;
  return !url.host.empty();
}

int connect_to(const Url& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found) != 0) {
    return -1;
  }
  int fd = -1;
  for (const addrinfo* a = found; a != nullptr && fd < 0; a = a->ai_next) {
    fd = ::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    const timeval limit{5, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (fd >= 0 && ::connect(fd, a->ai_addr, a->ai_addrlen) != 0) {
      ::close(fd);
      fd = -1;
    }
  }
  ::freeaddrinfo(found);
  return fd;
}

/// Bytes to and from a connected socket, in clear or over TLS. Whose certificate it is does not
/// matter: no secret is sent, and what listens on this address is asked for its health only.
class Channel {
 public:
  Channel(int fd, const Url& url) : fd_(fd), tls_(url.tls) {
    if (!tls_) {
      return;
    }
    context_.reset(SSL_CTX_new(TLS_client_method()));
    ssl_.reset(context_ == nullptr ? nullptr : SSL_new(context_.get()));
    if (ssl_ != nullptr) {
      SSL_set_fd(ssl_.get(), fd);
      ready_ = SSL_connect(ssl_.get()) == 1;
    }
  }
  ~Channel() { ::close(fd_); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  bool send(const std::string& text) {
    if (!tls_) {
      return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(text.size());
    }
    return ready_ && SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) > 0;
  }
  std::string receive_all() {
    std::string out;
    std::array<char, 16384> block{};
    while (true) {
      const ssize_t count = !tls_ ? ::recv(fd_, block.data(), block.size(), 0)
                                  : SSL_read(ssl_.get(), block.data(), block.size());
      if (count <= 0) {
        return out;
      }
      out.append(block.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  int fd_;
  bool tls_;
  bool ready_ = false;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace

HttpAnswer http_request(const std::string& method, const std::string& url_text) {
  HttpAnswer answer;
  Url url;
  if (!parse_url(url_text, url)) {
    answer.error = "not an http or https URL: " + url_text;
    return answer;
  }
  const int fd = connect_to(url);
  if (fd < 0) {
    answer.error = "cannot connect to " + url.host + ":" + url.port;
    return answer;
  }
  const std::string request = method + " " + url.path + " HTTP/1.1\r\nHost: " + url.host + ":" +
                              url.port + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  std::string reply;
  Channel channel(fd, url);
  if (channel.send(request)) {
    reply = channel.receive_all();
  }
  const std::size_t body = reply.find("\r\n\r\n");
  if (!reply.starts_with("HTTP/1.1 ") || body == std::string::npos) {
    answer.error = "no answer from " + url_text;
    return answer;
  }
  std::from_chars(reply.data() + 9, reply.data() + 12, answer.status);
  answer.body = reply.substr(body + 4);
  return answer;
}

}  // namespace mote::cli
