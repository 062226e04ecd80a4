#include "server/s3/encryption_headers.h"

#include <optional>
#include <string>

#include "server/digest/encoding.h"
#include "server/digest/hash.h"

namespace mote::s3 {

namespace {

constexpr std::string_view kMethod = "x-amz-server-side-encryption";
constexpr std::string_view kKmsKey = "x-amz-server-side-encryption-aws-kms-key-id";
constexpr std::string_view kAlgorithm = "x-amz-server-side-encryption-customer-algorithm";
constexpr std::string_view kKey = "x-amz-server-side-encryption-customer-key";
constexpr std::string_view kKeyMd5 = "x-amz-server-side-encryption-customer-key-md5";
constexpr std::size_t kKeyBytes = 32;

bool is_read(Op op) noexcept {
  return op == Op::get_object || op == Op::head_object;
}

/// A key of the client's own: algorithm, key and the key's MD5 belong together. Neither the key nor
/// its hash is ever shown in an error.
Refusal check_customer_key(const AccessRequest& request) {
  const auto algorithm = request.who.header(request.head, kAlgorithm);
  const auto key = request.who.header(request.head, kKey);
  const auto md5 = request.who.header(request.head, kKeyMd5);
  if (!algorithm && !key && !md5) {
    return std::nullopt;
  }
  if (!algorithm) {
    return invalid_argument(
        "Requests specifying Server Side Encryption with Customer provided keys must provide a "
        "valid encryption algorithm.",
        kAlgorithm, "null");
  }
  if (!key) {
    return invalid_argument(
        "Requests specifying Server Side Encryption with Customer provided keys must provide an "
        "appropriate secret key.",
        kKey, "null");
  }
  if (!md5) {
    return invalid_argument(
        "Requests specifying Server Side Encryption with Customer provided keys must provide the "
        "client calculated MD5 of the secret key.",
        kKeyMd5, "null");
  }
  const std::optional<std::string> bytes = digest::from_base64(*key);
  if (!bytes || bytes->size() != kKeyBytes) {
    return invalid_argument("The secret key was invalid for the specified algorithm.", kKey, "");
  }
  digest::Md5 hash;
  hash.update(as_bytes(*bytes));
  if (digest::to_base64(hash.finish()) != *md5) {
    return invalid_argument(
        "The calculated MD5 hash of the key did not match the hash that was provided.", kKeyMd5,
        "");
  }
  return std::nullopt;
}

}  // namespace

Refusal check_encryption_headers(const AccessRequest& request) {
  const auto method = request.who.header(request.head, kMethod);
  if (method && is_read(request.route.op)) {
    return invalid_argument(
        "x-amz-server-side-encryption header is not supported for this operation.", kMethod,
        *method);
  }
  if (const auto kms = request.who.header(request.head, kKmsKey); kms && !method) {
    return invalid_argument(
        "x-amz-server-side-encryption-aws-kms-key-id requires "
        "x-amz-server-side-encryption to be aws:kms.",
        kKmsKey, *kms);
  }
  if (method && request.who.header(request.head, kAlgorithm)) {
    return invalid_argument(
        "Server Side Encryption with Customer provided key is incompatible with the encryption "
        "method specified",
        kMethod, *method);
  }
  return check_customer_key(request);
}

}  // namespace mote::s3
