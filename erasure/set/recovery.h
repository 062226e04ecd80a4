#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/base/rng.h"
#include "erasure/io/crash_point.h"
#include "erasure/log/recovery.h"
#include "erasure/set/open_drive.h"
#include "erasure/set/pipeline_impl.h"
#include "erasure/set/set_options.h"

namespace mote::erasure {

/// What recovery works with; outlives the call.
struct RecoveryContext {
  Rng& rng;
  const SetOptions& options;
  CrashPoints* crash_points = nullptr;
  /// Leaves everything as it is unless the set comes to take writes: for a set that is read on
  /// meanwhile.
  bool only_to_write = false;
  /// A slot without a drive that is to get a blank one if the set can take writes then;
  /// `make_blank` makes it.
  std::optional<Slot> blank_slot;
  std::function<Result<std::shared_ptr<OpenDrive>>()> make_blank;
};

/// A drive at start, before anybody knows what it is worth.
struct Arrival {
  std::shared_ptr<OpenDrive> drive;  ///< null: absent
  std::string name;                  ///< its path, for messages
  Error reason;                      ///< why it is absent
};

/// Brings a set to the one state that everything acknowledged is part of (storage.md 3.5, INV-6):
/// reads all logs, plans by the pure rules of log/recovery.h, promises a new epoch, replays what
/// counts into the indexes, writes the configuration of the new epoch and flushes. Nothing may be
/// served before it returns. A drive that fails on the way is taken for absent and everything
/// starts over; a crash anywhere changes nothing.
///
/// Blocks, on the calling thread; nothing else writes to the drives. What is forwarded is applied
/// after the new configuration is on all of them, so that whoever still reads sees it only then.
/// Work is bounded by the logs, not by the objects. With at least k and fewer than W drives the
/// start is read-only: rows go into memory, nothing to the drives. Errors: read_quorum and corrupt
/// (refused); `problem` then names the drives.
Result<PipelineStart> recover(const RecoveryContext& context, std::vector<Arrival> arrivals,
                              std::string& problem);

}  // namespace mote::erasure
