#include "server/digest/hmac.h"

#include <algorithm>

#include <openssl/crypto.h>

namespace mote::digest {

namespace {

constexpr std::size_t kBlockBytes = 64;  // of SHA-1 and SHA-256 alike
constexpr std::byte kInnerPad{0x36};
constexpr std::byte kOuterPad{0x5c};

using Block = std::array<std::byte, kBlockBytes>;

/// The key as one block: zero-padded, or hashed first if it is longer (RFC 2104 §2).
template <class Hash>
Block key_block(ByteView key) noexcept {
  Block block{};
  if (key.size() > kBlockBytes) {
    const auto hashed = Hash::of(key);
    std::copy(hashed.begin(), hashed.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  return block;
}

template <class Hash>
void start_with_pad(Hash& hash, Block block, std::byte pad) noexcept {
  for (std::byte& byte : block) {
    byte ^= pad;
  }
  hash.update(block);
  cleanse(block.data(), block.size());
}

}  // namespace

void cleanse(void* data, std::size_t size) noexcept {
  OPENSSL_cleanse(data, size);
}

HmacSha256Key::HmacSha256Key(ByteView key) noexcept {
  Block block = key_block<Sha256>(key);
  start_with_pad(inner_, block, kInnerPad);
  start_with_pad(outer_, block, kOuterPad);
  cleanse(block.data(), block.size());
}

HmacSha256Key::~HmacSha256Key() {
  cleanse(&inner_, sizeof inner_);
  cleanse(&outer_, sizeof outer_);
}

Sha256Value HmacSha256Key::sign(ByteView text) const noexcept {
  Sha256 inner = inner_;
  inner.update(text);
  const Sha256Value hashed = inner.finish();
  Sha256 outer = outer_;
  outer.update(hashed);
  return outer.finish();
}

Sha1Value hmac_sha1(ByteView key, ByteView text) noexcept {
  Block block = key_block<Sha1>(key);
  Sha1 inner;
  start_with_pad(inner, block, kInnerPad);
  inner.update(text);
  const Sha1Value hashed = inner.finish();
  Sha1 outer;
  start_with_pad(outer, block, kOuterPad);
  cleanse(block.data(), block.size());
  outer.update(hashed);
  return outer.finish();
}

bool constant_time_equal(ByteView a, ByteView b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool constant_time_equal(std::string_view a, std::string_view b) noexcept {
  return constant_time_equal(as_bytes(a), as_bytes(b));
}

}  // namespace mote::digest
