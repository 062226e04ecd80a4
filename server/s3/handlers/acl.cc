#include <algorithm>

#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/listing.h"
#include "server/s3/handlers/read_plan.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/xml/request_documents.h"

namespace mote::s3 {

namespace {

constexpr std::size_t kAclBytesMax = 64 * kKiB;

/// The object must be there; nothing of it is needed.
Async<Refusal> check_object(Call& call) {
  if (call.route.key.empty()) {
    co_return std::nullopt;
  }
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Result<engine::HeadPtr> head = co_await engine::head(call.services.store, *std::move(ref));
  if (!head) {
    co_return read_error(call, head.error());
  }
  co_return std::nullopt;
}

/// Under BucketOwnerEnforced only what changes nothing is accepted: the owner's own full control.
bool grants_owner_only(const xml::AclDocument& acl, const std::string& owner) {
  return std::all_of(acl.grants.begin(), acl.grants.end(), [&owner](const xml::Grant& grant) {
    return grant.grantee_id == owner && grant.permission == "FULL_CONTROL";
  });
}

}  // namespace

Async<Answer> get_acl(Call& call) {
  Refusal refused = co_await check_object(call);
  if (refused) {
    co_return *std::move(refused);
  }
  const OwnerName owner = owner_name(call, call.bucket->owner);
  xml::Writer writer("AccessControlPolicy");
  write_owner(writer, "Owner", owner);
  writer.open("AccessControlList").open("Grant");
  writer.open_with_type("Grantee", "CanonicalUser");
  writer.text("ID", owner.id).text("DisplayName", owner.display_name).close("Grantee");
  writer.text("Permission", "FULL_CONTROL").close("Grant").close("AccessControlList");
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> put_acl(Call& call) {
  // Canned ACLs and grant headers were judged with all other headers (access.cc).
  const Outcome<std::string> text =
      co_await read_document(call, kAclBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  Refusal refused = co_await check_object(call);
  if (refused) {
    co_return *std::move(refused);
  }
  if (!text->empty()) {
    const std::optional<xml::AclDocument> acl = xml::read_acl(*text);
    if (!acl) {
      co_return make_error(ErrorCode::malformed_acl);
    }
    if (!grants_owner_only(*acl, call.bucket->owner)) {
      co_return make_error(ErrorCode::access_control_list_not_supported);
    }
  } else if (!call.header("x-amz-acl")) {
    co_return make_error(ErrorCode::invalid_request,
                         "Your request was missing a required header: x-amz-acl");
  }
  co_return empty_reply(200);
}

}  // namespace mote::s3
