#include "erasure/heal/sharded_row.h"

#include <algorithm>
#include <utility>

#include "erasure/base/buffer.h"
#include "erasure/set/key_change.h"
#include "erasure/set/object_rows.h"

namespace mote::erasure {
namespace {

Status verify_file(Drive& drive, const Layout& layout, const Extent& extent,
                   const LocalExtent& local, std::uint8_t shard_index) {
  if (is_absent(local)) {
    return {Errc::no_such_file, "heal.shard_absent"};
  }
  const Result<std::shared_ptr<ShardFileReader>> reader =
      drive.shard_files().open_reader({local.file, local.dirno});
  if (!reader) {
    return reader.error();
  }
  std::vector<Sum128> sums = local.stripe_sums;
  if (layout.geometry.has_trailer(extent.bytes)) {
    Result<std::vector<Sum128>> read = (*reader)->read_sums();
    if (!read) {
      return read.error();
    }
    sums = *std::move(read);
  }
  if (const Status table = verify_stripe_sums(layout, extent, local, shard_index, sums); !table) {
    return table;
  }
  for (std::uint64_t stripe = 0; stripe < sums.size(); ++stripe) {
    Buffer shard(layout.geometry.shard_bytes(layout.geometry.stripe_length(extent.bytes, stripe)));
    if (const Status read = (*reader)->read_stripe(stripe, shard.span()); !read) {
      return read;
    }
    if (const Status good = verify_payload(shard.view(), shard.size(), sums[stripe]); !good) {
      return good;
    }
  }
  return ok();
}

}  // namespace

Result<std::optional<ShardedRow>> parse_sharded(Family family, std::string_view key, ByteView row) {
  ShardedRow result;
  if (family == Family::obj || family == Family::ver) {
    Result<DecodedRecord> decoded = decode_record(row);
    if (!decoded) {
      return decoded.error();
    }
    result.seq = decoded->record.seq;
    result.layout = decoded->record.layout;
    result.extents = decoded->record.extents;
    result.local = std::move(decoded->local);
    result.payload = decoded->payload;
    result.object = std::move(decoded->record);
    return std::optional<ShardedRow>(std::move(result));
  }
  if (family != Family::mpu) {
    return std::optional<ShardedRow>();
  }
  const std::optional<UploadRow> name = parse_upload_row(key);
  if (!name) {
    return {Errc::corrupt, "heal.upload_row"};
  }
  if (!name->part) {
    return std::optional<ShardedRow>();
  }
  Result<DecodedPart> decoded = decode_part(row);
  if (!decoded) {
    return decoded.error();
  }
  result.seq = decoded->part.seq;
  result.layout = decoded->part.layout;
  result.extents.push_back(decoded->part.extent);
  result.local = std::move(decoded->local);
  result.part = std::move(decoded->part);
  return std::optional<ShardedRow>(std::move(result));
}

std::string encode_sharded(const ShardedRow& row, const LocalPart& local, ByteView payload) {
  if (row.part) {
    return encode_part(*row.part, local, row.seq);
  }
  std::string bytes = encode_record(*row.object, local, row.seq);
  bytes.append(as_text(payload));
  return bytes;
}

const LocalExtent* matching_extent(const ShardedRow& have, const Layout& layout,
                                   const Extent& wanted) {
  if (have.layout != layout || have.local.extents.size() != have.extents.size()) {
    return nullptr;
  }
  for (std::size_t i = 0; i < have.extents.size(); ++i) {
    const Extent& extent = have.extents[i];
    if (extent.data_seq == wanted.data_seq && extent.number == wanted.number &&
        extent.place == wanted.place && extent.bytes == wanted.bytes &&
        extent.pay_index == wanted.pay_index) {
      return &have.local.extents[i];
    }
  }
  return nullptr;
}

Status verify_extent(Drive& drive, const Layout& layout, const Extent& extent,
                     const LocalExtent& local, std::uint8_t shard_index, ByteView payload) {
  const std::uint64_t bytes = layout.geometry.shard_bytes(extent.bytes);
  const ShardBinding bound = binding(extent.data_seq, shard_index);
  switch (extent.place) {
    case ShardPlace::none:
      return ok();
    case ShardPlace::record:
      return verify_shard(payload, bytes, bound, local.sum);
    case ShardPlace::pay: {
      const Result<std::optional<Slice>> row = drive.index().get(
          Family::pay, payload_row(extent.data_seq, extent.pay_index), ReadTier::device);
      if (!row) {
        return row.error();
      }
      if (!row->has_value()) {
        return {Errc::no_such_file, "heal.payload_missing"};
      }
      return verify_shard((*row)->bytes, bytes, bound, local.sum);
    }
    case ShardPlace::file:
      return verify_file(drive, layout, extent, local, shard_index);
  }
  return {Errc::corrupt, "heal.place"};
}

std::optional<RowName> name_of_row(Family family, std::string_view row) {
  if (family == Family::obj) {
    if (const auto name = parse_object_row(row)) {
      return RowName{name->bucket_id, std::string(name->key)};
    }
  } else if (family == Family::ver) {
    if (const auto name = parse_version_row(row)) {
      return RowName{name->bucket_id, name->key};
    }
  } else if (family == Family::mpu) {
    if (const auto name = parse_upload_row(row)) {
      return RowName{name->bucket_id, name->key};
    }
  }
  return std::nullopt;
}

std::optional<LockId> lock_of_row(const SetContext& context, Family family, std::string_view row) {
  if (family == Family::sys) {
    if (const auto bucket = parse_bucket_row(row)) {
      return LockId::bucket(*bucket);
    }
    if (row.starts_with(kTombstoneRows)) {
      return lock_of_row(context, Family::obj, row.substr(kTombstoneRows.size()));
    }
    return std::nullopt;
  }
  const std::optional<RowName> name = name_of_row(family, row);
  if (!name) {
    return std::nullopt;
  }
  return LockId::stripe(context.stripe(GenerationTable::hash(name->bucket_id, name->key)));
}

}  // namespace mote::erasure
