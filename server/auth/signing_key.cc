#include "server/auth/signing_key.h"

#include "server/digest/encoding.h"

namespace mote::auth {

digest::HmacSha256Key derive_signing_key(const Secret& secret, std::string_view date,
                                         std::string_view region, std::string_view service) {
  std::string start;
  start.reserve(secret.reveal().size() +
                4);  // one allocation, so that no copy is left behind unwiped
  start.append("AWS4").append(secret.reveal());
  digest::HmacSha256Key key(as_bytes(start));
  digest::cleanse(start.data(), start.size());
  for (const std::string_view step : {date, region, service, std::string_view("aws4_request")}) {
    digest::Sha256Value next = key.sign(step);
    key = digest::HmacSha256Key(next);
    digest::cleanse(next.data(), next.size());
  }
  return key;
}

HexSignature sign_hex(const digest::HmacSha256Key& key, std::string_view string_to_sign) {
  HexSignature hex{};
  digest::write_hex(key.sign(string_to_sign), hex.data());
  return hex;
}

}  // namespace mote::auth
