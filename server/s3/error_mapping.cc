#include "server/s3/error_mapping.h"

namespace mote::s3 {

namespace {

ErrorCode code_of(Errc code) noexcept {
  // Exhaustive on purpose: no default, so that a new Errc does not compile until it has its answer.
  switch (code) {
    case Errc::no_such_bucket:
      return ErrorCode::no_such_bucket;
    case Errc::no_such_key:
      return ErrorCode::no_such_key;
    case Errc::no_such_version:
      return ErrorCode::no_such_version;
    case Errc::delete_marker:
      return ErrorCode::no_such_key;
    case Errc::no_such_upload:
      return ErrorCode::no_such_upload;
    case Errc::bucket_exists:
      return ErrorCode::bucket_already_exists;
    case Errc::bucket_not_empty:
      return ErrorCode::bucket_not_empty;
    case Errc::precondition_failed:
      return ErrorCode::precondition_failed;
    case Errc::invalid_part:
      return ErrorCode::invalid_part;
    case Errc::invalid_part_order:
      return ErrorCode::invalid_part_order;
    case Errc::part_too_small:
      return ErrorCode::entity_too_small;
    case Errc::invalid_argument:
      return ErrorCode::invalid_argument;
    case Errc::too_large:
      return ErrorCode::entity_too_large;
    case Errc::overloaded:
      return ErrorCode::slow_down;
    case Errc::read_quorum:
    case Errc::write_quorum:
    case Errc::timed_out:
    case Errc::cancelled:
    case Errc::shutting_down:
      return ErrorCode::service_unavailable;
    case Errc::no_space:
      return ErrorCode::insufficient_storage;
    case Errc::corrupt:
      return ErrorCode::corrupt_data;
    // None of these is the client's doing and none says that a key is absent.
    case Errc::no_such_file:
    case Errc::already_exists:
    case Errc::io_error:
    case Errc::drive_failed:
    case Errc::drive_locked:
    case Errc::wrong_drive:
    case Errc::unsupported:
      return ErrorCode::internal_error;
  }
  return ErrorCode::internal_error;
}

}  // namespace

S3Error map_error(const Error& error, const ErrorSubject& subject) {
  S3Error mapped = make_error(code_of(error.code));
  const auto add = [&mapped](const char* name, std::string_view value) {
    if (!value.empty()) {
      mapped.extra.emplace_back(name, value);
    }
  };
  switch (error.code) {
    case Errc::no_such_bucket:
    case Errc::bucket_exists:
    case Errc::bucket_not_empty:
      add("BucketName", subject.bucket);
      break;
    case Errc::no_such_key:
    case Errc::delete_marker:
      add("Key", subject.key);
      break;
    case Errc::no_such_version:
      add("Key", subject.key);
      add("VersionId", subject.version_id);
      break;
    case Errc::no_such_upload:
      add("UploadId", subject.upload_id);
      break;
    default:
      break;
  }
  return mapped;
}

bool is_server_fault(const S3Error& error) noexcept {
  return error.status >= 500;
}

}  // namespace mote::s3
