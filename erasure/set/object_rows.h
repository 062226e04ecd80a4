#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/meta/record_codec.h"
#include "erasure/set/row_reads.h"
#include "erasure/set/set_context.h"

namespace mote::erasure {

/// One drive's row of an object: its own part of the record, and the bytes they came from.
struct LocalRow {
  LocalPart part;
  Slice payload;  ///< inline shard, unverified
  Slice row;      ///< the whole row as stored
};

/// An object's record and each drive's own part of it.
struct ObjectRows {
  Family family = Family::obj;
  std::string row_key;
  ObjectRecord record;
  std::vector<std::optional<LocalRow>>
      locals;  ///< by slot; nullopt: absent there, or another commit's

  /// Slots that have a part of this record.
  [[nodiscard]] SlotMask holders() const noexcept;
};

/// The slot's part of `record`, if `row` holds that very commit and the right shard. Errors:
/// corrupt (does not decode, another shard's), no_such_file (another commit's row).
Result<LocalRow> local_row(const Geometry& geometry, const ObjectRecord& record, Slot slot,
                           const Slice& row);

/// Reads every readable drive's part of `record`. Drives that fail, lack the row or have another
/// commit's are left out; damaged rows of current drives are reported for repair.
void read_object_rows(SetContext& context, const std::shared_ptr<const Members>& members,
                      Family family, std::string row_key, ObjectRecord record,
                      UniqueFunction<void(std::shared_ptr<ObjectRows>)> done);

/// Checks the payload's exact length and bound sum (INV-3). Errors: corrupt.
Status verify_payload_shard(const ObjectRecord& record, const Extent& extent, const LocalRow& local,
                            std::size_t extent_index, ByteView payload);

[[nodiscard]] bool has_place(const ObjectRecord& record, ShardPlace place) noexcept;

/// A part for a drive that has no shard of the object: nothing in it verifies, so that reads pass
/// it over and heal fills it in.
[[nodiscard]] LocalPart absent_part(const ObjectRecord& record, Slot slot);
[[nodiscard]] LocalExtent absent_extent(const Geometry& geometry, const Extent& extent);
/// True for what absent_extent() made of a file.
[[nodiscard]] bool is_absent(const LocalExtent& local) noexcept;

}  // namespace mote::erasure
