#pragma once

#include <optional>
#include <string_view>

#include "server/http/head.h"
#include "server/http/host.h"
#include "server/s3/handlers/call.h"

namespace mote::s3 {

/// Label of the Host header in front of a configured domain, "" in path style and where HTTP/1.0
/// sends no Host; nullopt if it is not a host. A view into the head.
[[nodiscard]] inline std::optional<std::string_view> host_bucket(const http::RequestHead& head,
                                                                 const ServiceOptions& options) {
  const std::optional<std::string_view> value = head.headers.find("host");
  if (!value) {
    return std::string_view();
  }
  const std::optional<http::Host> host = http::parse_host(*value, options.domains);
  if (!host) {
    return std::nullopt;
  }
  return host->bucket;
}

}  // namespace mote::s3
