#include <algorithm>

#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/read_plan.h"
#include "server/s3/handlers/replies.h"

namespace mote::s3 {

namespace {

/// Sends [offset, offset + length) of a large object. The first bytes are read before the status
/// line leaves, so that what cannot be read is still an honest error; later the connection is cut.
Async<Answer> stream(Call& call, ObjectReader& reader, ReadPlan plan) {
  std::uint64_t offset = plan.offset;
  std::uint64_t left = plan.length;
  bool begun = false;
  while (left > 0) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kStreamBytes));
    Result<Slice> bytes = co_await engine::read(reader, offset, count);
    if (!bytes || bytes->size() != count) {
      if (!begun) {
        co_return call.mapped(bytes ? Error{Errc::corrupt, 0, "short read"} : bytes.error());
      }
      call.exchange.reply.abort();
      co_return std::nullopt;
    }
    if (!begun) {
      begun = true;
      const Status started = co_await call.exchange.reply.begin(std::move(plan.reply));
      if (!started) {
        co_return std::nullopt;
      }
    }
    const Status written = co_await call.exchange.reply.write(*std::move(bytes));
    if (!written) {
      co_return std::nullopt;  // the peer is gone: nobody is left to answer
    }
    offset += count;
    left -= count;
  }
  co_return std::nullopt;
}

}  // namespace

Async<Answer> get_object(Call& call) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  Result<OpenedObject> opened = co_await engine::open(call.services.store, *std::move(ref));
  if (!opened) {
    co_return read_error(call, opened.error());
  }
  Outcome<ReadPlan> plan = plan_read(call, *opened->head);
  if (!plan) {
    co_return std::move(plan).error();
  }
  if (!plan->body || plan->length == 0) {
    co_return std::move(plan->reply);
  }
  if (opened->body) {
    plan->reply.body = opened->body->sub(static_cast<std::size_t>(plan->offset),
                                         static_cast<std::size_t>(plan->length));
    co_return std::move(plan->reply);
  }
  co_return co_await stream(call, *opened->reader, *std::move(plan));
}

Async<Answer> head_object(Call& call) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> head = co_await engine::head(call.services.store, *std::move(ref));
  if (!head) {
    co_return read_error(call, head.error());
  }
  Outcome<ReadPlan> plan = plan_read(call, **head);
  if (!plan) {
    co_return std::move(plan).error();
  }
  co_return std::move(plan->reply);
}

}  // namespace mote::s3
