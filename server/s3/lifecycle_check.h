#pragma once

#include <string_view>

#include "server/s3/s3_error.h"

namespace mote::s3 {

/// Judges a LifecycleConfiguration as S3 does when it is put: 1 to 1,000 rules, each with Status
/// Enabled or Disabled and at least one action; ids of at most 255 characters, none twice; dates at
/// midnight GMT; Expiration after at least one day. MalformedXML for what breaks the schema,
/// InvalidArgument for values. (AWS "PutBucketLifecycleConfiguration".)
[[nodiscard]] Refusal check_lifecycle(std::string_view document);

}  // namespace mote::s3
