#pragma once

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

/// Told of every request that went through handle(). Called on connection threads; must not block.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void request_done(const RequestRecord& record) = 0;
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
  /// `routed` is set as soon as the operation is known.
  Async<Answer> act(Exchange& exchange, const http::Target& target, std::optional<Route>& routed);

  ServiceOptions options_;
  Services services_;
  metacache::CachedStore* cache_ = nullptr;
  RequestObserver* observer_;
};

}  // namespace mote::s3
