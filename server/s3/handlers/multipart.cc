#include "server/http/limits.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/handlers/replies.h"
#include "server/s3/handlers/upload_call.h"
#include "server/s3/object_attributes.h"
#include "server/s3/xml/writer.h"

namespace mote::s3 {

namespace {

struct ChecksumWish {
  ChecksumKind kind = ChecksumKind::none;
  bool full_object = false;
};

/// x-amz-checksum-algorithm and x-amz-checksum-type of a CreateMultipartUpload. Only the CRCs can
/// be put together from parts; CRC64NVME exists for the full object only (AWS "Checking object
/// integrity").
Outcome<ChecksumWish> read_checksum_wish(const Call& call) {
  ChecksumWish wish;
  const std::string_view type = call.header("x-amz-checksum-type").value_or("");
  if (!type.empty() && type != "FULL_OBJECT" && type != "COMPOSITE") {
    return make_error(ErrorCode::invalid_request,
                      "Value for x-amz-checksum-type header is invalid.");
  }
  const std::string_view name = call.header("x-amz-checksum-algorithm").value_or("");
  if (name.empty()) {
    if (!type.empty()) {
      return make_error(ErrorCode::invalid_request,
                        "The x-amz-checksum-type header can only be used with the "
                        "x-amz-checksum-algorithm header.");
    }
    return wish;
  }
  const auto algorithm = digest::parse_checksum_algorithm(name);
  if (!algorithm) {
    return make_error(
        ErrorCode::invalid_request,
        "Checksum algorithm provided is unsupported. Please try again with any of the "
        "valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
  }
  wish.kind = to_kind(*algorithm);
  const bool only_full = *algorithm == digest::ChecksumAlgorithm::crc64nvme;
  wish.full_object = type == "FULL_OBJECT" || (type.empty() && only_full);
  if ((wish.full_object && !digest::combines(*algorithm)) || (!wish.full_object && only_full)) {
    return make_error(ErrorCode::invalid_request,
                      "The " + std::string(type) + " checksum type cannot be used with the " +
                          std::string(digest::name(*algorithm)) + " checksum algorithm.");
  }
  return wish;
}

}  // namespace

Outcome<UploadCall> upload_call(const Call& call) {
  const std::optional<UploadToken> token = parse_upload_id(call.param("uploadId"));
  if (!token) {
    return make_error(ErrorCode::no_such_upload, {{"UploadId", call.param("uploadId")}});
  }
  return UploadCall{.ref = {.bucket = std::string(call.route.bucket),
                            .key = std::string(call.route.key),
                            .upload = token->id},
                    .token = *token};
}

Outcome<std::uint16_t> part_number(const Call& call) {
  const Outcome<std::uint32_t> number =
      integer_param(call, "partNumber", {.min = 1, .max = http::kPartNumberMax});
  if (!number || *number == 0) {
    return invalid_argument("Part number must be an integer between 1 and 10000, inclusive",
                            "partNumber", call.param("partNumber"));
  }
  return static_cast<std::uint16_t>(*number);
}

S3Error checksum_mismatch(ChecksumKind expected, ChecksumKind actual) {
  const auto text = [](ChecksumKind kind) {
    const auto algorithm = to_algorithm(kind);
    return algorithm ? std::string(digest::name(*algorithm)) : std::string("null");
  };
  return make_error(ErrorCode::invalid_request,
                    "Checksum Type mismatch occurred, expected checksum Type: " + text(expected) +
                        ", actual checksum Type: " + text(actual));
}

Async<Answer> create_multipart_upload(Call& call) {
  Outcome<ObjectAttributes> attributes = attributes_from_request(call.head(), call.who);
  if (!attributes) {
    co_return std::move(attributes).error();
  }
  const Outcome<ChecksumWish> wish = read_checksum_wish(call);
  if (!wish) {
    co_return wish.error();
  }
  CreateUploadRequest request{.bucket = std::string(call.route.bucket),
                              .key = std::string(call.route.key),
                              .attributes = *std::move(attributes),
                              .checksum = wish->kind,
                              .checksum_full_object = wish->full_object,
                              .owner = call.who.identity().user_id};
  const Result<UploadInfo> made =
      co_await engine::create_upload(call.services.store, std::move(request));
  if (!made) {
    co_return call.mapped(made.error());
  }
  xml::Writer writer("InitiateMultipartUploadResult");
  writer.text("Bucket", call.route.bucket).text("Key", call.route.key);
  writer.text("UploadId", upload_id_text(*made));
  Reply reply = xml_reply(std::move(writer).finish());
  if (const auto algorithm = to_algorithm(wish->kind)) {
    http::HeaderBlock block;
    block.add("x-amz-checksum-algorithm", digest::name(*algorithm));
    block.add("x-amz-checksum-type", type_name(!wish->full_object));
    reply.head.append(block.text());
  }
  co_return reply;
}

Async<Answer> upload_part(Call& call) {
  Outcome<UploadCall> upload = upload_call(call);
  if (!upload) {
    co_return std::move(upload).error();
  }
  const Outcome<std::uint16_t> number = part_number(call);
  if (!number) {
    co_return number.error();
  }
  const ChecksumKind expected = upload->token.checksum;
  Outcome<Intake> intake =
      co_await take_payload(call, to_algorithm(expected).value_or(kDefaultChecksum));
  if (!intake) {
    co_return std::move(intake).error();
  }
  PutPartRequest request;
  request.upload = std::move(upload->ref);
  request.number = *number;
  request.etag.md5 = intake->summary.md5.value_or(digest::Md5Value{});
  if (intake->summary.checksum) {
    request.checksum = to_stored(*intake->summary.checksum);
  }
  if (expected != ChecksumKind::none && request.checksum.kind != expected) {
    co_return checksum_mismatch(expected, request.checksum.kind);
  }
  const Result<PartInfo> stored =
      co_await engine::put_part(call.services.store, std::move(request), std::move(intake->body));
  if (!stored) {
    co_return call.mapped(stored.error());
  }
  http::HeaderBlock block;
  add_etag(block, stored->etag);
  add_checksum(block, stored->checksum, 0);
  co_return empty_reply(200, std::string(block.text()));
}

Async<Answer> abort_multipart_upload(Call& call) {
  Outcome<UploadCall> upload = upload_call(call);
  if (!upload) {
    co_return std::move(upload).error();
  }
  const Status done = co_await engine::abort_upload(call.services.store, std::move(upload->ref));
  if (!done) {
    co_return call.mapped(done.error());
  }
  co_return empty_reply(204);
}

}  // namespace mote::s3
