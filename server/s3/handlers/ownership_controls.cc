#include <optional>
#include <string>

#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/bucket_document.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

// Every object belongs to the bucket's owner, which is what BucketOwnerEnforced says; the other two
// rules would bring ACLs with them. A new bucket answers as S3's do.
namespace mote::s3 {

namespace {

constexpr std::size_t kDocumentBytesMax = 64 * kKiB;
constexpr std::string_view kOwnershipControls = "ownershipControls";
/// Stored in place of a document that was deleted: S3 then answers 404, not the new bucket's state.
constexpr std::string_view kDeleted = "-";
constexpr std::string_view kOwnerEnforced = "BucketOwnerEnforced";

/// Stores the document and answers `status`.
Async<Answer> update(Call& call, std::optional<std::string> content, std::uint16_t status) {
  Refusal refused = co_await store_document(call, kOwnershipControls, std::move(content));
  if (refused) {
    co_return *std::move(refused);
  }
  co_return empty_reply(status);
}

}  // namespace

Async<Answer> get_bucket_ownership_controls(Call& call) {
  const std::string* stored = stored_document(*call.bucket, kOwnershipControls);
  if (stored != nullptr && *stored == kDeleted) {
    co_return make_error(ErrorCode::ownership_controls_not_found,
                         {{"BucketName", call.route.bucket}});
  }
  xml::Writer writer("OwnershipControls");
  writer.open("Rule").text("ObjectOwnership", kOwnerEnforced).close("Rule");
  co_return xml_reply(std::move(writer).finish());
}

Async<Answer> put_bucket_ownership_controls(Call& call) {
  const Outcome<std::string> text =
      co_await read_document(call, kDocumentBytesMax, DocumentChecks::none);
  if (!text) {
    co_return text.error();
  }
  const std::optional<std::string> rule = xml::read_ownership_controls(*text);
  if (!rule) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  if (*rule != kOwnerEnforced) {
    co_return not_implemented("ObjectOwnership " + *rule + " is not implemented.");
  }
  co_return co_await update(call, std::nullopt, 200);
}

Async<Answer> delete_bucket_ownership_controls(Call& call) {
  std::optional<std::string> content(kDeleted);
  co_return co_await update(call, std::move(content), 204);
}

}  // namespace mote::s3
