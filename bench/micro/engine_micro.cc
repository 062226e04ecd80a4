// Codec and bitrot sums: what a PUT and an uncached GET spend on bytes.
#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "erasure/base/rng.h"
#include "erasure/codec/bitrot.h"
#include "erasure/codec/rs_codec.h"

namespace {

using namespace mote;           // NOLINT(google-build-using-namespace)
using namespace mote::erasure;  // NOLINT(google-build-using-namespace)

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  SeededRng(1).fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

void encode_stripe(benchmark::State& state) {
  const RsCodec codec(Geometry{4, 2});
  const std::string bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(codec.encode_stripe(as_bytes(bytes)).own.data());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(encode_stripe)->Arg(1024)->Arg(128 << 10)->Arg(1 << 20);

/// With two data shards lost: what a degraded read costs.
void decode_degraded(benchmark::State& state) {
  const RsCodec codec(Geometry{4, 2});
  const std::string bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  const EncodedStripe stripe = codec.encode_stripe(as_bytes(bytes));
  std::array<ByteView, 6> shards{};
  std::copy_n(stripe.shards.begin(), shards.size(), shards.begin());
  shards[0] = shards[2] = {};
  Buffer out(bytes.size());
  for (auto _ : state) {
    benchmark::DoNotOptimize(codec.decode_stripe(shards, out.span()).has_value());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(decode_degraded)->Arg(1024)->Arg(128 << 10)->Arg(1 << 20);

void bitrot_sum(benchmark::State& state) {
  const std::string bytes = random_bytes(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const Sum128 sum = payload_sum(as_bytes(bytes));
    benchmark::DoNotOptimize(bind_sum(sum, {}, bytes.size()));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(bitrot_sum)->Arg(512)->Arg(64 << 10);

}  // namespace
