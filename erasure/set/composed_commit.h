#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "erasure/set/commit.h"

namespace mote::erasure {

/// A commit put together from pieces, each of which renders some rows. Built by one thread, then
/// submitted and never changed.
class ComposedCommit final : public Commit {
 public:
  using Render = std::function<void(CommitSeq, Slot, RowBatch&)>;

  /// `bytes`: about how many bytes the piece renders per drive. `render` is pure and is called
  /// concurrently.
  void add(std::size_t bytes, Render render) {
    bytes_ += bytes;
    pieces_.push_back(std::move(render));
  }
  /// The same row erased on every drive.
  void erase(Family family, std::string row);
  /// Only these drives hold every byte that the commit refers to.
  void limit_holders(SlotMask holders) { holders_ = static_cast<SlotMask>(holders_ & holders); }

  void render(CommitSeq seq, Slot slot, RowBatch& rows) const override;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] SlotMask holders() const override { return holders_; }

 private:
  std::vector<Render> pieces_;
  std::size_t bytes_ = 64;
  SlotMask holders_ = static_cast<SlotMask>(~SlotMask{0});
};

}  // namespace mote::erasure
