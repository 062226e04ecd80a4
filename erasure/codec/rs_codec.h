#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/codec/geometry.h"

namespace mote::erasure {

/// The k+m shards of one stripe. Whole data shards are views of the bytes that were encoded (which
/// must outlive this); padded data shards and parity are owned.
struct EncodedStripe {
  std::size_t shard_bytes = 0;
  unsigned count = 0;  ///< k+m; the first `count` of `shards` are set
  std::array<ByteView, kShardsMax> shards;
  Buffer own;
};

/// One shard that reconstruct() is to make.
struct WantedShard {
  unsigned index = 0;  ///< 0 .. k+m-1
  ByteSpan out;
};

/// Reed-Solomon over GF(2^8), systematic, with ISA-L (polynomial 0x11d): data shards are the bytes
/// themselves, parity row i is a Cauchy row, so that any k of the k+m shards give all others. With
/// m = 0 there is nothing to compute; with k = 1 every shard is a copy. Thread-safe; decode tables
/// of up to 1,024 loss patterns are cached.
class RsCodec {
 public:
  /// REQUIRES geometry.valid().
  explicit RsCodec(const Geometry& geometry);
  ~RsCodec();
  RsCodec(const RsCodec&) = delete;
  RsCodec& operator=(const RsCodec&) = delete;

  [[nodiscard]] const Geometry& geometry() const noexcept { return geometry_; }

  /// `data`: k views of equal length; `parity`: m spans of that length.
  void encode(std::span<const ByteView> data, std::span<const ByteSpan> parity) const;
  /// Shards of a stripe of any length > 0.
  [[nodiscard]] EncodedStripe encode_stripe(ByteView stripe) const;

  /// Makes missing shards out of any k others. `shards`: k+m views of one length, data() == nullptr
  /// where missing; only the first k present ones are read. Present shards may be wanted too (they
  /// are copied). read_quorum if fewer than k are present, corrupt if
  /// their lengths differ.
  [[nodiscard]] Status reconstruct(std::span<const ByteView> shards,
                                   std::span<const WantedShard> wanted) const;
  /// Makes the object bytes of a stripe, out.size() of them, from any k of its shards (as above,
  /// each of shard_bytes(out.size())). A data shard may already lie in its place in `out`: then it
  /// is not copied.
  [[nodiscard]] Status decode_stripe(std::span<const ByteView> shards, ByteSpan out) const;

 private:
  struct Tables;
  /// ISA-L's expanded coefficients that make the shards in `made_mask` out of those in `read_mask`.
  [[nodiscard]] std::shared_ptr<const std::vector<unsigned char>> decode_table(
      std::uint32_t read_mask, std::uint32_t made_mask) const;

  Geometry geometry_;
  std::unique_ptr<Tables> tables_;
};

}  // namespace mote::erasure
