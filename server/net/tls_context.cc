#include "server/net/tls_context.h"

#include <string_view>
#include <utility>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace mote::net {
namespace {

/// What OpenSSL says went wrong, without its file names and codes. Empties its queue.
std::string reason() {
  const unsigned long code = ERR_peek_error();  // the first is the cause
  const char* const text = ERR_reason_error_string(code);
  ERR_clear_error();
  return text == nullptr ? "unreadable" : text;
}

/// A key with a passphrase is refused instead of asked for on the terminal.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return -1;
}

/// Takes http/1.1, or http/1.0 from a client that speaks only that; others get the alert of
/// RFC 7301 3.2.
int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*user*/) {
  static constexpr unsigned char kOurs[] = "\x08http/1.1\x08http/1.0";
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kOurs, sizeof kOurs - 1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void set_options(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);  // header and body of a record in one recv
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets resume without memory
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
}

std::shared_ptr<SSL_CTX> make_context(const TlsFiles& files, std::string& problem) {
  ERR_clear_error();
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) {
    problem = "TLS: " + reason();
    return nullptr;
  }
  set_options(context.get());
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
    problem = "TLS certificate " + files.certificate + ": " + reason();
    return nullptr;
  }
  // Compares it with the certificate as well.
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    problem = "TLS key " + files.key + ": " + reason();
    return nullptr;
  }
  return context;
}

}  // namespace

std::shared_ptr<TlsContext> TlsContext::load(TlsFiles files, std::string& problem) {
  std::shared_ptr<TlsContext> context(new TlsContext(std::move(files)));
  problem = context->reload();
  return problem.empty() ? context : nullptr;
}

std::string TlsContext::reload() {
  std::string problem;
  std::shared_ptr<SSL_CTX> context = make_context(files_, problem);
  if (context != nullptr) {
    const std::lock_guard lock(mutex_);
    context_.swap(context);
  }
  return problem;
}

std::unique_ptr<TlsSession> TlsContext::new_session(int socket) const {
  const std::lock_guard lock(mutex_);
  return TlsSession::make(context_.get(), socket);
}

}  // namespace mote::net
