#include "server/s3/handlers/body_intake.h"

#include <algorithm>
#include <cstring>

#include "erasure/base/check.h"
#include "server/http/limits.h"
#include "server/s3/checksums.h"
#include "server/s3/handlers/engine.h"

namespace mote::s3 {

namespace {

std::optional<std::uint64_t> content_length(const Exchange& exchange) noexcept {
  switch (exchange.framing.body) {
    case http::Framing::Body::none:
      return 0;
    case http::Framing::Body::length:
      return exchange.framing.length;
    case http::Framing::Body::chunked:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Payload that is not aws-chunked goes straight from the socket into the buffer it stays in.
Async<Refusal> receive_plain(Call& call, auth::BodyReader& reader, PayloadWriter& writer) {
  while (writer.missing() > 0) {
    const ByteSpan room = writer.room();
    const Result<std::size_t> got = co_await call.exchange.body.read(room);
    if (!got) {
      co_return body_error(got.error());
    }
    if (*got == 0) {
      co_return make_error(ErrorCode::incomplete_body);
    }
    ByteView wire = room.first(*got);
    while (!wire.empty()) {
      const Outcome<ByteView> run = reader.next(wire);
      if (!run) {
        co_return run.error();
      }
    }
    Refusal advanced = co_await writer.advance(call, *got);
    if (advanced) {
      co_return advanced;
    }
  }
  co_return std::nullopt;
}

/// Everything that comes is fed to the reader; `writer` takes the payload.
Async<Refusal> receive_decoded(Call& call, auth::BodyReader& reader, PayloadWriter& writer) {
  while (true) {
    const Result<ByteView> got = co_await call.exchange.body.next();
    if (!got) {
      co_return body_error(got.error());
    }
    ByteView wire = *got;
    if (wire.empty()) {
      co_return std::nullopt;
    }
    while (!wire.empty()) {
      const Outcome<ByteView> run = reader.next(wire);
      if (!run) {
        co_return run.error();
      }
      if (run->size() > writer.missing()) {
        co_return make_error(ErrorCode::incomplete_body);
      }
      Refusal written = co_await writer.write(call, *run);
      if (written) {
        co_return written;
      }
    }
  }
}

}  // namespace

S3Error body_error(const Error& error) {
  switch (error.code) {
    case Errc::timed_out:
      return make_error(ErrorCode::request_timeout);
    case Errc::io_error:
    case Errc::invalid_argument:
      return make_error(ErrorCode::incomplete_body);
    default:
      return map_error(error, {});
  }
}

Outcome<PayloadWriter> PayloadWriter::make(Call& call, std::uint64_t bytes) {
  PayloadWriter writer;
  writer.missing_ = bytes;
  if (bytes > call.services.store.limits().inline_bytes_max) {
    Result<std::unique_ptr<BodySink>> sink =
        call.services.store.open_sink(call.route.bucket, bytes, {});
    if (!sink) {
      return call.mapped(sink.error());
    }
    writer.sink_ = *std::move(sink);
  }
  writer.next_buffer();
  return writer;
}

void PayloadWriter::next_buffer() {
  std::uint64_t bytes = missing_;
  if (sink_ != nullptr) {
    bytes = std::min<std::uint64_t>(bytes, kStreamBytes);
  }
  buffer_ = Buffer(static_cast<std::size_t>(bytes));
  filled_ = 0;
}

Async<Refusal> PayloadWriter::advance(Call& call, std::size_t count) {
  filled_ += count;
  missing_ -= count;
  if (sink_ != nullptr && filled_ == buffer_.size() && filled_ > 0) {
    Status appended = co_await engine::append(*sink_, std::move(buffer_));
    if (!appended) {
      co_return call.mapped(appended.error());
    }
    next_buffer();
  }
  co_return std::nullopt;
}

Async<Refusal> PayloadWriter::write(Call& call, ByteView bytes) {
  while (!bytes.empty()) {
    const ByteSpan space = room();
    const std::size_t count = std::min(space.size(), bytes.size());
    MOTE_CHECK(count > 0);
    std::memcpy(space.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    Refusal advanced = co_await advance(call, count);
    if (advanced) {
      co_return advanced;
    }
  }
  co_return std::nullopt;
}

Body PayloadWriter::finish() && {
  MOTE_CHECK(missing_ == 0);
  Body body;
  if (sink_ != nullptr) {
    body.sink = std::move(sink_);
  } else {
    body.bytes = std::move(buffer_);
  }
  return body;
}

Async<Outcome<Intake>> take_payload(Call& call,
                                    std::optional<digest::ChecksumAlgorithm> default_checksum) {
  auth::BodyReader::Options options;
  options.check.want_md5 = true;
  options.check.default_checksum = default_checksum;
  options.streaming_allowed = true;
  options.bytes_max = http::kPutBytesMax;
  if (call.exchange.framing.body == http::Framing::Body::none) {
    co_return make_error(ErrorCode::missing_content_length);
  }
  Outcome<auth::BodyReader> reader =
      auth::BodyReader::make(call.who, call.head(), content_length(call.exchange), options);
  if (!reader) {
    co_return std::move(reader).error();
  }
  Outcome<PayloadWriter> writer = PayloadWriter::make(call, reader->payload_bytes());
  if (!writer) {
    co_return std::move(writer).error();
  }
  Refusal refused;
  if (auth::is_streaming(call.who.payload_mode)) {
    refused = co_await receive_decoded(call, *reader, *writer);
  } else {
    refused = co_await receive_plain(call, *reader, *writer);
  }
  if (refused) {
    co_return *std::move(refused);
  }
  Outcome<auth::BodySummary> summary = reader->finish();
  if (!summary) {
    co_return std::move(summary).error();
  }
  if (writer->missing() > 0) {
    co_return make_error(ErrorCode::incomplete_body);
  }
  Intake intake{.body = std::move(*writer).finish(), .summary = *std::move(summary)};
  co_return intake;
}

Async<Outcome<std::string>> read_document(Call& call, std::size_t bytes_max,
                                          DocumentChecks checks) {
  auth::BodyReader::Options options;
  options.check.integrity_required = checks == DocumentChecks::integrity;
  options.check.ignore_checksum_headers = checks == DocumentChecks::foreign_checksums;
  options.bytes_max = bytes_max;
  const std::optional<std::uint64_t> length = content_length(call.exchange);
  if (length && *length > bytes_max) {
    co_return make_error(ErrorCode::max_message_length_exceeded,
                         {{"MaxMessageLengthBytes", std::to_string(bytes_max)}});
  }
  Outcome<auth::BodyReader> reader = auth::BodyReader::make(call.who, call.head(), length, options);
  if (!reader) {
    co_return std::move(reader).error();
  }
  std::string text;
  while (true) {
    const Result<ByteView> got = co_await call.exchange.body.next();
    if (!got) {
      co_return body_error(got.error());
    }
    ByteView wire = *got;
    if (wire.empty()) {
      break;
    }
    if (text.size() + wire.size() > bytes_max) {
      co_return make_error(ErrorCode::max_message_length_exceeded,
                           {{"MaxMessageLengthBytes", std::to_string(bytes_max)}});
    }
    while (!wire.empty()) {
      const Outcome<ByteView> run = reader->next(wire);
      if (!run) {
        co_return run.error();
      }
      text.append(as_text(*run));
    }
  }
  const Outcome<auth::BodySummary> summary = reader->finish();
  if (!summary) {
    co_return summary.error();
  }
  co_return text_outcome(std::move(text));
}

PutRequest put_request(const Call& call, const Intake& intake, ObjectAttributes attributes) {
  PutRequest request;
  request.bucket = call.route.bucket;
  request.key = call.route.key;
  request.etag.md5 = intake.summary.md5.value_or(digest::Md5Value{});
  if (intake.summary.checksum) {
    request.checksum = to_stored(*intake.summary.checksum);
  }
  request.attributes = std::move(attributes);
  return request;
}

}  // namespace mote::s3
