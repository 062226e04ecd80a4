#pragma once

#include <string_view>
#include <vector>

#include "erasure/log/log_reader.h"
#include "erasure/log/membership.h"
#include "erasure/meta/drive_state.h"

namespace mote::erasure {

/// What a start found in one slot.
enum class SlotCondition : std::uint8_t {
  absent,   ///< no drive, or it cannot be read (I/O error): never the same as "has nothing"
  blank,    ///< an adopted drive without a log: replaced, or a start was interrupted
  damaged,  ///< LogVerdict::damaged, or its index is gone
  readable,
};

/// Commits and configurations that one log holds of one epoch: first..last without a hole.
struct EpochRange {
  std::uint32_t epoch = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  friend bool operator==(const EpochRange&, const EpochRange&) = default;
};

/// Summary of one drive. A blank drive that nobody asked to adopt is absent.
struct SlotInput {
  SlotCondition condition = SlotCondition::absent;
  std::vector<EpochRange> entries;            ///< rising; cfg records count as entries
  std::vector<Configuration> configurations;  ///< in log order, the restated one too
  CommitSeq decided;                          ///< last decided mark
  CommitSeq applied;                          ///< persisted `applied` of the index
  std::uint32_t promise = 0;
};

/// Makes the summary for the drive in `slot`. `damaged` if the verdict says so, if an epoch has a
/// hole, or if the index cannot be the one that this log is in front of: `applied` lies before what
/// the log has recycled, or before what made the drive current; or if the index has rows and there
/// is no log. `blank` if no log was ever begun: no intact group, no damage, and an empty index.
SlotInput summarize(const LogContents& contents, CommitSeq applied, Slot slot);

struct RecoveryInput {
  SetGeometry geometry;
  std::vector<SlotInput> slots;  ///< k + m
  /// --accept-log-loss: where m = 0, go on from the intact beginning of a damaged log.
  bool accept_log_loss = false;
};

enum class RecoveryOutcome : std::uint8_t {
  serve,      ///< carry the plan out, then ready
  read_only,  ///< at least k, fewer than W: read, write nothing to any drive
  refuse,     ///< do not serve; the plan says why and which drives are missing
};

enum class Refusal : std::uint8_t {
  none,
  no_configuration,  ///< no present drive has a configuration that can have been in force
  too_few_drives,    ///< fewer than k members, or no current one, are present and intact
  undecodable,       ///< something may have been acknowledged and is on fewer than k present drives
  log_damaged,       ///< m = 0 and the log is damaged: see accept_log_loss
  contradiction,  ///< a decided mark lies above everything that can have been in force: more drives
                  ///< than m lost what they had
};
std::string_view to_string(Refusal refusal) noexcept;

/// What becomes of one slot.
struct SlotPlan {
  DriveState state = DriveState::offline;  ///< current, healing, offline
  /// Its log begins anew with promise and configuration (LogWriter::begin); heal from nothing. Else
  /// LogWriter::resume, and a healing drive goes on with its heal.
  bool fresh_log = false;
  /// A CURRENT or HEALING member that ended below other drives' marks or is damaged: why it lost
  /// its standing, for the log.
  bool lost_acknowledged = false;
};

/// What a start does, in this order; a crash anywhere in it changes nothing (storage.md 3.5):
///
/// 1. resume() the logs of all slots without fresh_log (what was read is durable then); append and
///    sync promise{new_epoch} there. Slots with fresh_log take no part in this step.
/// 2. Optional: apply a drive's own entries above its `applied` for which counts(), up to `floor`
///    and *not further*, since the next start takes a persisted `applied` as proof of a decision.
///    For a slot with fresh_log and a readable log it is that log's last use, and saves healing.
/// 3. Write and sync `configuration` on every slot that is not offline: append_group, or begin()
///    with {promise, configuration} where fresh_log. Decided mark of these groups: `floor`, not
///    `end`. When all of them are synced, `end` and the configuration are decided, not before.
/// 4. Apply, on every slot without fresh_log, its entries up to `end` for which counts(). Flush
///    all, recycle, serve. The first group of each drive then carries a mark >=
///    configuration.seq; write one without waiting for a commit.
///
/// read_only writes nothing: what lies between `applied` and `end` is served from memory.
struct RecoveryPlan {
  RecoveryOutcome outcome = RecoveryOutcome::refuse;
  Refusal refusal = Refusal::none;
  SlotSet missing;  ///< refuse, read_only: members that would help, absent or lost
  std::uint32_t new_epoch = 0;
  CommitSeq floor;              ///< decided before this start by what the drives say
  CommitSeq end;                ///< last sequence that counts: floor, or above it what is forwarded
  Configuration configuration;  ///< {new_epoch, 1}; outcome serve only
  std::vector<SlotPlan> slots;
  std::vector<CommitSeq> ends;  ///< last sequence that counts of each epoch known, newest first

  /// True if an entry of this number belongs to the set's history, false if it is void.
  [[nodiscard]] bool counts(CommitSeq seq) const;
};

/// Rules 1-4 of storage.md 3.5, pure. Terms:
/// - A drive *proves* if it is readable and not lost: lost is who ends (log or applied) below
/// another
///   drive's decided mark or persisted applied. A log that begins with a configuration proves
///   nothing about what lies before that one (a drive that joined).
/// - A configuration is *possible* if at least one of its members proves about it and all that do
/// hold
///   it. The newest possible epoch is the one in force.
/// - A sequence of that epoch may have been acknowledged if some possible configuration, its
/// governing
///   one or a later one, has it on all its proving members. A sequence of an earlier epoch counts
///   up to the `end` of the epoch in force. Everything at or below the highest mark counts anyway.
/// What is rolled forward is on every present drive that stays current or goes on healing, by
/// construction: nothing is copied between drives here. Whoever lacks it lost it or was away, and
/// heals.
/// If all k + m drives are there, some blank and the others with the first configuration and
/// nothing else, the first format was cut off behind its labels. A start flushes the indexes before
/// it serves, so nothing was ever acknowledged, and the plan begins the set with
/// first_configuration().
RecoveryPlan plan_recovery(const RecoveryInput& input);

}  // namespace mote::erasure
