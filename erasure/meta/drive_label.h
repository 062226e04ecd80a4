#pragma once

#include <cstdint>
#include <string>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/meta/keys.h"

namespace mote::erasure {

/// Features a drive's files use. Unknown `incompatible` bits: the drive is refused. Unknown
/// `read_only` bits: it may be read, not written. Unknown `compatible` bits: no matter.
struct FeatureBits {
  std::uint64_t incompatible = 0;
  std::uint64_t read_only = 0;
  std::uint64_t compatible = 0;

  friend bool operator==(const FeatureBits&, const FeatureBits&) = default;
};
/// What this version knows.
inline constexpr FeatureBits kKnownFeatures{};

/// Who a drive is: `.sys/format`. Written once, at format or replace.
struct DriveLabel {
  Uuid deployment{};
  Uuid drive{};
  std::uint16_t set_id = 0;
  std::uint8_t slot = 0;
  std::uint8_t k = 1;
  std::uint8_t m = 0;
  FeatureBits features;
  /// If so and it is none now, the mount is missing and the drive counts as absent.
  bool was_mount_point = false;
  std::int64_t formatted_ms = 0;

  friend bool operator==(const DriveLabel&, const DriveLabel&) = default;
};

[[nodiscard]] std::string encode_label(const DriveLabel& label);
/// Errors: corrupt; unsupported for another major version or an unknown incompatible feature.
[[nodiscard]] Result<DriveLabel> decode_label(ByteView bytes);

}  // namespace mote::erasure
