#pragma once

#include "server/s3/access.h"

namespace mote::s3 {

/// What S3 answers to encryption headers that contradict each other or lack a part (AWS "Using
/// server-side encryption with customer-provided keys" and the answers of its service):
/// InvalidArgument. Nullopt if they make sense; whether they can be met is another question.
[[nodiscard]] Refusal check_encryption_headers(const AccessRequest& request);

}  // namespace mote::s3
