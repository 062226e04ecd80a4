#include "erasure/heal/shard_source.h"

#include <array>
#include <utility>

#include "erasure/set/object_rows.h"
#include "erasure/set/shard_rebuild.h"

namespace mote::erasure {

Result<Slice> inline_shard(Drive& drive, const Layout& layout, const Extent& extent,
                           const LocalExtent& local, std::uint8_t shard_index,
                           const Slice& payload) {
  Slice shard = payload;
  if (extent.place == ShardPlace::pay) {
    Result<std::optional<Slice>> row = drive.index().get(
        Family::pay, payload_row(extent.data_seq, extent.pay_index), ReadTier::device);
    if (!row) {
      return row.error();
    }
    if (!row->has_value()) {
      return {Errc::no_such_file, "heal.payload_missing"};
    }
    shard = **std::move(row);
  }
  const Status good = verify_shard(shard.bytes, layout.geometry.shard_bytes(extent.bytes),
                                   binding(extent.data_seq, shard_index), local.sum);
  if (!good) {
    return good.error();
  }
  return shard;
}

void FileSources::add(Drive& drive, const LocalExtent& local, std::uint8_t shard_index) {
  if (is_absent(local)) {
    return;
  }
  Result<std::shared_ptr<ShardFileReader>> reader =
      drive.shard_files().open_reader({local.file, local.dirno});
  if (!reader) {
    return;
  }
  Source source;
  source.shard_index = shard_index;
  source.reader = *std::move(reader);
  source.sums = local.stripe_sums;
  if (layout_.geometry.has_trailer(extent_.bytes)) {
    Result<std::vector<Sum128>> sums = source.reader->read_sums();
    if (!sums) {
      return;
    }
    source.sums = *std::move(sums);
  }
  if (verify_stripe_sums(layout_, extent_, local, shard_index, source.sums)) {
    sources_.push_back(std::move(source));
  }
}

Result<Buffer> FileSources::rebuild(const RsCodec& codec, std::uint64_t stripe,
                                    std::uint8_t wanted) {
  const std::uint64_t bytes =
      layout_.geometry.shard_bytes(layout_.geometry.stripe_length(extent_.bytes, stripe));
  std::array<ByteView, kShardsMax> shards;
  std::vector<Buffer> buffers;
  failing_ = 0;
  for (const Source& source : sources_) {
    if (buffers.size() == codec.geometry().k) {
      break;
    }
    Buffer shard(bytes);
    if (!source.reader->read_stripe(stripe, shard.span()) ||
        !verify_payload(shard.view(), bytes, source.sums[stripe])) {
      ++failing_;
      continue;
    }
    shards[source.shard_index] = shard.view();
    buffers.push_back(std::move(shard));
  }
  return rebuild_shard(codec, shards, wanted, bytes);
}

}  // namespace mote::erasure
