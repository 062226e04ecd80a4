// The do-nothing server: answers what `warp get|stat|put` sends with ready-made bytes, checks
// nothing, stores nothing. What it costs is the kernel's share of a request (epoll, recv, send) and
// so the floor under any server with this socket pattern.
//   mote-floor PORT OBJECT_BYTES
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

std::string reply(std::string headers, const std::string& body, size_t length) {
  return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(length) +
         "\r\n\r\n" + body;
}

size_t content_length(std::string_view head) {
  const auto at = head.find("Content-Length: ");
  return at == head.npos ? 0 : std::strtoull(head.data() + at + 16, nullptr, 10);
}

void send_all(int fd, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n > 0)
      sent += n;
    else if (errno != EAGAIN)
      return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3)
    return 64;
  const size_t object_bytes = std::strtoull(argv[2], nullptr, 10);
  const std::string object_headers =
      "ETag: \"0123456789abcdef0123456789abcdef\"\r\nLast-Modified: Mon, 30 Nov 2026 20:00:00 "
      "GMT\r\n"
      "Content-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\nx-amz-request-id: "
      "0123456789abcdef\r\n";
  const std::string xmlns = " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"/>";
  const auto xml = [&](const std::string& element) {
    const auto b = "<" + element + xmlns;
    return reply("Content-Type: application/xml\r\n", b, b.size());
  };
  const std::string get = reply(object_headers, std::string(object_bytes, 'x'), object_bytes),
                    head = reply(object_headers, "", object_bytes);
  const std::string put = reply("ETag: \"0123456789abcdef0123456789abcdef\"\r\n", "", 0);
  const std::string location = xml("LocationConstraint"),
                    versioning = xml("VersioningConfiguration");

  const int one = 1, listener = ::socket(AF_INET, SOCK_STREAM, 0), poll = ::epoll_create1(0);
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(std::atoi(argv[1]));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) ||
      ::listen(listener, 256))
    return 71;
  epoll_event watch{EPOLLIN, {.fd = listener}};
  ::epoll_ctl(poll, EPOLL_CTL_ADD, listener, &watch);

  std::unordered_map<int, std::string>
      pending;  // bytes received and not yet answered, by connection
  static char buffer[1 << 18];
  epoll_event events[64];
  for (;;) {
    const int ready = ::epoll_wait(poll, events, 64, -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        const int client = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
        ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        epoll_event w{EPOLLIN, {.fd = client}};
        ::epoll_ctl(poll, EPOLL_CTL_ADD, client, &w);
        continue;
      }
      const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
      if (n <= 0) {
        if (n == 0 || errno != EAGAIN) {
          ::close(fd);
          pending.erase(fd);
        }
        continue;
      }
      std::string& in = pending[fd];
      in.append(buffer, n);
      for (size_t end; (end = in.find("\r\n\r\n")) != in.npos;) {
        const std::string_view request_head(in.data(), end);
        const size_t total = end + 4 + content_length(request_head);
        if (in.size() < total)
          break;
        const auto line = request_head.substr(0, request_head.find('\r'));
        const bool read = line.starts_with("GET");
        send_all(fd, read && line.find("?location") != line.npos     ? location
                     : read && line.find("?versioning") != line.npos ? versioning
                     : read                                          ? get
                     : line.starts_with("HEAD")                      ? head
                                                                     : put);
        in.erase(0, total);
      }
    }
  }
}
