#pragma once

#include <string>

#include "erasure/base/result.h"
#include "erasure/drive/shard_files.h"

namespace mote::erasure {

// Bytes of a shard file around its shards (FORMAT.md "Shard files"). Used by ShardFiles only.

/// Exactly kShardFileAlign bytes.
[[nodiscard]] std::string encode_shard_header(const Uuid& file, const ShardFileHeader& header);
/// Errors: corrupt, also for the header of another file; unsupported.
[[nodiscard]] Result<ShardFileHeader> decode_shard_header(ByteView bytes, const Uuid& file);

[[nodiscard]] std::string encode_shard_trailer(const std::vector<Sum128>& sums);
[[nodiscard]] Result<std::vector<Sum128>> decode_shard_trailer(ByteView bytes, std::uint64_t count);

/// Names of shard files: 32 lower-case hex digits.
[[nodiscard]] std::string shard_file_name(const Uuid& file);
[[nodiscard]] std::optional<Uuid> parse_shard_file_name(std::string_view name);

}  // namespace mote::erasure
