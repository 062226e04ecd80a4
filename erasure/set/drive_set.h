#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "erasure/drive/index_rocksdb.h"
#include "erasure/io/crash_point.h"
#include "erasure/io/vfs.h"
#include "erasure/set/commit_pipeline.h"
#include "erasure/set/members.h"
#include "erasure/set/set_options.h"
#include "erasure/store.h"

namespace mote::erasure {

/// What a set lives in; everything outlives it.
struct SetEnvironment {
  Vfs& vfs;
  Scheduler& scheduler;
  Clock& clock;
  Rng& rng;
  const IndexResources& index_resources;  ///< shared by all sets of the process
  CrashPoints* crash_points = nullptr;    ///< null: none
};

/// Called on an engine thread each time a slot has become a healing member: at open, after a drive
/// came back, after replace(). It starts the heal of that slot and returns; the heal ends with
/// CommitPipeline::promote().
using HealStarter = UniqueFunction<void(Slot)>;

struct SetHooks {
  HealStarter start_heal;
  /// Called on an engine thread when a set that could not write has been recovered while it runs:
  /// commits that were in doubt are settled, readers see the result, and no write is taken until
  /// this returns. Whatever is remembered of the set's rows has to be read again.
  UniqueFunction<void()> restarted;

  SetHooks() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a heal alone will do
  template <class Heal>
  requires(!std::is_same_v<std::remove_cvref_t<Heal>, SetHooks>) SetHooks(Heal&& heal)
      : start_heal(std::forward<Heal>(heal)) {}
};

/// One erasure set of local drives: their identity, their logs, the commit pipeline over them and
/// the watch that keeps their states true (storage.md 3.1, 3.3-3.6). Thread-safe unless said
/// otherwise.
class DriveSet {
 public:
  /// Formats blank directories as the k + m drives of a new deployment, in this order. Directories
  /// are created when they are missing. Also finishes a first format that a crash cut short (no
  /// drive has data). Blocks. Errors: already_exists (a drive is formatted and in use: use open),
  /// wrong_drive (holds foreign data), io_error.
  static Status format(const SetEnvironment& environment, const SetOptions& options,
                       const std::vector<std::string>& paths);

  /// Opens formatted drives in any order, recovers (nothing is served before), and starts the
  /// watch. Drives that are blank, missing or not mounted are absent. `options.k` and `.m` must fit
  /// the labels. Blocks; call from a thread that runs nothing of the scheduler. `start_heal` may be
  /// called from within. Errors: no_such_file (no drive is formatted), wrong_drive, drive_locked,
  /// unsupported, read_quorum (fewer than k can answer, or what may have been acknowledged cannot
  /// be decoded from those present), corrupt. `problem`, if not null, gets a sentence that names
  /// the drives.
  static Result<std::unique_ptr<DriveSet>> open(const SetEnvironment& environment,
                                                const SetOptions& options,
                                                const std::vector<std::string>& paths,
                                                SetHooks hooks, std::string* problem);

  ~DriveSet();
  DriveSet(const DriveSet&) = delete;
  DriveSet& operator=(const DriveSet&) = delete;

  [[nodiscard]] const SetOptions& options() const noexcept;
  [[nodiscard]] std::shared_ptr<const Members> members() const;
  /// Where every write of this set goes, and where failures of drives are reported.
  [[nodiscard]] CommitPipeline& pipeline() noexcept;
  /// Random, the same on all drives, from the first format.
  [[nodiscard]] std::array<std::byte, 16> deployment() const noexcept;

  /// Formats the blank directory `path` as a drive of this set and admits it as healing. It takes
  /// the slot of the drive that was at `path`, else of one that is away and in none of the known
  /// places. Errors: invalid_argument (that drive is a member, or none is away for good),
  /// wrong_drive (not blank), ...
  void replace(const std::string& path, Completion<void> done);

  /// Appends this set's drives to `status.drives`, and adds to its counters and flags.
  void add_status(StoreStatus& status) const;

  /// Takes no more commits (shutting_down), waits for those in flight, writes decided marks,
  /// flushes, releases the drives. Commits in doubt of a frozen set end with timed_out. A hung
  /// drive is given up. Blocks; once; from a thread that runs no completion of this set.
  void close();

 private:
  class Impl;
  explicit DriveSet(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace mote::erasure
