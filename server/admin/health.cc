#include "server/admin/health.h"

#include <utility>

namespace mote::admin {

HealthHandler::HealthHandler(RequestHandler& next, HealthSource source)
    : next_(next), source_(std::move(source)) {}

std::optional<std::uint16_t> HealthHandler::judge(const http::RequestHead& head) const {
  std::string_view path = head.path_raw;
  // A bucket cannot be named "_mote"; "minio" can, and then /minio/health/... is still the probe.
  if (path.starts_with("/_mote/health/")) {
    path.remove_prefix(14);
  } else if (path.starts_with("/minio/health/")) {
    path.remove_prefix(14);
  } else {
    return std::nullopt;
  }
  if (head.method != http::Method::get && head.method != http::Method::head) {
    return std::nullopt;
  }
  if (path == "live") {
    return 200;
  }
  if (path == "ready" || path == "cluster") {
    return source_.ready() ? 200 : 503;
  }
  if (path == "cluster/read") {
    return source_.readable() ? 200 : 503;
  }
  return std::nullopt;
}

bool HealthHandler::answer_now(const http::RequestHead& head, const http::Framing& framing,
                               std::string_view request_id, ReplyBatch& replies) {
  const std::optional<std::uint16_t> status = judge(head);
  if (!status) {
    return next_.answer_now(head, framing, request_id, replies);
  }
  replies.add(*status, {}, {}, 0);
  return true;
}

Async<void> HealthHandler::handle(Exchange& exchange) {
  const std::optional<std::uint16_t> status = judge(exchange.head);
  if (!status) {
    co_await next_.handle(exchange);
    co_return;
  }
  Reply reply;
  reply.status = *status;
  (void)co_await exchange.reply.send(std::move(reply));
}

Reply HealthHandler::refuse(http::FramingError error, std::string_view request_id) {
  return next_.refuse(error, request_id);
}

}  // namespace mote::admin
