#include "server/s3/checksums.h"

#include "server/digest/encoding.h"

namespace mote::s3 {

namespace {

using digest::ChecksumAlgorithm;

template <ChecksumKind kind, ChecksumAlgorithm algorithm>
constexpr bool kSameNumber = static_cast<int>(kind) == static_cast<int>(algorithm);
static_assert(kSameNumber<ChecksumKind::crc32, ChecksumAlgorithm::crc32>);
static_assert(kSameNumber<ChecksumKind::crc32c, ChecksumAlgorithm::crc32c>);
static_assert(kSameNumber<ChecksumKind::crc64nvme, ChecksumAlgorithm::crc64nvme>);
static_assert(kSameNumber<ChecksumKind::sha1, ChecksumAlgorithm::sha1>);
static_assert(kSameNumber<ChecksumKind::sha256, ChecksumAlgorithm::sha256>);
static_assert(kSameNumber<ChecksumKind::sha512, ChecksumAlgorithm::sha512>);
static_assert(kSameNumber<ChecksumKind::md5, ChecksumAlgorithm::md5>);
static_assert(kSameNumber<ChecksumKind::xxhash64, ChecksumAlgorithm::xxhash64>);
static_assert(kSameNumber<ChecksumKind::xxhash3, ChecksumAlgorithm::xxhash3>);
static_assert(kSameNumber<ChecksumKind::xxhash128, ChecksumAlgorithm::xxhash128>);

}  // namespace

ChecksumKind to_kind(ChecksumAlgorithm algorithm) noexcept {
  return static_cast<ChecksumKind>(algorithm);
}

std::optional<ChecksumAlgorithm> to_algorithm(ChecksumKind kind) noexcept {
  if (kind == ChecksumKind::none) {
    return std::nullopt;
  }
  return static_cast<ChecksumAlgorithm>(kind);
}

StoredChecksum to_stored(const digest::ChecksumValue& value) {
  return {.kind = to_kind(value.algorithm),
          .composite = false,
          .value = std::string(as_text(value.bytes()))};
}

digest::ChecksumValue to_value(const StoredChecksum& stored) {
  return digest::ChecksumValue::from_bytes(static_cast<ChecksumAlgorithm>(stored.kind),
                                           as_bytes(stored.value));
}

std::string to_text(const StoredChecksum& stored, std::size_t parts) {
  std::string text = digest::to_base64(as_bytes(stored.value));
  if (stored.composite) {
    text.append("-").append(std::to_string(parts));
  }
  return text;
}

std::string_view type_name(bool composite) noexcept {
  return composite ? "COMPOSITE" : "FULL_OBJECT";
}

}  // namespace mote::s3
