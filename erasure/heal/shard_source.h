#pragma once

#include <memory>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/codec/rs_codec.h"
#include "erasure/heal/sharded_row.h"

namespace mote::erasure {

/// A drive's verified shard of an extent in the record (`payload`) or in `pay`. Blocks. Errors:
/// corrupt, no_such_file, io_error.
Result<Slice> inline_shard(Drive& drive, const Layout& layout, const Extent& extent,
                           const LocalExtent& local, std::uint8_t shard_index,
                           const Slice& payload);

/// The shard files of one extent on several drives, as sources for a shard that is missing. Blocks.
class FileSources {
 public:
  FileSources(const Layout& layout, const Extent& extent) : layout_(layout), extent_(extent) {}

  /// Adds a drive's file if it opens and its table of sums verifies.
  void add(Drive& drive, const LocalExtent& local, std::uint8_t shard_index);
  [[nodiscard]] unsigned count() const noexcept { return static_cast<unsigned>(sources_.size()); }
  /// Sources that did not give a good shard of the last stripe.
  [[nodiscard]] unsigned failing() const noexcept { return failing_; }
  /// Shard `wanted` of a stripe, out of any k that verify. Errors: read_quorum, corrupt.
  Result<Buffer> rebuild(const RsCodec& codec, std::uint64_t stripe, std::uint8_t wanted);

 private:
  struct Source {
    std::uint8_t shard_index = 0;
    std::shared_ptr<ShardFileReader> reader;
    std::vector<Sum128> sums;
  };
  const Layout layout_;
  const Extent extent_;
  std::vector<Source> sources_;
  unsigned failing_ = 0;
};

}  // namespace mote::erasure
