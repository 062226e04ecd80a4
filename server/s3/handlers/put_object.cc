#include "server/s3/checksums.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/object_attributes.h"

namespace mote::s3 {

Async<Answer> put_object(Call& call) {
  // Everything the head can tell is judged before the first byte of the body is asked for.
  Outcome<ObjectAttributes> attributes = attributes_from_request(call.head(), call.who);
  if (!attributes) {
    co_return std::move(attributes).error();
  }
  const Preconditions preconditions = write_preconditions(call);
  Outcome<Intake> intake = co_await take_payload(call, kDefaultChecksum);
  if (!intake) {
    co_return std::move(intake).error();
  }
  PutRequest request = put_request(call, *intake, *std::move(attributes));
  request.preconditions = preconditions;
  const Result<PutResult> stored =
      co_await engine::put(call.services.store, std::move(request), std::move(intake->body));
  if (!stored) {
    co_return co_await write_error(call, stored.error(), preconditions);
  }
  const ObjectHead& head = *stored->head;
  http::HeaderBlock block;
  add_etag(block, head.etag);
  add_checksum(block, head.checksum, 0);
  add_checksum_type(block, head.checksum);
  add_new_version(block, head);
  co_return empty_reply(200, std::string(block.text()));
}

}  // namespace mote::s3
