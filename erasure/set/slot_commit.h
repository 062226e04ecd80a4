#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "erasure/set/commit.h"

namespace mote::erasure {

/// Rows that are gathered for one drive before they are committed.
class SlotRows {
 public:
  struct Entry {
    bool put = false;
    Family family = Family::sys;
    std::string key;
    std::string value;
  };
  void put(Family family, std::string key, std::string value) {
    bytes_ += key.size() + value.size() + 16;
    entries_.push_back({true, family, std::move(key), std::move(value)});
  }
  void erase(Family family, std::string key) {
    bytes_ += key.size() + 16;
    entries_.push_back({false, family, std::move(key), {}});
  }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::size_t bytes_ = 0;
};

/// Commits rows that are each drive's own affair: heal, repair, garbage.
class SlotCommit final : public Commit {
 public:
  explicit SlotCommit(std::vector<SlotRows> slots) : slots_(std::move(slots)) {}

  /// A file of `slot` that becomes garbage with this commit.
  struct Waste {
    Slot slot = 0;
    std::string gc_value;
    std::array<std::byte, 16> file{};
  };
  void add_waste(Waste waste) { waste_.push_back(std::move(waste)); }

  void render(CommitSeq seq, Slot slot, RowBatch& rows) const override;
  [[nodiscard]] std::size_t bytes() const override;

 private:
  std::vector<SlotRows> slots_;
  std::vector<Waste> waste_;
};

}  // namespace mote::erasure
