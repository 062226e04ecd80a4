#include "server/s3/handlers/copy_stream.h"

#include <algorithm>

#include "server/http/conditional.h"
#include "server/http/response_head.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/engine.h"
#include "server/s3/handlers/handlers.h"
#include "server/s3/ids.h"

namespace mote::s3 {

namespace {

S3Error source_error(const CopySource& source, const Error& error) {
  if (error.code == Errc::delete_marker && source.version) {
    return make_error(ErrorCode::invalid_request,
                      "The source of a copy request may not specifically refer to a delete marker "
                      "by version id.");
  }
  return map_error(error, {.bucket = source.bucket,
                           .key = source.key,
                           .upload_id = {},
                           .version_id = source.version_text});
}

Refusal check_conditions(const Call& call, const ObjectHead& head) {
  const http::Preconditions conditions = http::copy_source_preconditions(call.head().headers);
  if (!conditions.any()) {
    return std::nullopt;
  }
  const std::string etag = mote::to_text(head.etag);
  const http::Validators validators{.etag = etag, .modified_seconds = head.modified_ms / 1000};
  const http::Verdict verdict =
      http::evaluate_copy_source(conditions, validators, call.services.clock.wall_ms() / 1000);
  if (verdict == http::Verdict::proceed) {
    return std::nullopt;
  }
  const char* condition = "x-amz-copy-source-If-Modified-Since";
  if (conditions.if_match && !http::etag_list_matches(*conditions.if_match, etag)) {
    condition = "x-amz-copy-source-If-Match";
  } else if (conditions.if_none_match && http::etag_list_matches(*conditions.if_none_match, etag)) {
    condition = "x-amz-copy-source-If-None-Match";
  } else if (conditions.if_unmodified_since) {
    condition = "x-amz-copy-source-If-Unmodified-Since";
  }
  return make_error(ErrorCode::precondition_failed, {{"Condition", condition}});
}

/// Hashes that are computed on the way, because the record does not hold them.
struct Hashes {
  std::optional<digest::Md5> md5;
  std::optional<digest::Checksum> checksum;

  void update(ByteView bytes) noexcept {
    if (md5) {
      md5->update(bytes);
    }
    if (checksum) {
      checksum->update(bytes);
    }
  }
};

}  // namespace

Async<Outcome<OpenedSource>> open_copy_source(Call& call) {
  OpenedSource out;
  Outcome<CopySource> source =
      parse_copy_source(call.header("x-amz-copy-source").value_or(std::string_view()));
  if (!source) {
    co_return std::move(source).error();
  }
  out.source = *std::move(source);
  const std::shared_ptr<const BucketInfo> bucket =
      call.services.store.find_bucket(out.source.bucket);
  Refusal allowed = authorise_source(call.access(), bucket.get(), out.source.bucket);
  if (allowed) {
    co_return *std::move(allowed);
  }
  ObjectRef ref{.bucket = out.source.bucket, .key = out.source.key, .version = out.source.version};
  Result<OpenedObject> opened = co_await engine::open(call.services.store, std::move(ref));
  if (!opened) {
    co_return source_error(out.source, opened.error());
  }
  out.object = *std::move(opened);
  if (Refusal refused = check_conditions(call, *out.object.head)) {
    co_return *std::move(refused);
  }
  co_return out;
}

Async<Outcome<CopiedBytes>> copy_bytes(Call& call, const OpenedObject& source, CopyPlan plan) {
  const ObjectHead& head = *source.head;
  const bool whole = plan.length == head.bytes;
  CopiedBytes out;
  Hashes hashes;
  if (whole && head.etag.parts == 0) {
    out.md5 = head.etag.md5;
  } else {
    hashes.md5.emplace();
  }
  if (whole && head.checksum.kind == to_kind(plan.checksum) && !head.checksum.composite) {
    out.checksum = head.checksum;
  } else {
    hashes.checksum.emplace(plan.checksum);
  }
  Outcome<PayloadWriter> writer = PayloadWriter::make(call, plan.length);
  if (!writer) {
    co_return std::move(writer).error();
  }
  std::uint64_t offset = plan.offset;
  while (writer->missing() > 0) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(writer->missing(), kStreamBytes));
    Slice bytes;
    if (source.body) {
      bytes = source.body->sub(static_cast<std::size_t>(offset), count);
    } else {
      Result<Slice> read = co_await engine::read(*source.reader, offset, count);
      if (!read) {
        co_return call.mapped(read.error());
      }
      bytes = *std::move(read);
    }
    if (bytes.size() != count) {
      co_return make_error(ErrorCode::corrupt_data);
    }
    hashes.update(bytes.bytes);
    Refusal written = co_await writer->write(call, bytes.bytes);
    if (written) {
      co_return *std::move(written);
    }
    offset += count;
  }
  if (hashes.md5) {
    out.md5 = hashes.md5->finish();
  }
  if (hashes.checksum) {
    out.checksum = to_stored(hashes.checksum->finish());
  }
  out.body = std::move(*writer).finish();
  co_return out;
}

Outcome<std::optional<digest::ChecksumAlgorithm>> asked_checksum(const Call& call) {
  const std::string_view name = call.header("x-amz-checksum-algorithm").value_or("");
  std::optional<digest::ChecksumAlgorithm> algorithm;
  if (!name.empty()) {
    algorithm = digest::parse_checksum_algorithm(name);
    if (!algorithm) {
      return make_error(ErrorCode::invalid_request,
                        "Checksum algorithm provided is unsupported. Please try again with any of "
                        "the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]");
    }
  }
  return algorithm;
}

std::string source_version_header(const OpenedSource& source) {
  http::HeaderBlock block;
  if (source.object.head->versioned) {
    block.add("x-amz-copy-source-version-id", to_text(source.object.head->version));
  }
  return std::string(block.text());
}

}  // namespace mote::s3
