#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "erasure/set/set_context.h"

namespace mote::erasure {

/// Removes what nothing refers to (storage.md 3.6, INV-11): shard files named by gc rows, once no
/// drive of the set is away, every member has applied the commit that replaced them, a grace has
/// passed and no reader has them pinned; and tombstones. Works in rounds of a bounded size on the
/// drives' read threads.
class GarbageCollector : public std::enable_shared_from_this<GarbageCollector> {
 public:
  explicit GarbageCollector(std::shared_ptr<SetContext> context) : context_(std::move(context)) {}

  /// Starts the rounds; they end with the gate.
  void start();
  /// One round now; `done` with the number of files removed. Not while another runs.
  void run_round(Completion<std::size_t> done);

 private:
  struct Removed {
    std::vector<std::string> rows;
  };
  static constexpr std::size_t kFilesPerRound = 1024;  // per drive

  void schedule();
  [[nodiscard]] CommitSeq ripe();
  void sweep_files(CommitSeq limit, Gate::Ticket ticket, Completion<std::size_t> done);
  void commit_rows(std::vector<Result<Removed>> removed, Gate::Ticket ticket,
                   Completion<std::size_t> done);
  void purge_tombstones();
  void purge(const std::string& row);

  const std::shared_ptr<SetContext> context_;
  std::mutex mutex_;
  std::deque<std::pair<Clock::Steady, CommitSeq>> ages_;  // what was applied everywhere, and when
};

}  // namespace mote::erasure
