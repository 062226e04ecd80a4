#include "server/s3/handlers/service.h"

#include <new>

#include "server/s3/error_reply.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/host_bucket.h"

namespace mote::s3 {

S3Service::S3Service(ObjectStore& store, const auth::Authenticator& authenticator,
                     ServiceOptions options, const Clock& clock, RequestObserver* observer)
    : options_(std::move(options)),
      services_{store, authenticator, options_, clock},
      observer_(observer) {}

S3Service::S3Service(metacache::CachedStore& store, const auth::Authenticator& authenticator,
                     ServiceOptions options, const Clock& clock, RequestObserver* observer)
    : S3Service(static_cast<ObjectStore&>(store), authenticator, std::move(options), clock,
                observer) {
  cache_ = &store;
}

Async<Answer> S3Service::act(Exchange& exchange, const http::Target& target,
                             std::optional<Route>& routed_out) {
  const std::optional<std::string_view> bucket_label = host_bucket(exchange.head, options_);
  if (!bucket_label) {
    co_return make_error(ErrorCode::bad_request, "The Host header is not valid.");
  }
  const auth::AuthRequest request{exchange.head, target, *bucket_label};
  const Outcome<auth::Verified> who = services_.authenticator.authenticate(request);
  if (!who) {
    co_return who.error();
  }
  const RouteInput input{
      .method = exchange.head.method,
      .method_text = exchange.head.method_text,
      .target = target,
      .host_bucket = *bucket_label,
      .has_copy_source = who->header(exchange.head, "x-amz-copy-source").has_value(),
      .content_type = exchange.head.headers.get("content-type")};
  const Outcome<Route> routed = route(input);
  if (!routed) {
    // A stranger learns nothing of what is served here, not even by malformed requests.
    co_return who->anonymous() ? make_error(ErrorCode::access_denied) : routed.error();
  }
  routed_out = *routed;
  Outcome<std::shared_ptr<const BucketInfo>> bucket =
      authorise({exchange.head, target, *who, *routed}, services_.store);
  if (!bucket) {
    co_return std::move(bucket).error();
  }
  const Handler handler = find_handler(routed->op);
  if (handler == nullptr) {
    co_return operation_not_implemented(routed->op);
  }
  Call call{services_, exchange, target, *who, *routed, *std::move(bucket)};
  co_return co_await handler(call);
}

Async<void> S3Service::handle(Exchange& exchange) {
  http::Target target;
  std::optional<Route> routed;
  Answer answer = std::nullopt;
  try {
    if (target.parse(exchange.head.target)) {
      answer = make_error(ErrorCode::invalid_uri);
    } else {
      answer = co_await act(exchange, target, routed);
    }
  } catch (const std::bad_alloc&) {
    answer = make_error(ErrorCode::slow_down);
  }
  RequestRecord record{.request_id = exchange.request_id, .peer_address = exchange.peer_address};
  if (routed) {
    record.operation = describe(routed->op).name;
    record.bucket = routed->bucket;
    record.key = routed->key;
  }
  std::optional<Reply> reply;
  if (answer) {
    reply = *std::move(answer);
  } else {
    const S3Error& error = answer.error();
    record.error_code = error.code;
    record.error_message = error.message;
    if (exchange.reply.started()) {
      exchange.reply.abort();
    } else {
      reply = error_reply(error, {.resource = target.path(), .request_id = exchange.request_id},
                          exchange.head.method == http::Method::head);
    }
  }
  if (reply) {
    record.status = reply->status;
    // Whether it arrived is the connection's to know; the work is done either way.
    const Status sent = co_await exchange.reply.send(*std::move(reply));
    static_cast<void>(sent);
  }
  if (observer_ != nullptr) {
    observer_->request_done(record);
  }
}

Reply S3Service::refuse(http::FramingError error, std::string_view request_id) {
  const http::Rejection rejection = http::describe(error);
  S3Error refused;
  refused.code = rejection.code;
  refused.status = rejection.status;
  refused.message = rejection.message;
  Reply reply = error_reply(refused, {.resource = {}, .request_id = request_id}, false);
  reply.close = true;
  return reply;
}

}  // namespace mote::s3
