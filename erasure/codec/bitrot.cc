#include "erasure/codec/bitrot.h"

#include <xxhash.h>

namespace mote::erasure {
namespace {

Sum128 hash(const void* bytes, std::size_t count) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, count));
  Sum128 sum;
  static_assert(sizeof canonical.digest == sizeof sum);
  std::memcpy(sum.data(), canonical.digest, sizeof canonical.digest);
  return sum;
}

template <class T>
std::byte* put_big_endian(std::byte* at, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    at[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
  }
  return at + sizeof(T);
}

}  // namespace

Sum128 payload_sum(ByteView payload) noexcept {
  return hash(payload.data(), payload.size());
}

Sum128 bind_sum(const Sum128& payload, const ShardBinding& binding, std::uint64_t bytes) noexcept {
  std::array<std::byte, 16 + 4 + 8 + 1 + 8> text{};
  std::memcpy(text.data(), payload.data(), payload.size());
  std::byte* at = text.data() + payload.size();
  at = put_big_endian(at, binding.epoch);
  at = put_big_endian(at, binding.n);
  *at++ = static_cast<std::byte>(binding.shard_index);
  put_big_endian(at, bytes);
  return hash(text.data(), text.size());
}

Status verify_shard(ByteView payload, std::uint64_t bytes, const ShardBinding& binding,
                    const Sum128& bound) noexcept {
  if (payload.size() != bytes) {
    return Error{Errc::corrupt, 0, "shard.length"};
  }
  if (bind_sum(payload_sum(payload), binding, bytes) != bound) {
    return Error{Errc::corrupt, 0, "shard.sum"};
  }
  return ok();
}

Status verify_payload(ByteView payload, std::uint64_t bytes, const Sum128& sum) noexcept {
  if (payload.size() != bytes) {
    return Error{Errc::corrupt, 0, "stripe.length"};
  }
  if (payload_sum(payload) != sum) {
    return Error{Errc::corrupt, 0, "stripe.sum"};
  }
  return ok();
}

Sum128 table_sum(const Sum128* sums, std::size_t count) noexcept {
  return hash(sums, count * sizeof(Sum128));
}

}  // namespace mote::erasure
