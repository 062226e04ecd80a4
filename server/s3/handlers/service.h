#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "metacache/cached_store.h"
#include "server/async/exchange.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// One finished request, for logs and counters. Views live for the call only. Never holds a secret:
/// no header, no query.
struct RequestRecord {
  std::string_view request_id;
  std::string_view peer_address;
  std::string_view operation{};  ///< "" if it was refused before it was routed
  std::string_view bucket{};
  std::string_view key{};
  std::uint16_t status = 0;       ///< of the reply; 0 if it was streamed
  std::string_view error_code{};  ///< S3 code, "" on success
  std::string_view error_message{};
};

/// How a GET or HEAD went: answered at once from memory, or why it needed a task.
enum class ReadPath : std::uint8_t {
  fast,        ///< answered by answer_now()
  special,     ///< a range, a condition or a query: not the plain object
  anonymous,   ///< carries no signature
  refused,     ///< by signature, form or policy; the task says why
  not_object,  ///< of a bucket or the service
  uncached,    ///< no image of it, or it was written meanwhile; absent keys too
  large,       ///< its head is cached, its bytes are with the store
};
inline constexpr std::size_t kReadPaths = 7;
/// "fast", "special"…: the label of a metric.
[[nodiscard]] std::string_view to_string(ReadPath path) noexcept;

/// Told of every request that went through handle(). Called on connection threads; must not block.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void request_done(const RequestRecord& record) = 0;
  /// Once for each GET or HEAD without a body.
  virtual void read_took(ReadPath path) = 0;
};

/// S3 above an ObjectStore: parses the target, authenticates, routes, authorises and acts, in that
/// order and in one place for every operation (INV-10). Thread-safe; one instance serves all
/// connections.
class S3Service final : public RequestHandler {
 public:
  /// All references outlive the service. `observer` may be null. Over a CachedStore whose images
  /// were rendered by render_object_headers(), plain GETs and HEADs are answered from it at once.
  S3Service(metacache::CachedStore& store, const auth::Authenticator& authenticator,
            ServiceOptions options, const Clock& clock, RequestObserver* observer = nullptr);
  S3Service(ObjectStore& store, const auth::Authenticator& authenticator, ServiceOptions options,
            const Clock& clock, RequestObserver* observer = nullptr);

  bool answer_now(const http::RequestHead& head, const http::Framing& framing,
                  std::string_view request_id, ReplyBatch& replies) override;
  Async<void> handle(Exchange& exchange) override;
  Reply refuse(http::FramingError error, std::string_view request_id) override;

  [[nodiscard]] const ServiceOptions& options() const noexcept { return options_; }

 private:
  /// Answers a GET or HEAD from the cache, or says what stands against it and has done nothing.
  [[nodiscard]] ReadPath answer_from_cache(const http::RequestHead& head,
                                           std::string_view request_id, ReplyBatch& replies);
  /// `routed` is set as soon as the operation is known.
  Async<Answer> act(Exchange& exchange, const http::Target& target, std::optional<Route>& routed);

  ServiceOptions options_;
  Services services_;
  metacache::CachedStore* cache_ = nullptr;
  RequestObserver* observer_;
};

}  // namespace mote::s3
