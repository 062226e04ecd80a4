#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <openssl/types.h>

#include "server/net/tls_session.h"

namespace mote::net {

/// PEM files: the certificate with the chain that follows it, and its unencrypted key.
struct TlsFiles {
  std::string certificate;
  std::string key;
};

/// What the TLS connections of one address share: TLS 1.2 and 1.3, ALPN http/1.1, no renegotiation,
/// no compression. Thread-safe.
class TlsContext {
 public:
  /// Reads the pair and checks that both belong together. Null with `problem` set to one line.
  static std::shared_ptr<TlsContext> load(TlsFiles files, std::string& problem);

  /// Reads the files again, for connections accepted from now on. Empty if all is well; else one
  /// line that says what is wrong, and the pair in use stays.
  [[nodiscard]] std::string reload();
  /// A session of its own for a connected, non-blocking socket that outlives it. Null if memory
  /// is out.
  [[nodiscard]] std::unique_ptr<TlsSession> new_session(int socket) const;
  [[nodiscard]] const TlsFiles& files() const noexcept { return files_; }

 private:
  explicit TlsContext(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  mutable std::mutex mutex_;
  std::shared_ptr<SSL_CTX> context_;
};

}  // namespace mote::net
