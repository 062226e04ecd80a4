#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/async/exchange.h"
#include "server/auth/post_policy.h"
#include "server/http/form_parser.h"
#include "server/s3/handlers/body_intake.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// The events of a form, read from a request's body.
class FormReader {
 public:
  using Event = http::FormParser::Event;

  /// `body` outlives the reader; `bytes` is its Content-Length.
  FormReader(BodySource& body, std::string_view boundary, std::uint64_t bytes)
      : body_(body), parser_(boundary), left_(bytes) {}

  /// The next event, never need_more or failed. MalformedPOSTRequest, IncompleteBody.
  Async<Outcome<Event>> next();
  /// Reads away what follows the form: only a body that has come whole may be stored.
  Async<Refusal> finish();
  [[nodiscard]] const http::FormParser& parser() const noexcept { return parser_; }
  /// Bytes of the body that the parser has not taken yet.
  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

 private:
  BodySource& body_;
  http::FormParser parser_;
  ByteView wire_;
  std::uint64_t left_;
};

/// What stands before the file.
struct PostForm {
  auth::FormFields fields;
  std::string file_name;  ///< without the path that some browsers send
};

/// Reads up to the beginning of the file. Field names are taken in lower case and may come once.
/// MaxPostPreDataLengthExceededError beyond 20 KiB, InvalidArgument where there is no file.
Async<Outcome<PostForm>> read_form_fields(FormReader& reader);

/// Receives the file and reads the form to its end; fields after the file are ignored. A form does
/// not say how long its file is: up to kFormMemoryMax of it are held in memory until the end is
/// seen; of a longer body the file has to be the last part, so that its length follows from that of
/// the body. `policy` bounds it. EntityTooLarge, EntityTooSmall, and what BodyCheck answers.
Async<Outcome<Intake>> take_form_file(Call& call, FormReader& reader,
                                      const auth::PostPolicy& policy);

inline constexpr std::uint64_t kFormMemoryMax = 8 * kMiB;

}  // namespace mote::s3
