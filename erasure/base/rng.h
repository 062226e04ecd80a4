#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "erasure/base/bytes.h"

namespace mote {

/// Random numbers as the engine sees them: injected, thread-safe, seedable in tests.
class Rng {
 public:
  virtual ~Rng() = default;
  virtual std::uint64_t next() = 0;
  /// A number in [0, bound). REQUIRES bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  void fill(ByteSpan out);
  std::array<std::byte, 16> uuid();
};

/// Seeded from getrandom(2); for identifiers that must not be guessed or repeated.
class SystemRng final : public Rng {
 public:
  std::uint64_t next() override;
};

/// xoshiro256**, the same sequence for the same seed on every machine.
class SeededRng final : public Rng {
 public:
  explicit SeededRng(std::uint64_t seed);
  std::uint64_t next() override;

 private:
  std::mutex mutex_;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace mote
