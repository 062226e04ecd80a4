#include "erasure/drive/shard_file_header.h"

#include <xxhash.h>

#include "erasure/base/byte_io.h"

namespace mote::erasure {
namespace {

constexpr std::string_view kMagic = "moteSHD\n";
constexpr std::uint16_t kMajor = 1;
constexpr std::uint16_t kMinor = 0;
constexpr std::size_t kHashBytes = 8;
constexpr std::size_t kHashAt = kShardFileAlign - kHashBytes;
constexpr std::uint32_t kStripeBytesMax = 64 * 1024 * 1024;
constexpr std::uint64_t kObjectBytesMax = std::uint64_t{1} << 50;
constexpr Error kCorrupt{Errc::corrupt, 0, "shard_file.header"};

template <std::size_t N>
void take_array(ByteReader& in, std::array<std::byte, N>& out) {
  const ByteView bytes = in.take_bytes(N);
  if (bytes.size() == N) {
    std::memcpy(out.data(), bytes.data(), N);
  }
}

}  // namespace

std::string encode_shard_header(const Uuid& file, const ShardFileHeader& header) {
  std::string bytes;
  bytes.reserve(kShardFileAlign);
  bytes.append(kMagic);
  ByteWriter out(bytes);
  out.put(kMajor);
  out.put(kMinor);
  out.put(header.geometry.k);
  out.put(header.geometry.m);
  out.put(header.shard_index);
  out.put(std::uint8_t{0});
  out.put_bytes(file);
  out.put_bytes(header.writer);
  out.put(header.bucket_id);
  out.put(header.key_hash);
  out.put(header.object_bytes);
  out.put(header.geometry.stripe_bytes);
  out.put(header.part);
  bytes.resize(kHashAt);
  out.put(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  return bytes;
}

Result<ShardFileHeader> decode_shard_header(ByteView bytes, const Uuid& file) {
  if (bytes.size() != kShardFileAlign) {
    return kCorrupt;
  }
  ByteReader hash(bytes.subspan(kHashAt));
  ByteReader in(bytes);
  if (as_text(in.take_bytes(kMagic.size())) != kMagic ||
      hash.take<std::uint64_t>() != XXH3_64bits(bytes.data(), kHashAt)) {
    return kCorrupt;
  }
  if (in.take<std::uint16_t>() != kMajor) {
    return Error{Errc::unsupported, 0, "shard_file.version"};
  }
  in.take<std::uint16_t>();
  ShardFileHeader header;
  header.geometry.k = in.take<std::uint8_t>();
  header.geometry.m = in.take<std::uint8_t>();
  header.shard_index = in.take<std::uint8_t>();
  in.take<std::uint8_t>();
  Uuid named{};
  take_array(in, named);
  take_array(in, header.writer);
  header.bucket_id = in.take<std::uint64_t>();
  header.key_hash = in.take<std::uint64_t>();
  header.object_bytes = in.take<std::uint64_t>();
  header.geometry.stripe_bytes = in.take<std::uint32_t>();
  header.part = in.take<std::uint16_t>();
  const Geometry& geometry = header.geometry;
  if (named != file || !geometry.valid() || header.shard_index >= geometry.shards() ||
      geometry.stripe_bytes > kStripeBytesMax || header.object_bytes == 0 ||
      header.object_bytes > kObjectBytesMax) {
    return kCorrupt;
  }
  return header;
}

std::string encode_shard_trailer(const std::vector<Sum128>& sums) {
  std::string bytes;
  bytes.reserve(sums.size() * sizeof(Sum128) + kHashBytes);
  ByteWriter out(bytes);
  for (const Sum128& sum : sums) {
    out.put_bytes(sum);
  }
  out.put(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size())});
  return bytes;
}

Result<std::vector<Sum128>> decode_shard_trailer(ByteView bytes, std::uint64_t count) {
  if (bytes.size() != count * sizeof(Sum128) + kHashBytes) {
    return Error{Errc::corrupt, 0, "shard_file.trailer"};
  }
  ByteReader in(bytes);
  std::vector<Sum128> sums(count);
  for (Sum128& sum : sums) {
    take_array(in, sum);
  }
  if (in.take<std::uint64_t>() != XXH3_64bits(bytes.data(), bytes.size() - kHashBytes)) {
    return Error{Errc::corrupt, 0, "shard_file.trailer"};
  }
  return sums;
}

std::string shard_file_name(const Uuid& file) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const std::byte value : file) {
    name.push_back(kDigits[std::to_integer<unsigned>(value) >> 4]);
    name.push_back(kDigits[std::to_integer<unsigned>(value) & 15U]);
  }
  return name;
}

std::optional<Uuid> parse_shard_file_name(std::string_view name) {
  Uuid file{};
  if (name.size() != 2 * file.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<unsigned>(c - 'a') + 10;
    } else {
      return std::nullopt;
    }
    file[i / 2] |= static_cast<std::byte>(i % 2 == 0 ? digit << 4 : digit);
  }
  return file;
}

}  // namespace mote::erasure
