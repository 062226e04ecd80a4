#pragma once

#include <memory>
#include <vector>

#include "erasure/set/set_context.h"

namespace mote::erasure {

/// Finds shard files that no row refers to: what a crash left between writing a file and committing
/// its row, and what garbage removal could not know (storage.md 3.6, INV-11). Runs once, `after`
/// the store was opened: a file that was there at the opening is then at least that old, and
/// nothing can begin to refer to it any more, for only files of open sinks and rows are ever
/// referred to. Found files go to the drive's quarantine. Waits while a drive of the set is away.
class OrphanScan : public std::enable_shared_from_this<OrphanScan> {
 public:
  OrphanScan(std::shared_ptr<SetContext> context, std::chrono::milliseconds after)
      : context_(std::move(context)), after_(after) {}

  /// Notes each drive's arrival directory, and comes back later. At open, before the first write.
  void start();

 private:
  void schedule(std::chrono::milliseconds delay);
  void scan();

  const std::shared_ptr<SetContext> context_;
  const std::chrono::milliseconds after_;
  struct Arrival {
    Uuid drive{};
    std::uint64_t dirno = 0;  ///< files in directories below were there at the opening
  };
  std::vector<Arrival> arrivals_;  ///< of the drives that were there
};

/// Quarantines the files of one drive in directories below `arrival` that its rows, under one
/// snapshot, do not refer to. Blocks. Returns how many. Errors: io_error, corrupt (then nothing was
/// moved).
Result<std::size_t> quarantine_orphans(Drive& drive, std::uint64_t arrival);

}  // namespace mote::erasure
