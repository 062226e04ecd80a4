#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "erasure/set/set_context.h"

namespace mote::erasure {

/// Verified shards of one stripe, by shard index; empty where not obtained.
using ShardArray = std::array<Slice, kShardsMax>;

/// A drive whose shard could not be used, and why: corrupt and no_such_file mean damage.
struct SlotFailure {
  Slot slot = 0;
  Errc code = Errc::drive_failed;
};

/// Collects enough shards of one stripe: the wanted ones if they answer, any k otherwise. Asks as
/// few drives as it can, one more for each that fails, does not verify or is slow (INV-3,
/// storage.md 5).
class ShardGather : public std::enable_shared_from_this<ShardGather> {
 public:
  /// Gets the verified shard of a slot. Called outside any lock, answers on any thread.
  using Fetch = std::function<void(Slot, Completion<Slice>)>;
  /// Error: corrupt if damage alone leaves fewer than k shards, read_quorum if drives are missing
  /// too.
  using Done = UniqueFunction<void(Result<ShardArray>, std::vector<SlotFailure>)>;

  struct Plan {
    std::uint8_t start = 0;    ///< rotation of the record
    std::uint16_t wanted = 0;  ///< one bit per shard index: enough if all of them come
    std::shared_ptr<const Members> members;
  };

  ShardGather(SetContext& context, Plan plan, Fetch fetch, Done done);
  void start();

 private:
  [[nodiscard]] bool complete() const noexcept;
  /// Slots to ask so that what is obtained, and what may still come in time, is enough.
  [[nodiscard]] std::vector<Slot> next_slots();
  void ask(const std::vector<Slot>& slots);
  void answer(Slot slot, Result<Slice> shard);
  void hedge();
  void arm();
  void finish(std::unique_lock<std::mutex> lock, Result<ShardArray> result);
  [[nodiscard]] Error failure() const;
  [[nodiscard]] unsigned shard_of(Slot slot) const noexcept;

  SetContext& context_;
  const Plan plan_;
  const Fetch fetch_;
  std::mutex mutex_;
  Done done_;
  std::vector<Slot> order_;  // wanted shards first, then trusted drives, then the others
  std::size_t asked_ = 0;
  unsigned obtained_ = 0;
  unsigned slow_ = 0;     // asked drives that the hedge no longer counts on
  unsigned waiting_ = 0;  // asked and not answered
  bool need_any_k_ = false;
  std::uint16_t have_ = 0;
  ShardArray shards_;
  std::vector<SlotFailure> failures_;
  Scheduler::TimerId timer_ = 0;
};

/// True if the failure means that a copy is damaged, rather than out of reach.
[[nodiscard]] inline bool is_damage(Errc code) noexcept {
  return code == Errc::corrupt || code == Errc::no_such_file;
}

}  // namespace mote::erasure
