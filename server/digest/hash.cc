// OpenSSL's low-level digests are deprecated in favour of EVP, which allocates a context and takes
// locks to find its implementation; they reach the same assembly. This file is the only one to use
// them.
#define OPENSSL_SUPPRESS_DEPRECATED  // NOLINT(bugprone-reserved-identifier)

#include "server/digest/hash.h"

#include <openssl/md5.h>
#include <openssl/sha.h>

namespace mote::digest {

namespace {

template <class Context, std::size_t N>
Context* context(std::array<std::byte, N>& state) {
  static_assert(sizeof(Context) <= N && alignof(Context) <= 8);
  return static_cast<Context*>(static_cast<void*>(state.data()));
}

template <std::size_t N>
unsigned char* octets(std::array<std::byte, N>& value) {
  return static_cast<unsigned char*>(static_cast<void*>(value.data()));
}

}  // namespace

Md5::Md5() noexcept {
  reset();
}
void Md5::reset() noexcept {
  MD5_Init(context<MD5_CTX>(state_));
}
void Md5::update(ByteView bytes) noexcept {
  MD5_Update(context<MD5_CTX>(state_), bytes.data(), bytes.size());
}
Md5::Value Md5::finish() noexcept {
  Value value{};
  MD5_Final(octets(value), context<MD5_CTX>(state_));
  return value;
}
Md5::Value Md5::of(ByteView bytes) noexcept {
  Md5 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha1::Sha1() noexcept {
  reset();
}
void Sha1::reset() noexcept {
  SHA1_Init(context<SHA_CTX>(state_));
}
void Sha1::update(ByteView bytes) noexcept {
  SHA1_Update(context<SHA_CTX>(state_), bytes.data(), bytes.size());
}
Sha1::Value Sha1::finish() noexcept {
  Value value{};
  SHA1_Final(octets(value), context<SHA_CTX>(state_));
  return value;
}
Sha1::Value Sha1::of(ByteView bytes) noexcept {
  Sha1 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha256::Sha256() noexcept {
  reset();
}
void Sha256::reset() noexcept {
  SHA256_Init(context<SHA256_CTX>(state_));
}
void Sha256::update(ByteView bytes) noexcept {
  SHA256_Update(context<SHA256_CTX>(state_), bytes.data(), bytes.size());
}
Sha256::Value Sha256::finish() noexcept {
  Value value{};
  SHA256_Final(octets(value), context<SHA256_CTX>(state_));
  return value;
}
Sha256::Value Sha256::of(ByteView bytes) noexcept {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Sha512::Sha512() noexcept {
  reset();
}
void Sha512::reset() noexcept {
  SHA512_Init(context<SHA512_CTX>(state_));
}
void Sha512::update(ByteView bytes) noexcept {
  SHA512_Update(context<SHA512_CTX>(state_), bytes.data(), bytes.size());
}
Sha512::Value Sha512::finish() noexcept {
  Value value{};
  SHA512_Final(octets(value), context<SHA512_CTX>(state_));
  return value;
}
Sha512::Value Sha512::of(ByteView bytes) noexcept {
  Sha512 hash;
  hash.update(bytes);
  return hash.finish();
}

}  // namespace mote::digest
