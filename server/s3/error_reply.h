#pragma once

#include <string>
#include <string_view>

#include "server/async/exchange.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// Where an error happened, for its document.
struct ErrorPlace {
  std::string_view resource{};    ///< decoded path; "" if the target could not be read
  std::string_view request_id{};  ///< also HostId, as the connection sends it in x-amz-id-2
};

/// <Error> without namespace: Code, Message, the error's own elements, Resource, RequestId, HostId.
[[nodiscard]] std::string error_document(const S3Error& error, const ErrorPlace& place);

/// The reply that carries it: application/xml, nosniff. `head_only` (an answer to HEAD) has
/// no body and announces none (wire.md 22).
[[nodiscard]] Reply error_reply(const S3Error& error, const ErrorPlace& place, bool head_only);

}  // namespace mote::s3
