#pragma once

#include <string>

namespace mote::cli {

struct HttpAnswer {
  int status = 0;  ///< 0: no answer
  std::string body;
  std::string error;  ///< why there is none
};

/// One HTTP request to "http://HOST[:PORT]/path", or https without a look at the certificate, with
/// a bound of a few seconds; for the health check and the admin commands, so that the image needs
/// no curl.
HttpAnswer http_request(const std::string& method, const std::string& url);

}  // namespace mote::cli
