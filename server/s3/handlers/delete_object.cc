#include "server/http/limits.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/ids.h"
#include "server/s3/names.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

/// One line of a batch: either refused before it reached the engine, or the number of its request.
struct BatchLine {
  Refusal refused;
  std::size_t request = 0;
};

Refusal prepare(const Call& call, const xml::DeleteEntry& entry, DeleteRequest& request) {
  if (Refusal bad_key = check_key(entry.key)) {
    return bad_key;
  }
  if (entry.unsupported) {
    return make_error(ErrorCode::not_implemented);
  }
  request.object.bucket = call.route.bucket;
  request.object.key = entry.key;
  if (entry.version_id && !entry.version_id->empty()) {
    request.object.version = parse_version_id(*entry.version_id);
    if (!request.object.version) {
      return make_error(ErrorCode::no_such_version);
    }
  }
  if (entry.etag && *entry.etag == "*") {
    request.preconditions.if_exists = true;
  } else if (entry.etag) {
    request.preconditions.if_match.emplace();
    if (const std::optional<ETag> tag = parse_etag(*entry.etag)) {
      request.preconditions.if_match->push_back(*tag);
    }
  }
  return std::nullopt;
}

void write_error_entry(xml::Writer& writer, const xml::DeleteEntry& entry, const S3Error& error) {
  writer.open("Error").text("Key", entry.key);
  if (entry.version_id && !entry.version_id->empty()) {
    writer.text("VersionId", *entry.version_id);
  }
  writer.text("Code", error.code).text("Message", error.message).close("Error");
}

void write_deleted_entry(xml::Writer& writer, const xml::DeleteEntry& entry,
                         const DeleteResult& result) {
  writer.open("Deleted").text("Key", entry.key);
  if (entry.version_id && !entry.version_id->empty()) {
    writer.text("VersionId", *entry.version_id);
  }
  if (result.made_marker || result.removed_marker) {
    writer.boolean("DeleteMarker", true);
    writer.text("DeleteMarkerVersionId", to_text(result.version));
  }
  writer.close("Deleted");
}

/// Deleting what is not there is done already.
bool counts_as_deleted(const Error& error) noexcept {
  return error.code == Errc::no_such_key || error.code == Errc::no_such_version ||
         error.code == Errc::delete_marker;
}

std::string delete_result(const Call& call, const xml::DeleteDocument& document,
                          const std::vector<BatchLine>& lines,
                          const std::vector<Result<DeleteResult>>& results) {
  xml::Writer writer("DeleteResult");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const xml::DeleteEntry& entry = document.objects[i];
    if (lines[i].refused) {
      write_error_entry(writer, entry, *lines[i].refused);
      continue;
    }
    const Result<DeleteResult>& result = results[lines[i].request];
    if (!result && !counts_as_deleted(result.error())) {
      write_error_entry(writer, entry, call.mapped(result.error()));
    } else if (!document.quiet) {
      write_deleted_entry(writer, entry, result ? *result : DeleteResult{});
    }
  }
  return std::move(writer).finish();
}

}  // namespace

Async<Answer> delete_object(Call& call) {
  Outcome<ObjectRef> ref = object_ref(call);
  if (!ref) {
    co_return std::move(ref).error();
  }
  const Preconditions preconditions = write_preconditions(call);
  DeleteRequest request{.object = *std::move(ref), .preconditions = preconditions, .stop = {}};
  const Result<DeleteResult> result =
      co_await engine::remove(call.services.store, std::move(request));
  if (!result && !counts_as_deleted(result.error())) {
    co_return co_await write_error(call, result.error(), preconditions);
  }
  http::HeaderBlock block;
  if (result && result->versioned) {
    block.add("x-amz-version-id", to_text(result->version));
  }
  if (result && (result->made_marker || result->removed_marker)) {
    block.add("x-amz-delete-marker", "true");
  }
  co_return empty_reply(204, std::string(block.text()));
}

Async<Answer> delete_objects(Call& call) {
  const Outcome<std::string> text =
      co_await read_document(call, http::kXmlBodyBytesMax, DocumentChecks::integrity);
  if (!text) {
    co_return text.error();
  }
  const std::optional<xml::DeleteDocument> document =
      xml::read_delete(*text, http::kDeleteObjectsMax);
  if (!document) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  std::vector<BatchLine> lines(document->objects.size());
  std::vector<DeleteRequest> requests;
  requests.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    DeleteRequest request;
    lines[i].refused = prepare(call, document->objects[i], request);
    if (!lines[i].refused) {
      lines[i].request = requests.size();
      requests.push_back(std::move(request));
    }
  }
  const std::vector<Result<DeleteResult>> results =
      co_await engine::remove_all(call.services.store, std::move(requests));
  co_return xml_reply(delete_result(call, *document, lines, results));
}

}  // namespace mote::s3
