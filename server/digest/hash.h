#pragma once

#include <array>
#include <cstddef>

#include "erasure/base/bytes.h"

/// Incremental hashes that live where they are declared: no heap, no library context object,
/// copyable (a copy continues from the same state). OpenSSL's assembly does the work; hash.cc is
/// the one file that uses its low-level interface, because EVP allocates per digest. Not for
/// secrets: see hmac.h.
namespace mote::digest {

using Md5Value = std::array<std::byte, 16>;
using Sha1Value = std::array<std::byte, 20>;
using Sha256Value = std::array<std::byte, 32>;
using Sha512Value = std::array<std::byte, 64>;

class Md5 {
 public:
  using Value = Md5Value;
  Md5() noexcept;
  void update(ByteView bytes) noexcept;
  /// The digest of all bytes so far; the object is spent until reset().
  [[nodiscard]] Value finish() noexcept;
  void reset() noexcept;
  [[nodiscard]] static Value of(ByteView bytes) noexcept;

 private:
  alignas(8) std::array<std::byte, 96> state_;
};

class Sha1 {
 public:
  using Value = Sha1Value;
  Sha1() noexcept;
  void update(ByteView bytes) noexcept;
  [[nodiscard]] Value finish() noexcept;
  void reset() noexcept;
  [[nodiscard]] static Value of(ByteView bytes) noexcept;

 private:
  alignas(8) std::array<std::byte, 96> state_;
};

class Sha256 {
 public:
  using Value = Sha256Value;
  Sha256() noexcept;
  void update(ByteView bytes) noexcept;
  [[nodiscard]] Value finish() noexcept;
  void reset() noexcept;
  [[nodiscard]] static Value of(ByteView bytes) noexcept;

 private:
  alignas(8) std::array<std::byte, 112> state_;
};

class Sha512 {
 public:
  using Value = Sha512Value;
  Sha512() noexcept;
  void update(ByteView bytes) noexcept;
  [[nodiscard]] Value finish() noexcept;
  void reset() noexcept;
  [[nodiscard]] static Value of(ByteView bytes) noexcept;

 private:
  alignas(8) std::array<std::byte, 216> state_;
};

}  // namespace mote::digest
