#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/meta/record_codec.h"
#include "erasure/set/set_context.h"

namespace mote::erasure {

/// A row of an index as heal sees it: what all drives share, and this drive's own shards.
struct ShardedRow {
  CommitSeq seq;
  Layout layout;
  std::vector<Extent> extents;
  LocalPart local;
  ByteView payload;  ///< inline shard, into the row
  std::optional<ObjectRecord> object;
  std::optional<PartRecord> part;
};

/// Decodes an obj, ver or mpu part row. nullopt: a row without shards, the same on all drives
/// (session, sys). Errors: corrupt, unsupported.
Result<std::optional<ShardedRow>> parse_sharded(Family family, std::string_view key, ByteView row);

/// The row again, for the drive that `local` and `payload` belong to; the same commit's.
std::string encode_sharded(const ShardedRow& row, const LocalPart& local, ByteView payload);

/// The part of `have` that holds the bytes of `wanted`, by the commit that wrote them; null if
/// none.
const LocalExtent* matching_extent(const ShardedRow& have, const Layout& layout,
                                   const Extent& wanted);

/// Reads and verifies a drive's whole shard of an extent, wherever it lives. Blocks. Errors:
/// corrupt, no_such_file, io_error.
Status verify_extent(Drive& drive, const Layout& layout, const Extent& extent,
                     const LocalExtent& local, std::uint8_t shard_index, ByteView payload);

/// Bucket and key of an obj, ver or mpu row.
struct RowName {
  std::uint64_t bucket_id = 0;
  std::string key;
};
std::optional<RowName> name_of_row(Family family, std::string_view row);

/// The lock under which a row of this family changes.
std::optional<LockId> lock_of_row(const SetContext& context, Family family, std::string_view row);

}  // namespace mote::erasure
