#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "erasure/set/set_context.h"

namespace mote::erasure {

class SlotHeal;

/// Heals drives that have joined as healing members, each on a thread of its own (storage.md 3.6),
/// and promotes them. Thread-safe.
class Healer : public std::enable_shared_from_this<Healer> {
 public:
  explicit Healer(std::shared_ptr<SetContext> context);
  ~Healer();

  /// The drive in `slot` is a healing member. Remembered until start(); a heal of the slot that is
  /// still under way begins anew.
  void heal(Slot slot);
  void start();
  /// Ends all heals where they are; what they have done stays done.
  void stop();
  /// Rows compared since the heal of this slot began.
  [[nodiscard]] std::uint64_t keys_done(Slot slot) const;

 private:
  const std::weak_ptr<SetContext> context_;
  Scheduler& scheduler_;
  mutable std::mutex mutex_;
  void bury_locked();

  std::array<std::shared_ptr<SlotHeal>, kShardsMax> heals_;
  std::vector<std::shared_ptr<SlotHeal>> graveyard_;  // heals whose own threads may still hold them
  std::vector<Slot> early_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace mote::erasure
