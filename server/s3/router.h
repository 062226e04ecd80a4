#pragma once

#include <string_view>

#include "server/http/head.h"
#include "server/http/target.h"
#include "server/s3/operation.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

/// What of a request decides which operation it is.
struct RouteInput {
  http::Method method = http::Method::other;
  std::string_view method_text;
  const http::Target& target;
  std::string_view host_bucket;   ///< label in front of a configured domain, "" in path style
  bool has_copy_source = false;   ///< x-amz-copy-source was sent (or hoisted into the query)
  std::string_view content_type;  ///< tells a form upload from other POSTs
};

/// A request made typed. Views point into the target (or the host): they live as long as it does.
struct Route {
  Op op = Op::list_buckets;
  std::string_view bucket;  ///< "" for the service
  std::string_view key;     ///< "" unless the operation acts on an object
};

/// The one place that turns method, host, path and query into an operation: no state, no I/O.
/// Sub-resources are taken from the S3 API's own list; parameters outside of it (x-id=...) do not
/// route. Errors: InvalidBucketName, KeyTooLongError, InvalidURI, MethodNotAllowed,
/// InvalidArgument. Operations that are not built yet are still routed: who dispatches answers 501
/// with their name.
[[nodiscard]] Outcome<Route> route(const RouteInput& input);

}  // namespace mote::s3
