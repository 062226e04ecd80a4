#include "erasure/meta/drive_label.h"

#include <xxhash.h>

#include "erasure/base/byte_io.h"
#include "erasure/codec/geometry.h"

namespace mote::erasure {
namespace {

constexpr std::string_view kMagic = "moteDRV\n";
constexpr std::uint16_t kMajor = 1;
constexpr std::uint16_t kMinor = 0;
constexpr std::uint32_t kBodyBytes = 72;
constexpr std::uint32_t kBodyBytesMax = 4096;
constexpr std::size_t kSumBytes = 8;

}  // namespace

std::string encode_label(const DriveLabel& label) {
  std::string bytes(kMagic);
  ByteWriter out(bytes);
  out.put(kMajor);
  out.put(kMinor);
  out.put(kBodyBytes);
  out.put_bytes(label.deployment);
  out.put_bytes(label.drive);
  out.put(label.set_id);
  out.put(label.slot);
  out.put(label.k);
  out.put(label.m);
  out.put(static_cast<std::uint8_t>(label.was_mount_point ? 1 : 0));
  out.put(std::uint16_t{0});
  out.put(label.features.incompatible);
  out.put(label.features.read_only);
  out.put(label.features.compatible);
  out.put(label.formatted_ms);
  out.put(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  return bytes;
}

Result<DriveLabel> decode_label(ByteView bytes) {
  constexpr Error kCorrupt{Errc::corrupt, 0, "drive.label"};
  ByteReader in(bytes);
  const ByteView magic = in.take_bytes(kMagic.size());
  const auto major = in.take<std::uint16_t>();
  const auto minor = in.take<std::uint16_t>();
  const auto body = in.take<std::uint32_t>();
  if (!in.ok() || as_text(magic) != kMagic || body < kBodyBytes || body > kBodyBytesMax ||
      in.remaining() != body + kSumBytes || (minor <= kMinor && body != kBodyBytes)) {
    return kCorrupt;
  }
  ByteReader sum(bytes.last(kSumBytes));
  if (sum.take<std::uint64_t>() != XXH3_64bits(bytes.data(), bytes.size() - kSumBytes)) {
    return kCorrupt;
  }
  if (major != kMajor) {
    return Error{Errc::unsupported, 0, "drive.label.version"};
  }
  DriveLabel label;
  const ByteView deployment = in.take_bytes(label.deployment.size());
  const ByteView drive = in.take_bytes(label.drive.size());
  std::memcpy(label.deployment.data(), deployment.data(), deployment.size());
  std::memcpy(label.drive.data(), drive.data(), drive.size());
  label.set_id = in.take<std::uint16_t>();
  label.slot = in.take<std::uint8_t>();
  label.k = in.take<std::uint8_t>();
  label.m = in.take<std::uint8_t>();
  const auto flags = in.take<std::uint8_t>();
  in.take<std::uint16_t>();
  label.was_mount_point = (flags & 1U) != 0;
  label.features.incompatible = in.take<std::uint64_t>();
  label.features.read_only = in.take<std::uint64_t>();
  label.features.compatible = in.take<std::uint64_t>();
  label.formatted_ms = in.take<std::int64_t>();
  const Geometry geometry{label.k, label.m};
  if (!in.ok() || !geometry.valid() || label.slot >= geometry.shards()) {
    return kCorrupt;
  }
  if ((label.features.incompatible & ~kKnownFeatures.incompatible) != 0) {
    return Error{Errc::unsupported, 0, "drive.label.features"};
  }
  return label;
}

}  // namespace mote::erasure
