#include "erasure/set/slot_commit.h"

#include <algorithm>

#include "erasure/meta/keys.h"

namespace mote::erasure {

void SlotCommit::render(CommitSeq seq, Slot slot, RowBatch& rows) const {
  if (slot < slots_.size()) {
    for (const SlotRows::Entry& entry : slots_[slot].entries()) {
      if (entry.put) {
        rows.put(entry.family, entry.key, entry.value);
      } else {
        rows.erase(entry.family, entry.key);
      }
    }
  }
  for (const Waste& waste : waste_) {
    if (waste.slot == slot) {
      rows.put(Family::gc, garbage_row(seq, waste.file), waste.gc_value);
    }
  }
}

std::size_t SlotCommit::bytes() const {
  std::size_t most = 0;
  for (const SlotRows& rows : slots_) {
    most = std::max(most, rows.bytes());
  }
  return most + waste_.size() * 64 + 32;
}

}  // namespace mote::erasure
