#include <algorithm>

#include "server/digest/encoding.h"
#include "server/http/limits.h"
#include "server/http/uri.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/handlers/upload_call.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

using Named = std::vector<xml::CompletePart>;
using Parts = std::vector<const PartInfo*>;

Refusal check_numbers(const Named& named) {
  std::int64_t last = 0;
  for (const xml::CompletePart& part : named) {
    if (part.number < 1 || part.number > http::kPartNumberMax) {
      return invalid_argument("Part number must be an integer between 1 and 10000, inclusive",
                              "PartNumber", std::to_string(part.number));
    }
    if (part.number <= last) {
      return make_error(ErrorCode::invalid_part_order);
    }
    last = part.number;
  }
  return std::nullopt;
}

/// True unless a checksum sent for this part contradicts the one that was verified when it came.
bool checksums_agree(const xml::CompletePart& named, const PartInfo& part) {
  const auto algorithm = to_algorithm(part.checksum.kind);
  return std::all_of(named.checksums.begin(), named.checksums.end(), [&](const auto& sent) {
    return !algorithm || sent.first != digest::element_name(*algorithm) ||
           sent.second == to_text(part.checksum, 0);
  });
}

Outcome<Parts> match_parts(const Call& call, const Named& named, const UploadInfo& info) {
  Parts out;
  out.reserve(named.size());
  for (const xml::CompletePart& wanted : named) {
    const auto at = std::lower_bound(
        info.parts.begin(), info.parts.end(), wanted.number,
        [](const PartInfo& part, std::int64_t number) { return part.number < number; });
    const std::optional<ETag> etag = parse_etag(wanted.etag);
    if (at == info.parts.end() || at->number != wanted.number || !etag || *etag != at->etag ||
        !checksums_agree(wanted, *at)) {
      return make_error(ErrorCode::invalid_part, {{"UploadId", call.param("uploadId")},
                                                  {"PartNumber", std::to_string(wanted.number)},
                                                  {"ETag", wanted.etag}});
    }
    out.push_back(&*at);
  }
  return out;
}

Refusal check_sizes(const Call& call, const Parts& parts) {
  std::uint64_t total = 0;
  for (const PartInfo* part : parts) {
    total += part->bytes;
    if (part->bytes < http::kPartBytesMin && part != parts.back()) {
      return make_error(ErrorCode::entity_too_small,
                        {{"ProposedSize", std::to_string(part->bytes)},
                         {"MinSizeAllowed", std::to_string(http::kPartBytesMin)},
                         {"PartNumber", std::to_string(part->number)},
                         {"ETag", mote::to_text(part->etag)}});
    }
  }
  if (total > http::kObjectBytesMax) {
    return make_error(ErrorCode::entity_too_large,
                      {{"ProposedSize", std::to_string(total)},
                       {"MaxSizeAllowed", std::to_string(http::kObjectBytesMax)}});
  }
  if (const auto announced = call.header("x-amz-mp-object-size");
      announced && *announced != std::to_string(total)) {
    return make_error(ErrorCode::invalid_request,
                      "The provided 'x-amz-mp-object-size' header value " +
                          std::string(*announced) +
                          " does not match what was computed: " + std::to_string(total));
  }
  return std::nullopt;
}

/// md5(md5 of part 1, md5 of part 2, ...)-N. An MD5 that is the same as before means the same
/// parts.
template <class Range, class Md5Of>
ETag multipart_etag(const Range& parts, Md5Of md5_of) {
  digest::Md5 md5;
  for (const auto& part : parts) {
    const digest::Md5Value value = md5_of(part);
    md5.update(value);
  }
  return ETag{.md5 = md5.finish(), .parts = static_cast<std::uint16_t>(parts.size())};
}

/// The object's checksum from its parts': none where the parts carry different ones.
Outcome<StoredChecksum> object_checksum(const UploadInfo& info, const Parts& parts) {
  const bool asked = info.checksum != ChecksumKind::none;
  const ChecksumKind kind = asked ? info.checksum : to_kind(kDefaultChecksum);
  const bool full = asked ? info.checksum_full_object : true;
  std::vector<digest::PartChecksum> values;
  values.reserve(parts.size());
  for (const PartInfo* part : parts) {
    if (part->checksum.kind != kind) {
      if (asked) {
        return checksum_mismatch(kind, part->checksum.kind);
      }
      return StoredChecksum{};
    }
    values.push_back({.value = to_value(part->checksum), .bytes = part->bytes});
  }
  const digest::ChecksumAlgorithm algorithm = *to_algorithm(kind);
  StoredChecksum out = to_stored(full ? digest::full_object_checksum(algorithm, values)
                                      : digest::composite_checksum(algorithm, values));
  out.composite = !full;
  return out;
}

/// A Complete may carry the checksum and the type that the client expects of the object.
Refusal check_expected(const Call& call, const StoredChecksum& checksum, std::size_t parts) {
  const auto algorithm = to_algorithm(checksum.kind);
  for (const digest::ChecksumAlgorithm each : digest::kChecksumAlgorithms) {
    const auto sent = call.header(digest::header_name(each));
    if (!sent) {
      continue;
    }
    if (!algorithm || each != *algorithm) {
      return checksum_mismatch(checksum.kind, to_kind(each));
    }
    const std::string computed = to_text(checksum, parts);
    if (*sent != computed && *sent != computed.substr(0, computed.find('-'))) {
      return make_error(ErrorCode::bad_digest, "The " + std::string(digest::name(each)) +
                                                   " you specified did not match the calculated "
                                                   "checksum.");
    }
  }
  const auto type = call.header("x-amz-checksum-type");
  if (type && checksum.kind != ChecksumKind::none && *type != type_name(checksum.composite)) {
    return make_error(ErrorCode::invalid_request,
                      "The upload was created using the " +
                          std::string(type_name(checksum.composite)) +
                          " checksum mode. The complete request must use the same checksum mode.");
  }
  return std::nullopt;
}

std::string location(const Call& call) {
  std::string_view external = call.services.options.external_url;
  if (!external.empty()) {
    external.remove_suffix(external.ends_with('/') ? 1 : 0);
    return std::string(external) + "/" + std::string(call.route.bucket) + "/" +
           http::uri_encode(call.route.key, http::Slash::keep);
  }
  return std::string(call.exchange.secure ? "https://" : "http://") +
         std::string(call.head().headers.get("host")) + std::string(call.target.raw_path());
}

Reply complete_reply(const Call& call, const ObjectHead& head) {
  xml::Writer writer("CompleteMultipartUploadResult");
  writer.text("Location", location(call));
  writer.text("Bucket", call.route.bucket).text("Key", call.route.key);
  writer.etag("ETag", mote::to_text(head.etag));
  if (const auto algorithm = to_algorithm(head.checksum.kind)) {
    writer.text(digest::element_name(*algorithm), to_text(head.checksum, head.parts.size()));
    writer.text("ChecksumType", type_name(head.checksum.composite));
  }
  Reply reply = xml_reply(std::move(writer).finish());
  http::HeaderBlock block;
  add_new_version(block, head);
  reply.head.append(block.text());
  return reply;
}

/// A client that lost the answer completes again: the upload is gone, and the object is what these
/// parts make. Anything else is NoSuchUpload.
Async<Answer> already_completed(Call& call, Error error, Named named) {
  ObjectRef ref{.bucket = std::string(call.route.bucket),
                .key = std::string(call.route.key),
                .version = std::nullopt};
  const Result<engine::HeadPtr> head = co_await engine::head(call.services.store, std::move(ref));
  if (head) {
    const ETag etag = multipart_etag(named, [](const xml::CompletePart& part) {
      return parse_etag(part.etag).value_or(ETag{}).md5;
    });
    if ((*head)->etag == etag) {
      co_return complete_reply(call, **head);
    }
  }
  co_return call.mapped(error);
}

}  // namespace

Async<Answer> complete_multipart_upload(Call& call) {
  const Outcome<UploadCall> upload = upload_call(call);
  if (!upload) {
    co_return upload.error();
  }
  const Preconditions preconditions = write_preconditions(call);
  const Outcome<std::string> text =
      co_await read_document(call, http::kCompleteBodyBytesMax, DocumentChecks::foreign_checksums);
  if (!text) {
    co_return text.error();
  }
  std::optional<xml::CompleteDocument> document = xml::read_complete(*text, http::kPartNumberMax);
  if (!document) {
    co_return make_error(ErrorCode::malformed_xml);
  }
  if (Refusal refused = check_numbers(document->parts)) {
    co_return *std::move(refused);
  }
  const Result<UploadInfo> info = co_await engine::get_upload(call.services.store, upload->ref);
  if (!info) {
    if (info.error().code == Errc::no_such_upload) {
      co_return co_await already_completed(call, info.error(), std::move(document->parts));
    }
    co_return call.mapped(info.error());
  }
  const Outcome<Parts> parts = match_parts(call, document->parts, *info);
  if (!parts) {
    co_return parts.error();
  }
  if (Refusal refused = check_sizes(call, *parts)) {
    co_return *std::move(refused);
  }
  Outcome<StoredChecksum> checksum = object_checksum(*info, *parts);
  if (!checksum) {
    co_return std::move(checksum).error();
  }
  if (Refusal refused = check_expected(call, *checksum, parts->size())) {
    co_return *std::move(refused);
  }
  CompleteUploadRequest request;
  request.upload = upload->ref;
  for (const PartInfo* part : *parts) {
    request.parts.push_back({.number = part->number, .commit = part->commit});
  }
  request.etag = multipart_etag(*parts, [](const PartInfo* part) { return part->etag.md5; });
  request.checksum = *std::move(checksum);
  request.preconditions = preconditions;
  const Result<PutResult> stored =
      co_await engine::complete_upload(call.services.store, std::move(request));
  if (!stored) {
    co_return co_await write_error(call, stored.error(), preconditions);
  }
  co_return complete_reply(call, *stored->head);
}

}  // namespace mote::s3
