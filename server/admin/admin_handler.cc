#include "server/admin/admin_handler.h"

#include <utility>

#include "server/http/target.h"

namespace mote::admin {
namespace {

Reply text_reply(std::uint16_t status, std::string_view type, std::string body) {
  Reply reply;
  reply.status = status;
  reply.head.append("Content-Type: ")
      .append(type)
      .append("\r\nX-Content-Type-Options: nosniff\r\n");
  reply.content_length = body.size();
  reply.body = Slice::own(std::move(body));
  return reply;
}

}  // namespace

Reply AdminHandler::answer(const http::RequestHead& head) {
  const bool reading = head.method == http::Method::get || head.method == http::Method::head;
  if (head.path_raw == "/metrics" && reading) {
    return text_reply(200, "text/plain; version=0.0.4; charset=utf-8", actions_.metrics());
  }
  if (head.path_raw == "/_mote/drives" && reading) {
    if (head.query_raw == "format=text") {
      return text_reply(200, "text/plain; charset=utf-8", actions_.drives_text());
    }
    return text_reply(200, "application/json", actions_.drives_json());
  }
  if (head.path_raw == "/_mote/drives/replace" && head.method == http::Method::post) {
    if (head.headers.contains("origin")) {
      return text_reply(403, "text/plain", "cross-origin requests are refused\n");
    }
    http::Target target;
    if (target.parse(head.target)) {
      return text_reply(400, "text/plain", "bad target\n");
    }
    const std::string path(target.value("path"));
    if (path.empty()) {
      return text_reply(400, "text/plain", "path is missing\n");
    }
    const std::string reason = actions_.replace_drive(path);
    return reason.empty() ? text_reply(200, "text/plain", "adopted, healing\n")
                          : text_reply(409, "text/plain", reason + "\n");
  }
  return text_reply(404, "text/plain", "not found\n");
}

Async<void> AdminHandler::handle(Exchange& exchange) {
  (void)co_await exchange.reply.send(answer(exchange.head));
}

Reply AdminHandler::refuse(http::FramingError error, std::string_view /*request_id*/) {
  const http::Rejection rejection = http::describe(error);
  return text_reply(static_cast<std::uint16_t>(rejection.status), "text/plain",
                    std::string(rejection.message) + "\n");
}

}  // namespace mote::admin
