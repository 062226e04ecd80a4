#include "server/auth/body_reader.h"

#include <string>

#include "server/http/ascii.h"

namespace mote::auth {

namespace {

Failure missing_length() {
  return {"MissingContentLength", 411, "You must provide the Content-Length HTTP header.", {}};
}

Failure too_large(std::uint64_t proposed, std::uint64_t bytes_max) {
  return {
      "EntityTooLarge",
      400,
      "Your proposed upload exceeds the maximum allowed size",
      {{"ProposedSize", std::to_string(proposed)}, {"MaxSizeAllowed", std::to_string(bytes_max)}}};
}

Failure short_body() {
  return {"IncompleteBody",
          400,
          "You did not provide the number of bytes specified by the Content-Length HTTP header",
          {}};
}

/// x-amz-decoded-content-length.
Outcome<std::uint64_t> decoded_length(const http::HeaderMap& headers) {
  const auto text = headers.find("x-amz-decoded-content-length");
  if (!text) {
    return missing_length();
  }
  const auto value = http::parse_number<std::uint64_t>(*text);
  if (!value) {
    return Failure{
        "InvalidArgument",
        400,
        "The x-amz-decoded-content-length header is not a number.",
        {{"ArgumentName", "x-amz-decoded-content-length"}, {"ArgumentValue", std::string(*text)}}};
  }
  return *value;
}

}  // namespace

Outcome<BodyReader> BodyReader::make(const Verified& verified, const http::RequestHead& head,
                                     std::optional<std::uint64_t> content_length,
                                     const Options& options) {
  const bool streaming = is_streaming(verified.payload_mode);
  if (streaming && !options.streaming_allowed) {
    return Failure{"InvalidRequest", 400, "This operation does not take a payload in chunks.", {}};
  }
  std::uint64_t payload = 0;
  if (streaming) {
    const auto decoded = decoded_length(head.headers);
    if (!decoded) {
      return decoded.error();
    }
    payload = *decoded;
  } else if (content_length) {
    payload = *content_length;
  } else {
    return missing_length();
  }
  if (payload > options.bytes_max) {
    return too_large(payload, options.bytes_max);
  }
  auto check = BodyCheck::make(verified, head, options.check);
  if (!check) {
    return check.error();
  }
  BodyReader reader(*std::move(check));
  reader.payload_bytes_ = payload;
  if (streaming) {
    reader.decoder_.emplace(verified, payload, head.headers.get("x-amz-trailer"));
  }
  return reader;
}

Outcome<ByteView> BodyReader::next(ByteView& wire) {
  ByteView payload;
  if (decoder_) {
    auto run = decoder_->next(wire);
    if (!run) {
      return run;
    }
    payload = *run;
  } else {
    payload = std::exchange(wire, ByteView{});
  }
  if (payload.size() > payload_bytes_ - seen_) {
    return short_body();
  }
  seen_ += payload.size();
  check_.update(payload);
  return payload;
}

Outcome<BodySummary> BodyReader::finish() {
  if (decoder_) {
    if (auto ended = decoder_->finish(); !ended) {
      return ended.error();
    }
    return check_.finish(decoder_->trailers());
  }
  if (seen_ != payload_bytes_) {
    return short_body();
  }
  return check_.finish({});
}

}  // namespace mote::auth
