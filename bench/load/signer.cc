#include "bench/load/signer.h"

#include <ctime>

#include "server/digest/encoding.h"
#include "server/digest/hash.h"
#include "server/digest/hmac.h"
#include "server/http/date.h"

namespace mote::bench {
namespace {

constexpr std::string_view kEmptyHash =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view kUnsigned = "UNSIGNED-PAYLOAD";
constexpr std::string_view kSigned = "host;x-amz-content-sha256;x-amz-date";

std::string mac(std::string_view key, std::string_view text) {
  const digest::Sha256Value value = digest::HmacSha256Key(as_bytes(key)).sign(text);
  return std::string(as_text(value));
}

}  // namespace

Signer::Signer(std::string host, std::string access_key, std::string secret_key, std::string region)
    : host_(std::move(host)),
      access_key_(std::move(access_key)),
      secret_key_(std::move(secret_key)),
      region_(std::move(region)) {}

void Signer::refresh_time() {
  std::timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec == stamp_seconds_) {
    return;
  }
  stamp_seconds_ = now.tv_sec;
  const auto stamp = http::format_amz_date(now.tv_sec);
  stamp_.assign(stamp.data(), stamp.size());
  if (day_ != stamp_.substr(0, 8)) {
    day_ = stamp_.substr(0, 8);
    key_ = mac(mac(mac(mac("AWS4" + secret_key_, day_), region_), "s3"), "aws4_request");
  }
}

void Signer::append_request(std::string& out, std::string_view method, std::string_view path,
                            std::string_view query, std::size_t body_bytes) {
  refresh_time();
  const std::string_view payload = body_bytes == 0 ? kEmptyHash : kUnsigned;
  canonical_.clear();
  canonical_.append(method)
      .append("\n")
      .append(path)
      .append("\n")
      .append(query)
      .append("\nhost:")
      .append(host_);
  canonical_.append("\nx-amz-content-sha256:")
      .append(payload)
      .append("\nx-amz-date:")
      .append(stamp_);
  canonical_.append("\n\n").append(kSigned).append("\n").append(payload);
  to_sign_.assign("AWS4-HMAC-SHA256\n")
      .append(stamp_)
      .append("\n")
      .append(day_)
      .append("/")
      .append(region_);
  to_sign_.append("/s3/aws4_request\n")
      .append(digest::to_hex(digest::Sha256::of(as_bytes(canonical_))));
  const std::string signature = digest::to_hex(as_bytes(mac(key_, to_sign_)));

  out.append(method).append(" ").append(path);
  if (!query.empty()) {
    out.append("?").append(query);
  }
  out.append(" HTTP/1.1\r\nHost: ").append(host_);
  out.append("\r\nx-amz-content-sha256: ")
      .append(payload)
      .append("\r\nx-amz-date: ")
      .append(stamp_);
  out.append("\r\nAuthorization: AWS4-HMAC-SHA256 Credential=")
      .append(access_key_)
      .append("/")
      .append(day_);
  out.append("/").append(region_).append("/s3/aws4_request, SignedHeaders=").append(kSigned);
  out.append(", Signature=").append(signature);
  if (method == "PUT" || method == "POST" || body_bytes > 0) {
    out.append("\r\nContent-Length: ").append(std::to_string(body_bytes));
  }
  out.append("\r\n\r\n");
}

}  // namespace mote::bench
