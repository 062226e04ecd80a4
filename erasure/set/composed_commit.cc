#include "erasure/set/composed_commit.h"

namespace mote::erasure {

void ComposedCommit::erase(Family family, std::string row) {
  const std::size_t bytes = row.size() + 8;
  add(bytes,
      [family, row = std::move(row)](CommitSeq, Slot, RowBatch& rows) { rows.erase(family, row); });
}

void ComposedCommit::render(CommitSeq seq, Slot slot, RowBatch& rows) const {
  for (const Render& piece : pieces_) {
    piece(seq, slot, rows);
  }
}

}  // namespace mote::erasure
