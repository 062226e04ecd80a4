#include "erasure/codec/rs_codec.h"

#include <bit>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/rng.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

// A slow model of the code, from the definition: GF(2^8) with x^8+x^4+x^3+x^2+1, Cauchy parity rows
// 1 / (i xor j) for shard i >= k and data shard j; copies for k = 1.
unsigned gf_times(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1U) != 0) {
      product ^= a;
    }
    a <<= 1;
    if ((a & 0x100U) != 0) {
      a ^= 0x11dU;
    }
  }
  return product;
}
unsigned gf_inverse(unsigned a) {
  for (unsigned b = 1; b < 256; ++b) {
    if (gf_times(a, b) == 1) {
      return b;
    }
  }
  return 0;
}
unsigned coefficient(const Geometry& geometry, unsigned shard, unsigned data) {
  if (shard < geometry.k) {
    return shard == data ? 1 : 0;
  }
  return geometry.k == 1 ? 1 : gf_inverse(shard ^ data);
}

using Shards = std::vector<std::string>;

Shards model_encode(const Geometry& geometry, std::string_view stripe) {
  const std::size_t bytes = (stripe.size() + geometry.k - 1) / geometry.k;
  std::string padded(stripe);
  padded.resize(bytes * geometry.k, '\0');
  Shards shards;
  for (unsigned i = 0; i < geometry.shards(); ++i) {
    std::string shard(bytes, '\0');
    for (unsigned j = 0; j < geometry.k; ++j) {
      const unsigned factor = coefficient(geometry, i, j);
      for (std::size_t at = 0; factor != 0 && at < bytes; ++at) {
        const auto from = static_cast<unsigned char>(padded[j * bytes + at]);
        shard[at] =
            static_cast<char>(static_cast<unsigned char>(shard[at]) ^ gf_times(factor, from));
      }
    }
    shards.push_back(std::move(shard));
  }
  return shards;
}

std::string random_text(Rng& rng, std::size_t count) {
  std::string text(count, '\0');
  rng.fill(std::as_writable_bytes(std::span(text)));
  return text;
}

template <class Use>
void for_every_geometry(Use use) {
  for (std::uint8_t k = 1; k <= kShardsMax; ++k) {
    for (std::uint8_t m = 0; m <= k && k + m <= static_cast<int>(kShardsMax); ++m) {
      CAPTURE(k);
      CAPTURE(m);
      use(Geometry{k, m});
    }
  }
}

Shards to_shards(const EncodedStripe& stripe) {
  Shards shards;
  for (unsigned i = 0; i < stripe.count; ++i) {
    shards.emplace_back(as_text(stripe.shards[i]));
  }
  return shards;
}

// Rebuilds everything from the shards whose bits are set in `present`.
void check_pattern(const RsCodec& codec, const Shards& shards, std::string_view stripe,
                   unsigned present) {
  const unsigned n = codec.geometry().shards();
  std::vector<ByteView> views(n);
  for (unsigned i = 0; i < n; ++i) {
    if ((present >> i & 1U) != 0) {
      views[i] = as_bytes(shards[i]);
    }
  }
  Shards made(n, std::string(shards[0].size(), 'x'));
  std::vector<WantedShard> wanted;
  for (unsigned i = 0; i < n; ++i) {
    wanted.push_back({i, std::as_writable_bytes(std::span(made[i]))});
  }
  std::string out(stripe.size(), 'x');
  const Status rebuilt = codec.reconstruct(views, wanted);
  const Status joined = codec.decode_stripe(views, std::as_writable_bytes(std::span(out)));
  if (std::popcount(present) < static_cast<int>(codec.geometry().k)) {
    REQUIRE_ERR(rebuilt, Errc::read_quorum);
    return;
  }
  REQUIRE_OK(rebuilt);
  REQUIRE_OK(joined);
  REQUIRE(made == shards);
  REQUIRE(out == stripe);
}

TEST_CASE("rs_codec: encodes as the model does, sizes at +-1 of whole shards, for every k+m") {
  MOTE_SEEDED_RNG(rng);
  for_every_geometry([&](const Geometry& geometry) {
    const RsCodec codec(geometry);
    const std::size_t k = geometry.k;
    for (const std::size_t whole : {k, 16 * k, 64 * k, 300 * k}) {
      for (const std::size_t size : {whole - 1, whole, whole + 1}) {
        if (size == 0) {
          continue;
        }
        CAPTURE(size);
        const std::string stripe = random_text(rng, size);
        const EncodedStripe encoded = codec.encode_stripe(as_bytes(stripe));
        REQUIRE(encoded.shard_bytes == geometry.shard_bytes(size));
        REQUIRE(to_shards(encoded) == model_encode(geometry, stripe));
      }
    }
  });
}

TEST_CASE("rs_codec: one byte, and fewer bytes than data shards") {
  for_every_geometry([&](const Geometry& geometry) {
    const RsCodec codec(geometry);
    for (std::size_t size = 1; size <= geometry.k; ++size) {
      const std::string stripe(size, 'q');
      const EncodedStripe encoded = codec.encode_stripe(as_bytes(stripe));
      REQUIRE(encoded.shard_bytes == 1);
      const Shards shards = to_shards(encoded);
      REQUIRE(shards == model_encode(geometry, stripe));
      const unsigned all = (1U << geometry.shards()) - 1;
      check_pattern(codec, shards, stripe, all);
      check_pattern(codec, shards, stripe, all & ~((1U << geometry.m) - 1));
    }
  });
}

TEST_CASE("rs_codec: every subset of shards of sets up to 8 drives") {
  MOTE_SEEDED_RNG(rng);
  for_every_geometry([&](const Geometry& geometry) {
    if (geometry.shards() > 8) {
      return;
    }
    const RsCodec codec(geometry);
    const std::string stripe = random_text(rng, 50U * geometry.k - 1);
    const Shards shards = to_shards(codec.encode_stripe(as_bytes(stripe)));
    for (unsigned present = 0; present < (1U << geometry.shards()); ++present) {
      CAPTURE(present);
      check_pattern(codec, shards, stripe, present);
    }
  });
}

TEST_CASE("rs_codec: random losses of wider sets") {
  MOTE_SEEDED_RNG(rng);
  for_every_geometry([&](const Geometry& geometry) {
    if (geometry.shards() <= 8) {
      return;
    }
    const RsCodec codec(geometry);
    for (int round = 0; round < 40; ++round) {
      const std::string stripe = random_text(rng, 1 + rng.below(3000));
      const Shards shards = to_shards(codec.encode_stripe(as_bytes(stripe)));
      unsigned present = (1U << geometry.shards()) - 1;
      const std::uint64_t lost = rng.below(geometry.m + 2U);
      for (std::uint64_t i = 0; i < lost; ++i) {
        present &= ~(1U << rng.below(geometry.shards()));
      }
      CAPTURE(present);
      check_pattern(codec, shards, stripe, present);
    }
  });
}

TEST_CASE("rs_codec: k = 1 makes copies, m = 0 makes nothing") {
  const std::string stripe = "the object";
  for (const EncodedStripe& encoded : {RsCodec({1, 1}).encode_stripe(as_bytes(stripe)),
                                       RsCodec({1, 0}).encode_stripe(as_bytes(stripe))}) {
    for (const std::string& shard : to_shards(encoded)) {
      CHECK(shard == stripe);
    }
  }
  const EncodedStripe plain = RsCodec({2, 0}).encode_stripe(as_bytes(stripe));
  CHECK(to_shards(plain) == Shards{"the o", "bject"});
  CHECK(plain.own.empty());
}

TEST_CASE("rs_codec: whole data shards are views, not copies") {
  const std::string stripe(4 * 100, 'a');
  const EncodedStripe encoded = RsCodec({4, 2}).encode_stripe(as_bytes(stripe));
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(encoded.shards[i].data() == as_bytes(stripe).data() + i * 100);
  }
}

TEST_CASE("rs_codec: data shards read into place are left there") {
  const RsCodec codec({4, 2});
  std::string stripe(1000, '\0');
  for (std::size_t i = 0; i < stripe.size(); ++i) {
    stripe[i] = static_cast<char>(i * 7);
  }
  const Shards shards = to_shards(codec.encode_stripe(as_bytes(stripe)));
  std::string out = stripe;
  std::fill(out.begin() + 250, out.begin() + 500, 'x');  // shard 1 is missing
  std::vector<ByteView> views(6);
  for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    views[i] = as_bytes(out).subspan(i * 250, 250);
  }
  views[5] = as_bytes(shards[5]);
  CHECK_OK(codec.decode_stripe(views, std::as_writable_bytes(std::span(out))));
  CHECK(out == stripe);
}

TEST_CASE("rs_codec: shards of different lengths are damage, not undefined behaviour") {
  const RsCodec codec({2, 1});
  const std::string stripe(100, 'z');
  const Shards shards = to_shards(codec.encode_stripe(as_bytes(stripe)));
  const std::string cut = shards[2].substr(0, 49);
  std::string out(100, 'x');
  const std::vector<ByteView> one_short{as_bytes(shards[0]), {}, as_bytes(cut)};
  CHECK_ERR(codec.decode_stripe(one_short, std::as_writable_bytes(std::span(out))), Errc::corrupt);
  const std::string half = shards[0].substr(0, 49);
  const std::vector<ByteView> all_short{as_bytes(half), {}, as_bytes(cut)};
  std::string made(50, 'x');
  const std::vector<WantedShard> wanted{{1, std::as_writable_bytes(std::span(made))}};
  CHECK_ERR(codec.reconstruct(all_short, wanted), Errc::corrupt);
}

TEST_CASE("rs_codec: a full stripe survives the loss of all parity-many shards") {
  MOTE_SEEDED_RNG(rng);
  for (const Geometry geometry :
       {Geometry{4, 2}, Geometry{12, 4}, Geometry{8, 8}, Geometry{3, 2}}) {
    const RsCodec codec(geometry);
    const std::string stripe = random_text(rng, kStripeBytes);
    const Shards shards = to_shards(codec.encode_stripe(as_bytes(stripe)));
    check_pattern(codec, shards, stripe,
                  ((1U << geometry.shards()) - 1) & ~((1U << geometry.m) - 1));
  }
}

}  // namespace
}  // namespace mote::erasure
