#include "erasure/set/row_reads.h"

#include <utility>

#include "erasure/meta/record_codec.h"

namespace mote::erasure {
namespace {

/// The row if it is there and its common section verifies.
Result<Row> checked(Family family, Result<Row> row) {
  if (!row || !row->has_value()) {
    return row;
  }
  const ByteView bytes = (*row)->bytes;
  if (family == Family::obj || family == Family::ver) {
    if (const Result<RecordPeek> peek = peek_record(bytes); !peek) {
      return peek.error();
    }
  } else if (family == Family::sys) {
    if (const Result<BucketRecord> bucket = decode_bucket(bytes); !bucket) {
      return bucket.error();
    }
  }
  return row;
}

}  // namespace

SlotMask readable_slots(const Members& members) noexcept {
  SlotMask slots = 0;
  for (Slot slot = 0; slot < members.slots.size(); ++slot) {
    if (members.slots[slot].drive) {
      slots = static_cast<SlotMask>(slots | bit(slot));
    }
  }
  return slots;
}

void read_current_row(SetContext& context, const std::shared_ptr<const Members>& members,
                      Family family, std::string key, Completion<Row> done) {
  if (members->list_slot) {
    const Drive& drive = *members->slots[*members->list_slot].drive;
    Result<Row> row = checked(family, drive.index().get(family, key, ReadTier::memory));
    if (row) {
      done(std::move(row));
      return;
    }
  }
  on_current<Row>(
      context, members, context.options.hedge_after,
      [&context, family, key = std::move(key)](Drive& drive) -> Result<Row> {
        Result<Row> row = checked(family, drive.index().get(family, key, ReadTier::device));
        if (!row && row.error().code == Errc::corrupt) {
          context.report_damage({family, key});
        }
        return row;
      },
      std::move(done));
}

void read_slot_rows(SetContext& context, const std::shared_ptr<const Members>& members,
                    SlotMask slots, Family family, std::string key,
                    UniqueFunction<void(SlotAnswers<Row>)> done) {
  SlotAnswers<Row> answers(members->slots.size(), Result<Row>(Errc::drive_failed));
  SlotMask blocked = 0;
  for (Slot slot = 0; slot < members->slots.size(); ++slot) {
    if (!has(slots, slot) || !members->slots[slot].drive) {
      continue;
    }
    answers[slot] = members->slots[slot].drive->index().get(family, key, ReadTier::memory);
    if (!answers[slot]) {
      blocked = static_cast<SlotMask>(blocked | bit(slot));
    }
  }
  if (blocked == 0) {
    done(std::move(answers));
    return;
  }
  on_slots<Row>(
      context, members, blocked,
      [family, key = std::move(key)](Drive& drive) -> Result<Row> {
        return drive.index().get(family, key, ReadTier::device);
      },
      [blocked, answers = std::move(answers),
       done = std::move(done)](SlotAnswers<Row> late) mutable {
        for (std::size_t slot = 0; slot < answers.size(); ++slot) {
          if (has(blocked, static_cast<unsigned>(slot))) {
            answers[slot] = std::move(late[slot]);
          }
        }
        done(std::move(answers));
      });
}

}  // namespace mote::erasure
