// One cached, signed GET of 1 KiB, many times over one connection: what bench/gate/gate.py counts
// instructions, system calls and allocations of. Prints how many allocations the server's threads
// made while it ran.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "bench/load/signer.h"

#include "mote/server.h"

namespace {

std::atomic<std::size_t> allocations{0};
thread_local bool is_client = false;

void* counted(std::size_t size, std::size_t alignment) {
  if (!is_client) {
    allocations.fetch_add(1, std::memory_order_relaxed);
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = alignment > alignof(std::max_align_t)
                           ? std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded)
                           : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

constexpr std::size_t kObjectBytes = 1024;

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    open_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(fd_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Sends `request` and reads one reply whose body has `body_bytes`. True if it was 200.
  bool exchange(std::string_view request, std::size_t body_bytes) {
    if (!open_ || ::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) !=
                      static_cast<ssize_t>(request.size())) {
      return false;
    }
    std::size_t have = 0;
    while (true) {
      const ssize_t got = ::recv(fd_, reply_.data() + have, reply_.size() - have, 0);
      if (got <= 0) {
        return false;
      }
      have += static_cast<std::size_t>(got);
      const std::string_view text(reply_.data(), have);
      const std::size_t end = text.find("\r\n\r\n");
      if (end != std::string_view::npos && have >= end + 4 + body_bytes) {
        return text.starts_with("HTTP/1.1 200 ");
      }
    }
  }

 private:
  int fd_;
  bool open_ = false;
  std::array<char, 8192> reply_{};
};

int run(unsigned long requests) {
  mote::Options options;
  options.memory = true;
  options.threads = 1;
  options.address = "127.0.0.1:0";
  options.buckets = {"bucket"};
  mote::StartError error;
  const auto server = mote::Server::start(options, error);
  if (server == nullptr) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 1;
  }
  const std::string endpoint = server->endpoint();
  const std::string authority = endpoint.substr(endpoint.find("//") + 2);
  const auto port = static_cast<std::uint16_t>(
      std::strtoul(endpoint.c_str() + endpoint.rfind(':') + 1, nullptr, 10));
  mote::bench::Signer signer(authority, options.access_key, options.secret_key, "us-east-1");
  std::string put;
  signer.append_request(put, "PUT", "/bucket/object", "", kObjectBytes);
  put.append(kObjectBytes, 'x');
  std::string get;
  signer.append_request(get, "GET", "/bucket/object", "", 0);
  Client client(port);
  if (!client.exchange(put, 0)) {
    std::fprintf(stderr, "the PUT failed\n");
    return 1;
  }
  constexpr unsigned long kWarmUp = 64;
  std::size_t before = 0;
  for (unsigned long i = 0; i < kWarmUp + requests; ++i) {
    if (i == kWarmUp) {
      before = allocations.load();
    }
    if (!client.exchange(get, kObjectBytes)) {
      std::fprintf(stderr, "GET %lu failed\n", i);
      return 1;
    }
  }
  std::printf("{\"requests\": %lu, \"allocations\": %zu}\n", requests, allocations.load() - before);
  return 0;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size, 1);
}
void* operator new[](std::size_t size) {
  return counted(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

int main(int argc, char** argv) {
  is_client = true;
  return run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000);
}
