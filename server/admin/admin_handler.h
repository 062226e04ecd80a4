#pragma once

#include <functional>
#include <string>

#include "server/async/exchange.h"

namespace mote::admin {

/// What the admin port shows and does. Called on an I/O thread of the admin port; may take
/// milliseconds.
struct AdminActions {
  std::function<std::string()> metrics;      ///< Prometheus text
  std::function<std::string()> drives_json;  ///< {"ready": ..., "drives": [...]}
  std::function<std::string()> drives_text;  ///< the same for people, one line per drive
  /// Adopts the blank drive at `path`; empty on success, else the reason in one line.
  std::function<std::string(const std::string& path)> replace_drive;
};

/// The handler of the admin port: GET /metrics, GET /_mote/drives[?format=text],
/// POST /_mote/drives/replace?path=...
/// No signature: the port is bound to loopback unless the operator says otherwise.
class AdminHandler final : public RequestHandler {
 public:
  explicit AdminHandler(AdminActions actions) : actions_(std::move(actions)) {}

  bool answer_now(const http::RequestHead&, const http::Framing&, std::string_view,
                  ReplyBatch&) override {
    return false;
  }
  Async<void> handle(Exchange& exchange) override;
  Reply refuse(http::FramingError error, std::string_view request_id) override;

 private:
  Reply answer(const http::RequestHead& head);
  AdminActions actions_;
};

}  // namespace mote::admin
