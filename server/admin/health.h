#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "server/async/exchange.h"

namespace mote::admin {

/// What health answers are made of; each call is O(1) and touches no drive.
struct HealthSource {
  std::function<bool()> ready;     ///< recovered, write quorum, not draining
  std::function<bool()> readable;  ///< at least k drives answer
};

/// Answers the health paths, which need no signature, and gives every other request to the handler
/// behind it. Paths (design.md 7): /_mote/health/{live,ready} and MinIO's
/// /minio/health/{live,ready,cluster,cluster/read}, so that probes of a MinIO deployment go on
/// working.
class HealthHandler final : public RequestHandler {
 public:
  HealthHandler(RequestHandler& next, HealthSource source);

  bool answer_now(const http::RequestHead& head, const http::Framing& framing,
                  std::string_view request_id, ReplyBatch& replies) override;
  Async<void> handle(Exchange& exchange) override;
  Reply refuse(http::FramingError error, std::string_view request_id) override;

 private:
  [[nodiscard]] std::optional<std::uint16_t> judge(const http::RequestHead& head) const;

  RequestHandler& next_;
  HealthSource source_;
};

}  // namespace mote::admin
