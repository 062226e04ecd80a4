#pragma once

#include <memory>
#include <optional>
#include <string>

#include "erasure/set/on_slots.h"

namespace mote::erasure {

using Row = std::optional<Slice>;

/// One row as a current drive has it; "not there" is an answer that may be trusted (INV-4). Answers
/// inside the call when the row, or its absence, is in memory. Rows whose checksum is wrong are
/// asked of another drive and reported for repair. Errors: read_quorum, corrupt.
void read_current_row(SetContext& context, const std::shared_ptr<const Members>& members,
                      Family family, std::string key, Completion<Row> done);

/// The row as each of `slots` has it, not verified; drive by drive from memory where possible.
void read_slot_rows(SetContext& context, const std::shared_ptr<const Members>& members,
                    SlotMask slots, Family family, std::string key,
                    UniqueFunction<void(SlotAnswers<Row>)> done);

/// The slots of drives that may be read.
[[nodiscard]] SlotMask readable_slots(const Members& members) noexcept;

}  // namespace mote::erasure
