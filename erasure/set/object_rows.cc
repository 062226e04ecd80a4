#include "erasure/set/object_rows.h"

#include <algorithm>
#include <utility>

namespace mote::erasure {

SlotMask ObjectRows::holders() const noexcept {
  SlotMask slots = 0;
  for (unsigned slot = 0; slot < locals.size(); ++slot) {
    if (locals[slot]) {
      slots = static_cast<SlotMask>(slots | bit(slot));
    }
  }
  return slots;
}

Result<LocalRow> local_row(const Geometry& geometry, const ObjectRecord& record, Slot slot,
                           const Slice& row) {
  Result<DecodedRecord> decoded = decode_record(row.bytes);
  if (!decoded) {
    return decoded.error();
  }
  if (decoded->record.seq != record.seq) {
    return {Errc::no_such_file, "set.row_of_another_commit"};
  }
  if (!record.extents.empty() &&
      decoded->local.shard_index != geometry.shard_of_slot(slot, record.layout.start)) {
    return {Errc::corrupt, "set.row_of_another_shard"};
  }
  LocalRow local;
  local.part = std::move(decoded->local);
  local.payload = {decoded->payload, row.owner};
  local.row = row;
  return local;
}

void read_object_rows(SetContext& context, const std::shared_ptr<const Members>& members,
                      Family family, std::string row_key, ObjectRecord record,
                      UniqueFunction<void(std::shared_ptr<ObjectRows>)> done) {
  auto rows = std::make_shared<ObjectRows>();
  rows->family = family;
  rows->row_key = row_key;
  rows->record = std::move(record);
  read_slot_rows(
      context, members, readable_slots(*members), family, std::move(row_key),
      [&context, members, rows, done = std::move(done)](SlotAnswers<Row> answers) mutable {
        rows->locals.resize(answers.size());
        for (Slot slot = 0; slot < answers.size(); ++slot) {
          if (!answers[slot] || !answers[slot]->has_value()) {
            continue;
          }
          Result<LocalRow> local = local_row(context.geometry, rows->record, slot, **answers[slot]);
          if (local) {
            rows->locals[slot] = *std::move(local);
          } else if (local.error().code == Errc::corrupt) {
            context.report_damage({rows->family, rows->row_key});
          }
        }
        done(std::move(rows));
      });
}

Status verify_payload_shard(const ObjectRecord& record, const Extent& extent, const LocalRow& local,
                            std::size_t extent_index, ByteView payload) {
  return verify_shard(payload, record.layout.geometry.shard_bytes(extent.bytes),
                      binding(extent.data_seq, local.part.shard_index),
                      local.part.extents[extent_index].sum);
}

bool has_place(const ObjectRecord& record, ShardPlace place) noexcept {
  return std::any_of(record.extents.begin(), record.extents.end(),
                     [place](const Extent& extent) { return extent.place == place; });
}

LocalExtent absent_extent(const Geometry& geometry, const Extent& extent) {
  LocalExtent local;
  if (extent.place == ShardPlace::file && !geometry.has_trailer(extent.bytes)) {
    local.stripe_sums.resize(geometry.stripe_count(extent.bytes));
  }
  return local;
}

bool is_absent(const LocalExtent& local) noexcept {
  return local.file == Uuid{};
}

LocalPart absent_part(const ObjectRecord& record, Slot slot) {
  LocalPart part;
  part.shard_index = record.layout.geometry.shard_of_slot(slot, record.layout.start);
  for (const Extent& extent : record.extents) {
    part.extents.push_back(absent_extent(record.layout.geometry, extent));
  }
  return part;
}

}  // namespace mote::erasure
