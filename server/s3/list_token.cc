#include "server/s3/list_token.h"

#include "server/digest/hmac.h"
#include "server/s3/ids.h"

namespace mote::s3 {

namespace {

constexpr std::size_t kMacBytes = 12;
constexpr std::string_view kKeyText = "mote list continuation, version 1";

std::string mac_of(std::string_view scope, std::string_view after) {
  static const digest::HmacSha256Key kKey{as_bytes(kKeyText)};
  std::string text(scope);
  text.push_back('\0');
  text.append(after);
  const digest::Sha256Value mac = kKey.sign(text);
  return std::string(as_text(ByteView(mac).first(kMacBytes)));
}

}  // namespace

std::string make_list_token(std::string_view scope, std::string_view after) {
  return to_base64url(mac_of(scope, after).append(after));
}

std::optional<std::string> read_list_token(std::string_view scope, std::string_view token) {
  std::optional<std::string> bytes = from_base64url(token);
  if (!bytes || bytes->size() < kMacBytes) {
    return std::nullopt;
  }
  std::string after = bytes->substr(kMacBytes);
  bytes->resize(kMacBytes);
  if (!digest::constant_time_equal(*bytes, mac_of(scope, after))) {
    return std::nullopt;
  }
  return after;
}

}  // namespace mote::s3
