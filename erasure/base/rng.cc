#include "erasure/base/rng.h"

#include <sys/random.h>

#include <bit>

#include "erasure/base/check.h"

namespace mote {

void Rng::fill(ByteSpan out) {
  while (!out.empty()) {
    const std::uint64_t word = next();
    const std::size_t count = std::min(out.size(), sizeof word);
    std::memcpy(out.data(), &word, count);
    out = out.subspan(count);
  }
}

std::array<std::byte, 16> Rng::uuid() {
  std::array<std::byte, 16> id{};
  fill(id);
  return id;
}

std::uint64_t SystemRng::next() {
  std::uint64_t word = 0;
  // getrandom(2): reads of up to 256 bytes are never short once the pool is initialised.
  MOTE_CHECK(::getrandom(&word, sizeof word, 0) == static_cast<ssize_t>(sizeof word));
  return word;
}

SeededRng::SeededRng(std::uint64_t seed) {
  // splitmix64 spreads the seed over the state (https://prng.di.unimi.it/).
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    word = z ^ (z >> 31);
  }
}

std::uint64_t SeededRng::next() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

}  // namespace mote
