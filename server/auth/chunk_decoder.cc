#include "server/auth/chunk_decoder.h"

#include <algorithm>

#include "erasure/base/check.h"
#include "server/digest/checksum.h"
#include "server/digest/encoding.h"
#include "server/http/ascii.h"
#include "server/http/limits.h"

namespace mote::auth {

namespace {

constexpr std::string_view kTrailerSignature = "x-amz-trailer-signature";
constexpr std::string_view kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

Failure incomplete_body() {
  return {"IncompleteBody",
          400,
          "The request body terminated unexpectedly or is not valid aws-chunked data.",
          {}};
}

Failure malformed_trailer() {
  return {"MalformedTrailerError",
          400,
          "The request contained trailing data that was not well-formed or did not conform to our "
          "published schema.",
          {}};
}

Failure bad_signature() {
  return {"SignatureDoesNotMatch",
          403,
          "The signature of a chunk or trailer does not match the signature you provided. Check "
          "your key and signing method.",
          {}};
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), http::to_lower);
  return out;
}

/// A chunk size of 1 to 16 hex digits.
std::optional<std::uint64_t> parse_size(std::string_view digits) {
  constexpr std::size_t kDigitsMax = 16;
  if (digits.empty() || digits.size() > kDigitsMax) {
    return std::nullopt;
  }
  std::uint64_t size = 0;
  for (const char c : digits) {
    const int value = http::hex_value(c);
    if (value < 0) {
      return std::nullopt;
    }
    size = size << 4U | static_cast<std::uint64_t>(value);
  }
  return size;
}

/// The value of `;chunk-signature=`, "" if there is none. Other extensions are allowed and mean
/// nothing.
std::string_view find_signature(std::string_view extensions) {
  constexpr std::string_view kName = "chunk-signature=";
  while (!extensions.empty()) {
    extensions.remove_prefix(1);  // the ';'
    const std::size_t end = std::min(extensions.find(';'), extensions.size());
    const std::string_view extension = http::trim_ows(extensions.substr(0, end));
    if (extension.starts_with(kName)) {
      return extension.substr(kName.size());
    }
    extensions.remove_prefix(end);
  }
  return {};
}

}  // namespace

ChunkDecoder::ChunkDecoder(const Verified& verified, std::uint64_t decoded_length,
                           std::string_view announced_trailer)
    : mode_(verified.payload_mode),
      context_(verified.context),
      amz_date_(verified.amz_date.data(), verified.amz_date.size()),
      previous_signature_(verified.seed_signature),
      decoded_length_(decoded_length),
      announced_(lower_case(announced_trailer)) {
  MOTE_CHECK(is_streaming(mode_));
  MOTE_CHECK(context_ != nullptr || !has_chunk_signatures(mode_));
}

Outcome<ByteView> ChunkDecoder::next(ByteView& input) {
  ByteView payload;
  while (payload.empty() && !input.empty()) {
    if (auto failure = step(input, payload)) {
      state_ = State::failed;
      return *std::move(failure);
    }
  }
  return payload;
}

Outcome<void> ChunkDecoder::finish() {
  if (state_ != State::done || blank_line_ == 1) {
    state_ = State::failed;
    return incomplete_body();
  }
  return {};
}

std::optional<Failure> ChunkDecoder::step(ByteView& input, ByteView& payload) {
  switch (state_) {
    case State::size_line: {
      const Line line = take_line(input, http::kChunkLineBytesMax);
      if (line == Line::too_long) {
        return incomplete_body();
      }
      return line == Line::complete ? on_size_line() : std::nullopt;
    }
    case State::data: {
      payload =
          input.first(static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), chunk_left_)));
      input = input.subspan(payload.size());
      if (has_chunk_signatures(mode_)) {
        chunk_hash_.update(payload);
      }
      chunk_left_ -= payload.size();
      state_ = chunk_left_ == 0 ? State::data_cr : State::data;
      return std::nullopt;
    }
    case State::data_cr:
      return expect(input, '\r', State::data_lf);
    case State::data_lf: {
      auto failure = expect(input, '\n', State::size_line);
      return failure ? failure : on_chunk_end();
    }
    case State::end_cr:
      return expect(input, '\r', State::end_lf);
    case State::end_lf:
      return expect(input, '\n', State::done);
    case State::trailer_line: {
      const Line line = take_line(input, http::kTrailerBytesMax);
      if (line == Line::too_long) {
        return malformed_trailer();
      }
      return line == Line::complete ? on_trailer_line() : std::nullopt;
    }
    case State::done:
      if (takes_blank_line(as_text(input).front())) {
        input = input.subspan(1);
        return std::nullopt;
      }
      break;
    case State::failed:
      break;
  }
  return incomplete_body();  // bytes after the end, or after a failure
}

/// minio-go ends unsigned trailers with one empty line too many (its bytes over https).
bool ChunkDecoder::takes_blank_line(char byte) noexcept {
  constexpr std::string_view kBlankLine = "\r\n";
  const bool takes = mode_ == PayloadMode::streaming_unsigned_trailer &&
                     blank_line_ < kBlankLine.size() && byte == kBlankLine[blank_line_];
  blank_line_ += takes ? 1 : 0;
  return takes;
}

ChunkDecoder::Line ChunkDecoder::take_line(ByteView& input, std::size_t limit) {
  const std::string_view text = as_text(input);
  const std::size_t newline = text.find('\n');
  const std::string_view piece = text.substr(0, newline);
  if (line_.size() + piece.size() > limit) {
    return Line::too_long;
  }
  line_.append(piece);
  input = input.subspan(std::min(piece.size() + 1, text.size()));
  return newline == std::string_view::npos ? Line::incomplete : Line::complete;
}

std::optional<Failure> ChunkDecoder::expect(ByteView& input, char byte, State next) {
  if (as_text(input).front() != byte) {
    return incomplete_body();
  }
  input = input.subspan(1);
  state_ = next;
  return std::nullopt;
}

std::optional<Failure> ChunkDecoder::on_size_line() {
  if (!line_.ends_with('\r')) {
    return incomplete_body();
  }
  const std::string_view line = std::string_view(line_).substr(0, line_.size() - 1);
  const std::size_t semicolon = std::min(line.find(';'), line.size());
  const auto size = parse_size(http::trim_ows(line.substr(0, semicolon)));
  if (!size || *size > decoded_length_ - decoded_) {
    return incomplete_body();
  }
  if (small_chunk_seen_ && *size != 0) {
    return Failure{"InvalidChunkSizeError",
                   400,
                   "Only the last chunk is allowed to have a size less than 8192 bytes",
                   {{"Chunk", std::to_string(chunk_number_)}}};
  }
  chunk_signature_.assign(find_signature(line.substr(semicolon)));
  line_.clear();
  ++chunk_number_;
  decoded_ += *size;
  chunk_left_ = *size;
  if (*size != 0) {
    small_chunk_seen_ = *size < http::kChunkBytesMin;
    state_ = State::data;
    return std::nullopt;
  }
  if (decoded_ != decoded_length_) {
    return incomplete_body();
  }
  state_ = has_trailer(mode_) ? State::trailer_line : State::end_cr;
  return on_chunk_end();
}

std::optional<Failure> ChunkDecoder::on_chunk_end() {
  if (!has_chunk_signatures(mode_)) {
    return std::nullopt;
  }
  const std::string hash = digest::to_hex(chunk_hash_.finish());
  chunk_hash_.reset();
  std::string text = "AWS4-HMAC-SHA256-PAYLOAD\n";
  text.append(amz_date_).append("\n").append(context_->scope).append("\n");
  text.append(previous_signature_.data(), previous_signature_.size()).append("\n");
  text.append(kEmptySha256).append("\n").append(hash);
  return verify(text, chunk_signature_) ? std::nullopt : std::optional(bad_signature());
}

std::optional<Failure> ChunkDecoder::on_trailer_line() {
  trailer_bytes_ += line_.size() + 1;
  if (trailer_bytes_ > http::kTrailerBytesMax) {
    return malformed_trailer();
  }
  if (line_.ends_with('\r')) {
    line_.pop_back();
  }
  const std::string line = std::move(line_);
  line_.clear();
  if (!line.empty()) {
    return take_trailer(line);
  }
  // minio-go sends an empty line in front of the signature; only the one behind it ends the body.
  const bool end = !has_chunk_signatures(mode_) || !trailer_signature_.empty();
  return end ? on_trailers_end() : std::nullopt;
}

std::optional<Failure> ChunkDecoder::take_trailer(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return malformed_trailer();
  }
  const std::string name = lower_case(line.substr(0, colon));
  const std::string_view value = http::trim_ows(line.substr(colon + 1));
  if (value.empty() || !http::is_field_text(value)) {
    return malformed_trailer();
  }
  if (name == kTrailerSignature) {
    if (!trailer_signature_.empty()) {
      return malformed_trailer();
    }
    trailer_signature_.assign(value);
    return std::nullopt;
  }
  const bool repeated =
      std::any_of(trailers_.begin(), trailers_.end(),
                  [&name](const Trailer& trailer) { return trailer.first == name; });
  if (repeated || !digest::checksum_header(name) || (!announced_.empty() && !is_announced(name))) {
    return malformed_trailer();
  }
  signed_trailer_.append(name).append(":").append(value).append("\n");
  trailers_.emplace_back(name, value);
  return std::nullopt;
}

std::optional<Failure> ChunkDecoder::on_trailers_end() {
  bool missing = false;
  http::for_each_item(announced_, [&](std::string_view name) {
    const auto is_it = [name](const Trailer& trailer) { return trailer.first == name; };
    missing = missing || (!name.empty() && std::none_of(trailers_.begin(), trailers_.end(), is_it));
  });
  if (missing) {
    return malformed_trailer();
  }
  state_ = State::done;
  if (!has_chunk_signatures(mode_)) {
    return std::nullopt;
  }
  std::string text = "AWS4-HMAC-SHA256-TRAILER\n";
  text.append(amz_date_).append("\n").append(context_->scope).append("\n");
  text.append(previous_signature_.data(), previous_signature_.size()).append("\n");
  text.append(digest::to_hex(digest::Sha256::of(as_bytes(signed_trailer_))));
  return verify(text, trailer_signature_) ? std::nullopt : std::optional(bad_signature());
}

bool ChunkDecoder::is_announced(std::string_view name) const {
  bool found = false;
  http::for_each_item(announced_,
                      [&found, name](std::string_view item) { found = found || item == name; });
  return found;
}

bool ChunkDecoder::verify(std::string_view string_to_sign, std::string_view signature) {
  const HexSignature expected = sign_hex(context_->key, string_to_sign);
  previous_signature_ = expected;
  return digest::constant_time_equal(std::string_view(expected.data(), expected.size()), signature);
}

}  // namespace mote::auth
