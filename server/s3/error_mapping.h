#pragma once

#include <string_view>

#include "erasure/base/error.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// What a request was about, for the elements of an error document. Views must live as long as the
/// call.
struct ErrorSubject {
  std::string_view bucket{};
  std::string_view key{};
  std::string_view upload_id{};
  std::string_view version_id{};
};

/// The one translation from what the engine says to what S3 says. "Cannot know" (quorum, overload,
/// shutdown) is 503 and never 404 (INV-4); too little room is 507; damage is 500 with a code of its
/// own.
[[nodiscard]] S3Error map_error(const Error& error, const ErrorSubject& subject);

/// True if the error is the server's fault and belongs in its log.
[[nodiscard]] bool is_server_fault(const S3Error& error) noexcept;

}  // namespace mote::s3
