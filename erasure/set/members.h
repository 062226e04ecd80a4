#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "erasure/base/error.h"
#include "erasure/meta/commit_seq.h"
#include "erasure/meta/drive_state.h"
#include "erasure/set/commit.h"

namespace mote::erasure {

class Drive;

/// One slot of a set as it is now.
struct Member {
  DriveState state = DriveState::offline;
  /// Set when the drive may be read (current, healing, faulty); null when it is offline. Whoever
  /// keeps the Members keeps the drive: a drive is closed, and may come back, only after its last
  /// user let go.
  std::shared_ptr<Drive> drive;
  Error reason;  ///< why it is not current; meaningless when it is
};

/// Who takes part in a set at one moment: an immutable snapshot. Take one per operation
/// (LiveMembers::load) and use it to the end; it may be one expulsion behind, never behind an
/// acknowledged write.
struct Members {
  std::uint8_t k = 1;
  std::uint8_t m = 0;
  /// Number of the configuration record that governs.
  CommitSeq configuration;
  std::vector<Member> slots;  ///< k + m of them
  SlotMask current = 0;       ///< drives in state current: heads and "not there" are trusted
  SlotMask healing = 0;       ///< drives that take commits and are not yet trusted
  /// The current drive that applies every commit last: what it shows, every member has. HEAD and
  /// LIST read it. Empty while no drive is current.
  std::optional<Slot> list_slot;
  /// No write can be decided now (fewer than W answer): readers get the last decided state and
  /// cache nothing.
  bool frozen = false;
  /// Opened with at least k but fewer than W drives: nothing is written until the set is opened
  /// again.
  bool read_only = false;
  /// Fewer than W members have room: only commits that free space are taken, the rest get no_space.
  bool full = false;

  [[nodiscard]] SlotMask writers() const noexcept {
    return static_cast<SlotMask>(current | healing);
  }
  /// Nothing is away, nothing is healing: the condition for removing garbage (INV-11).
  [[nodiscard]] bool complete() const noexcept {
    return current == static_cast<SlotMask>((SlotMask{1} << slots.size()) - 1) && !frozen &&
           !read_only;
  }
  [[nodiscard]] bool is_current(Slot slot) const noexcept { return ((current >> slot) & 1U) != 0; }
};

/// The published Members. load() copies one pointer under a lock held for that long.
class LiveMembers {
 public:
  [[nodiscard]] std::shared_ptr<const Members> load() const {
    const std::lock_guard lock(mutex_);
    return members_;
  }
  void store(std::shared_ptr<const Members> members) {
    // The old snapshot dies outside the lock: it may be the last user of a drive.
    const std::lock_guard lock(mutex_);
    members_.swap(members);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Members> members_ = std::make_shared<const Members>();
};

}  // namespace mote::erasure
