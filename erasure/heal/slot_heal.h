#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/heal/mend_task.h"

namespace mote::erasure {

/// The heal of one drive: passes over all rows, comparing the target with a current drive in key
/// order; rows that differ, or whose shards do not verify, are made right under their locks. When a
/// whole pass found nothing wrong the index is flushed and the drive promoted. Whatever ends it, a
/// new one starts from the beginning and finds done what was done.
class SlotHeal : public std::enable_shared_from_this<SlotHeal> {
 public:
  SlotHeal(std::shared_ptr<SetContext> context, Slot slot);

  void start();
  /// Ends at the next step, or at once if it only waits.
  void cancel();
  /// Waits for its thread. Not from that thread.
  void join() { executor_->shutdown(); }
  [[nodiscard]] std::uint64_t keys_done() const { return keys_done_.load(); }
  [[nodiscard]] bool ended() const { return ended_.load(); }

 private:
  /// Where the pass is.
  struct Position {
    std::size_t family = 0;
    std::string next;  ///< first row not compared
  };
  /// What one look at a stretch of rows brings.
  struct Stretch {
    std::vector<DamagedRow> differing;
    std::string next;
    bool end = false;
  };

  void step();
  void begin_pass();
  Result<Stretch> compare(Family family, const std::string& from);
  Result<Stretch> compare_payloads(const std::string& from);
  [[nodiscard]] bool is_right(Family family, std::string_view key, std::string_view there,
                              std::string_view here);
  void mend(Stretch stretch);
  void mend_next(std::shared_ptr<Stretch> stretch, std::size_t at);
  void erase_payloads(Stretch stretch);
  void advance(Stretch stretch);
  void end_pass();
  void promote();
  void pause();
  void end();

  const std::shared_ptr<SetContext> context_;
  const Slot slot_;
  std::unique_ptr<Executor> executor_;
  std::optional<Gate::Ticket> ticket_;

  std::shared_ptr<const Members> members_;  // of the step in hand
  Position at_;
  CommitSeq floor_;
  std::uint32_t epoch_ = 0;  ///< of the pass; in another one the drive may be another
  std::size_t mended_ = 0;
  std::size_t waiting_ = 0;
  Scheduler::TimerId retry_ = 0;  ///< armed while it pauses
  std::atomic<std::uint64_t> keys_done_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace mote::erasure
