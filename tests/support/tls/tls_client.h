#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/ssl.h>

namespace mote::test {

/// A blocking TLS client on loopback that takes every certificate. Every wait is bounded by five
/// seconds.
class TlsClient {
 public:
  struct Offer {
    int version_max = TLS1_3_VERSION;
    std::string alpn{};  ///< in wire form: each name with its length before it
  };

  explicit TlsClient(std::uint16_t port) : TlsClient(port, Offer{}) {}
  TlsClient(std::uint16_t port, const Offer& offer)
      : context_(SSL_CTX_new(TLS_client_method())),
        fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SSL_CTX_set_security_level(context_, 0);  // the server is to refuse old versions, not we
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, offer.version_max);
    const timeval limit{5, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ssl_ = SSL_new(context_);
    if (!offer.alpn.empty()) {
      SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(offer.alpn.data()),
                          static_cast<unsigned>(offer.alpn.size()));
    }
    SSL_set_fd(ssl_, fd_);
    secure_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
              SSL_connect(ssl_) == 1;
  }
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(fd_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  [[nodiscard]] bool secure() const { return secure_; }
  [[nodiscard]] std::string version() const { return SSL_get_version(ssl_); }
  [[nodiscard]] std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  /// SHA-256 of the server's certificate.
  [[nodiscard]] std::string fingerprint() const {
    X509* const certificate = SSL_get1_peer_certificate(ssl_);
    std::string out(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    X509_digest(certificate, EVP_sha256(), reinterpret_cast<unsigned char*>(out.data()), &size);
    X509_free(certificate);
    out.resize(size);
    return out;
  }

  void send(std::string_view text) {
    if (!text.empty()) {
      SSL_write(ssl_, text.data(), static_cast<int>(text.size()));
    }
  }
  /// One reply: head, and the body that its Content-Length announces.
  std::string read_reply() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) {
        return std::exchange(buffer_, {});
      }
    }
    const std::size_t length = buffer_.find("Content-Length: ");
    const std::size_t body = length < end ? std::stoul(buffer_.substr(length + 16)) : 0;
    while (buffer_.size() < end + 4 + body && receive()) {
    }
    const std::string reply = buffer_.substr(0, end + 4 + body);
    buffer_.erase(0, reply.size());
    return reply;
  }
  /// Reads to the end. True if the server said goodbye before it closed.
  bool ended_well() {
    while (receive()) {
    }
    return goodbye_;
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  bool receive() {
    std::array<char, 65536> block{};
    const int count = SSL_read(ssl_, block.data(), block.size());
    if (count <= 0) {
      goodbye_ = SSL_get_error(ssl_, count) == SSL_ERROR_ZERO_RETURN;
      return false;
    }
    buffer_.append(block.data(), static_cast<std::size_t>(count));
    return true;
  }

  SSL_CTX* context_;
  int fd_;
  SSL* ssl_ = nullptr;
  bool secure_ = false;
  bool goodbye_ = false;
  std::string buffer_;
};

}  // namespace mote::test
