#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/store.h"
#include "server/async/exchange.h"
#include "server/async/task.h"
#include "server/auth/authenticator.h"
#include "server/http/target.h"
#include "server/s3/access.h"
#include "server/s3/error_mapping.h"
#include "server/s3/router.h"
#include "server/s3/s3_error.h"

namespace mote::s3 {

struct ServiceOptions {
  std::optional<std::string> region;  ///< `--region`; unset: any, shown as us-east-1
  std::vector<std::string> domains;   ///< virtual-host domains, lower case, without port
  std::string external_url;           ///< what Location elements begin with; "" = from the request

  [[nodiscard]] std::string_view region_name() const noexcept {
    return region ? std::string_view(*region) : std::string_view("us-east-1");
  }
};

/// What all handlers work with. Everything outlives every call.
struct Services {
  ObjectStore& store;
  const auth::Authenticator& authenticator;
  const ServiceOptions& options;
  const Clock& clock;
};

/// One request that has been authenticated, routed and authorised. Lives in the frame of
/// S3Service::handle, which outlives the handler's.
struct Call {
  const Services& services;
  Exchange& exchange;
  const http::Target& target;
  const auth::Verified& who;
  const Route& route;
  std::shared_ptr<const BucketInfo> bucket;  ///< null where the operation names none that exists
  /// Of a form upload: its fields as the headers they stand for. Else null.
  const http::RequestHead* form_head = nullptr;

  [[nodiscard]] const http::RequestHead& head() const noexcept {
    return form_head == nullptr ? exchange.head : *form_head;
  }
  /// A header as S3 sees it: sent, or hoisted into a signed query.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view lower) const noexcept {
    return who.header(head(), lower);
  }
  [[nodiscard]] std::string_view param(std::string_view name) const noexcept {
    return target.value(name);
  }
  [[nodiscard]] AccessRequest access() const noexcept { return {head(), target, who, route}; }
  /// The engine's error in S3's words, about this call's bucket and key.
  [[nodiscard]] S3Error mapped(const Error& error) const {
    return map_error(error, {.bucket = route.bucket,
                             .key = route.key,
                             .upload_id = param("uploadId"),
                             .version_id = param("versionId")});
  }
};

/// What a handler answers: a reply to send, an error to render, or nothing where it has already
/// streamed its reply.
using Answer = Outcome<std::optional<Reply>>;

}  // namespace mote::s3
