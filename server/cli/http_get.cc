#include "server/cli/http_get.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstring>

namespace mote::cli {
namespace {

struct Url {
  std::string host;
  std::string port = "80";
  std::string path = "/";
};

bool parse_url(std::string text, Url& url) {
  constexpr std::string_view kScheme = "http://";
  if (!text.starts_with(kScheme)) {
    return false;
  }
  text.erase(0, kScheme.size());
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

}  // namespace

HttpAnswer http_request(const std::string& method, const std::string& url_text) {
  HttpAnswer answer;
  Url url;
  if (!parse_url(url_text, url)) {
    answer.error = "not an http URL: " + url_text;
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
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(request.size())) {
    std::array<char, 16384> block{};
    for (ssize_t n = 0; (n = ::recv(fd, block.data(), block.size(), 0)) > 0;) {
      reply.append(block.data(), static_cast<std::size_t>(n));
    }
  }
  ::close(fd);
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
