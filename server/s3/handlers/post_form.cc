#include "server/s3/handlers/post_form.h"

#include <algorithm>
#include <cstring>

#include "server/http/ascii.h"
#include "server/http/limits.h"
#include "server/s3/handlers/handlers.h"

namespace mote::s3 {

namespace {

using Event = FormReader::Event;

constexpr std::size_t kFieldsBytesMax = 20 * kKiB;  // AWS: all that stands before the file
constexpr std::string_view kFileField = "file";

S3Error one_file_wanted(std::string_view found) {
  return invalid_argument("POST requires exactly one file upload per request.", kFileField, found);
}

std::string without_path(const std::string& name) {
  const std::size_t slash = name.find_last_of("/\\");
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

/// Takes the file's bytes: into memory of the body's size, or straight on to the store.
class FileIntake {
 public:
  FileIntake(auth::BodyCheck check, std::uint64_t bytes_max)
      : check_(std::move(check)), bytes_max_(bytes_max) {}

  /// `left` bytes of the body are to come, of which `closing` end the form.
  Refusal start(Call& call, std::uint64_t left, std::uint64_t closing) {
    if (left <= kFormMemoryMax) {
      memory_ = Buffer(static_cast<std::size_t>(left));
      return std::nullopt;
    }
    Outcome<PayloadWriter> writer = PayloadWriter::make(call, left - closing);
    if (!writer) {
      return std::move(writer).error();
    }
    writer_ = *std::move(writer);
    return std::nullopt;
  }

  Async<Refusal> take(Call& call, ByteView bytes) {
    check_.update(bytes);
    if (seen_ + bytes.size() > bytes_max_) {
      co_return make_error(ErrorCode::entity_too_large,
                           {{"MaxSizeAllowed", std::to_string(bytes_max_)}});
    }
    if (!writer_) {
      std::memcpy(memory_.data() + seen_, bytes.data(), bytes.size());
      seen_ += bytes.size();
      co_return std::nullopt;
    }
    seen_ += bytes.size();
    if (bytes.size() > writer_->missing()) {
      co_return length_unknown();
    }
    co_return co_await writer_->write(call, bytes);
  }

  Async<Outcome<Intake>> finish(Call& call) {
    Outcome<auth::BodySummary> summary = check_.finish({});
    if (!summary) {
      co_return std::move(summary).error();
    }
    if (!writer_ && seen_ <= call.services.store.limits().inline_bytes_max) {
      memory_.shrink(static_cast<std::size_t>(seen_));
      Intake intake;
      intake.body.bytes = std::move(memory_);
      intake.summary = *std::move(summary);
      co_return intake;
    }
    if (!writer_) {
      Outcome<PayloadWriter> writer = PayloadWriter::make(call, seen_);
      if (!writer) {
        co_return std::move(writer).error();
      }
      writer_ = *std::move(writer);
      Refusal written =
          co_await writer_->write(call, memory_.view().first(static_cast<std::size_t>(seen_)));
      if (written) {
        co_return *std::move(written);
      }
    }
    if (writer_->missing() > 0) {
      co_return length_unknown();
    }
    Intake intake{.body = std::move(*writer_).finish(), .summary = *std::move(summary)};
    co_return intake;
  }

  [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }

 private:
  static S3Error length_unknown() {
    return make_error(ErrorCode::invalid_request,
                      "In a form of more than 8 MiB the file must be the last field, and the form "
                      "must end with CRLF.");
  }

  auth::BodyCheck check_;
  std::uint64_t bytes_max_;
  std::uint64_t seen_ = 0;
  Buffer memory_;
  std::optional<PayloadWriter> writer_;
};

/// What follows the file: fields are ignored, a second file is not.
Async<Refusal> read_rest(FormReader& reader) {
  while (true) {
    const Outcome<Event> event = co_await reader.next();
    if (!event) {
      co_return event.error();
    }
    if (*event == Event::end) {
      co_return co_await reader.finish();
    }
    if (*event == Event::part && http::equals_ignore_case(reader.parser().name(), kFileField)) {
      co_return one_file_wanted("2");
    }
  }
}

std::uint64_t closing_bytes(const Call& call) {
  const auto boundary = http::form_boundary(call.exchange.head.headers.get("content-type"));
  constexpr std::uint64_t kAroundBoundary = 8;  // CRLF -- boundary -- CRLF
  return boundary.value_or("").size() + kAroundBoundary;
}

}  // namespace

Async<Outcome<Event>> FormReader::next() {
  while (true) {
    const std::size_t before = wire_.size();
    const Event event = parser_.next(wire_);
    left_ -= before - wire_.size();
    if (event == Event::failed) {
      co_return make_error(ErrorCode::malformed_post_request);
    }
    if (event != Event::need_more) {
      co_return event;
    }
    const Result<ByteView> got = co_await body_.next();
    if (!got) {
      co_return body_error(got.error());
    }
    if (got->empty()) {
      co_return make_error(ErrorCode::malformed_post_request);
    }
    wire_ = *got;
  }
}

Async<Refusal> FormReader::finish() {
  while (true) {
    const Result<ByteView> got = co_await body_.next();
    if (!got) {
      co_return body_error(got.error());
    }
    if (got->empty()) {
      co_return std::nullopt;
    }
  }
}

Async<Outcome<PostForm>> read_form_fields(FormReader& reader) {
  PostForm form;
  const std::uint64_t whole = reader.left();
  std::string name;
  std::string value;
  while (true) {
    const Outcome<Event> event = co_await reader.next();
    if (!event) {
      co_return event.error();
    }
    if (whole - reader.left() > kFieldsBytesMax) {
      co_return make_error(ErrorCode::max_post_pre_data_length_exceeded);
    }
    switch (*event) {
      case Event::part:
        name = reader.parser().name();
        std::transform(name.begin(), name.end(), name.begin(), http::to_lower);
        if (name == kFileField) {
          form.file_name = without_path(reader.parser().filename().value_or(""));
          co_return form;
        }
        value.clear();
        break;
      case Event::data:
        value.append(as_text(reader.parser().data()));
        break;
      case Event::part_end:
        if (auth::find_field(form.fields, name)) {
          co_return invalid_argument("A form field was given more than once.", name, value);
        }
        form.fields.emplace_back(name, value);
        break;
      default:
        co_return one_file_wanted("0");
    }
  }
}

Async<Outcome<Intake>> take_form_file(Call& call, FormReader& reader,
                                      const auth::PostPolicy& policy) {
  auth::BodyCheck::Options options;
  options.want_md5 = true;
  options.default_checksum = kDefaultChecksum;
  Outcome<auth::BodyCheck> check = auth::BodyCheck::make(call.who, call.head(), options);
  if (!check) {
    co_return std::move(check).error();
  }
  FileIntake file(*std::move(check), std::min(policy.bytes_max(), http::kPutBytesMax));
  if (Refusal refused = file.start(call, reader.left(), closing_bytes(call))) {
    co_return *std::move(refused);
  }
  while (true) {
    const Outcome<Event> event = co_await reader.next();
    if (!event) {
      co_return event.error();
    }
    if (*event != Event::data) {
      break;
    }
    Refusal refused = co_await file.take(call, reader.parser().data());
    if (refused) {
      co_return *std::move(refused);
    }
  }
  if (auto refused = policy.check_length(file.seen())) {
    co_return *std::move(refused);
  }
  Refusal refused = co_await read_rest(reader);
  if (refused) {
    co_return *std::move(refused);
  }
  co_return co_await file.finish(call);
}

}  // namespace mote::s3
