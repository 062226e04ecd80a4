#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "erasure/base/bytes.h"
#include "server/auth/authenticator.h"
#include "server/auth/failure.h"
#include "server/digest/hash.h"

namespace mote::auth {

/// A trailer field, name in lower case.
using Trailer = std::pair<std::string, std::string>;

/// Takes aws-chunked bodies apart and verifies the signature of every chunk and of the trailer. No
/// I/O, no copies: what it returns are views into what it was given. Any split of the input gives
/// the same result. (AWS "Signature calculations: transferring payload in multiple chunks", "…with
/// trailing headers".)
///
/// Payload is handed out before the signature of its chunk is known to be right: nothing made of it
/// may be published before finish() succeeded. After a Failure the decoder is spent.
class ChunkDecoder {
 public:
  /// `decoded_length` = x-amz-decoded-content-length, enforced exactly. `announced_trailer` = the
  /// value of x-amz-trailer, "" if absent. `verified` gives mode, key, date and seed. REQUIRES
  /// is_streaming(mode).
  ChunkDecoder(const Verified& verified, std::uint64_t decoded_length,
               std::string_view announced_trailer);

  /// Consumes from the front of `input` until it has payload to hand out or input is used up.
  /// Returns the next run of payload, a view into the former input; empty means that input is used
  /// up.
  [[nodiscard]] Outcome<ByteView> next(ByteView& input);

  /// All of `input`, each run of payload given to `sink(ByteView)`.
  template <class Sink>
  [[nodiscard]] Outcome<void> feed(ByteView input, Sink&& sink) {
    while (!input.empty()) {
      Outcome<ByteView> run = next(input);
      if (!run) {
        return std::move(run).error();
      }
      if (!run->empty()) {
        sink(*run);
      }
    }
    return {};
  }

  /// To be called when the body has ended. IncompleteBody if the encoding or the payload is short.
  [[nodiscard]] Outcome<void> finish();
  /// True once the last byte of the encoding was taken; more input is then IncompleteBody.
  [[nodiscard]] bool done() const noexcept { return state_ == State::done; }
  /// The trailers, complete when done(); without x-amz-trailer-signature.
  [[nodiscard]] const std::vector<Trailer>& trailers() const noexcept { return trailers_; }

 private:
  enum class State : std::uint8_t {
    size_line,
    data,
    data_cr,
    data_lf,
    end_cr,
    end_lf,
    trailer_line,
    done,
    failed
  };
  enum class Line : std::uint8_t { incomplete, complete, too_long };

  [[nodiscard]] std::optional<Failure> step(ByteView& input, ByteView& payload);
  [[nodiscard]] bool takes_blank_line(char byte) noexcept;
  [[nodiscard]] Line take_line(ByteView& input, std::size_t limit);
  [[nodiscard]] std::optional<Failure> expect(ByteView& input, char byte, State next);
  [[nodiscard]] std::optional<Failure> on_size_line();
  [[nodiscard]] std::optional<Failure> on_chunk_end();
  [[nodiscard]] std::optional<Failure> on_trailer_line();
  [[nodiscard]] std::optional<Failure> take_trailer(std::string_view line);
  [[nodiscard]] std::optional<Failure> on_trailers_end();
  [[nodiscard]] bool is_announced(std::string_view name) const;
  /// Compares with what the key makes of the text and, if equal, lets it be the previous signature.
  [[nodiscard]] bool verify(std::string_view string_to_sign, std::string_view signature);

  State state_ = State::size_line;
  PayloadMode mode_;
  std::shared_ptr<const SigningContext> context_;
  std::string amz_date_;
  HexSignature previous_signature_;
  std::uint64_t decoded_length_;
  std::string announced_;  // names in lower case, commas and blanks as sent

  std::string line_;  // the line being collected, without its LF
  std::uint64_t chunk_left_ = 0;
  std::uint64_t decoded_ = 0;
  std::uint64_t chunk_number_ = 0;
  bool small_chunk_seen_ =
      false;                     // a chunk under kChunkBytesMin: only the closing chunk may follow
  std::string chunk_signature_;  // of the chunk being read
  digest::Sha256 chunk_hash_;
  std::size_t trailer_bytes_ = 0;
  std::size_t blank_line_ = 0;  // bytes of the line behind the end that minio-go adds
  std::string signed_trailer_;  // "name:value\n" of every trailer in order, as signed
  std::string trailer_signature_;
  std::vector<Trailer> trailers_;
};

}  // namespace mote::auth
