#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "erasure/heal/mender.h"
#include "erasure/set/repair_sink.h"

namespace mote::erasure {

struct MendReport {
  std::size_t mended = 0;
  std::size_t lost = 0;
  std::size_t waiting = 0;
};

/// Makes a few rows right on some drives: takes their locks, looks again, repairs, commits,
/// unlocks. The looking blocks and runs on `executor`. Errors: read_quorum, and those of a commit.
class MendTask : public std::enable_shared_from_this<MendTask> {
 public:
  using Targets = std::function<SlotMask(const Members&)>;

  MendTask(std::shared_ptr<SetContext> context, Executor& executor, std::vector<DamagedRow> rows,
           Targets targets, Completion<MendReport> done);
  void start();

 private:
  void on_locked(KeyLocks::Held locks);
  void work();
  void finish(Result<MendReport> result);

  const std::shared_ptr<SetContext> context_;
  Executor& executor_;
  const std::vector<DamagedRow> rows_;
  const Targets targets_;
  Completion<MendReport> done_;
  KeyLocks::Held locks_;
  std::shared_ptr<const Members> members_;
};

}  // namespace mote::erasure
