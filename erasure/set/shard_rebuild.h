#pragma once

#include <array>

#include "erasure/base/buffer.h"
#include "erasure/codec/rs_codec.h"

namespace mote::erasure {

/// Makes one shard out of any k others. `shards` by index, empty where missing. Errors:
/// read_quorum.
inline Result<Buffer> rebuild_shard(const RsCodec& codec,
                                    const std::array<ByteView, kShardsMax>& shards, unsigned wanted,
                                    std::size_t bytes) {
  Buffer out(bytes);
  const WantedShard shard{wanted, out.span()};
  const std::span present(shards.data(), codec.geometry().shards());
  if (const Status made = codec.reconstruct(present, std::span(&shard, 1)); !made) {
    return made.error();
  }
  return out;
}

}  // namespace mote::erasure
