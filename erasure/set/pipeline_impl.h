#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "erasure/log/decision.h"
#include "erasure/set/commit_pipeline.h"
#include "erasure/set/pipeline_lane.h"

namespace mote::erasure {

/// A drive as recovery hands it to the pipeline.
struct Seat {
  std::shared_ptr<OpenDrive> drive;   ///< null: nothing to read there
  std::unique_ptr<LogWriter> writer;  ///< of members
  DriveState state = DriveState::offline;
  Error reason;
};

/// Where the pipeline starts: `configuration` is synced on all its members, everything before it is
/// in their indexes.
struct PipelineStart {
  Configuration configuration;
  std::vector<Seat> seats;  ///< k + m
  bool read_only = false;
};

/// The pipeline's state and its steps. Methods named *_locked REQUIRE mutex_. Tasks and timers hold
/// it by shared_ptr, so that the late answer of a hung drive finds it.
///
/// The life of a commit: submit() numbers it and puts it into every member's queue → run_log()
/// writes and syncs it with whatever else is queued → on_logged() tells the DecisionTracker →
/// decided: run_apply() on every member, on the list drive last → settle_locked() completes it.
class CommitPipeline::Impl : public std::enable_shared_from_this<CommitPipeline::Impl> {
 public:
  /// Publishes its members to `live` from now on.
  Impl(const PipelineContext& context, const SetOptions& options, PipelineStart start,
       std::shared_ptr<LiveMembers> live);

  // commit_pipeline.cc: order and acknowledgement.
  void submit(std::shared_ptr<const Commit> commit, Completion<CommitSeq> done);
  [[nodiscard]] CommitSeq applied_everywhere() const;
  [[nodiscard]] PipelineStats stats() const;
  [[nodiscard]] std::shared_ptr<const Members> members() const { return live_->load(); }

  // pipeline_membership.cc, pipeline_join.cc: who takes part.
  void report_failure(Slot slot, Error error);
  void report_no_space(Slot slot);
  void admit(Slot slot, std::shared_ptr<OpenDrive> drive, Completion<void> done);
  void promote(Slot slot, std::uint32_t epoch, Completion<void> done);

  // For DriveSet.
  struct SlotView {
    bool member = false;
    bool full = false;
    DriveState state = DriveState::offline;
    Error reason;
    std::shared_ptr<OpenDrive> drive;
  };
  [[nodiscard]] SlotView view(Slot slot) const;
  /// The drive is gone or useless for writes, whatever its open handles say: it is expelled, or the
  /// set stops writing.
  void condemn(Slot slot, Error error);
  /// The drive's background check found it short of space, or not any more.
  void set_full(Slot slot, bool full);
  /// Lets go of the drive of a slot that is no member, and says why it is away.
  void detach(Slot slot, Error reason);
  /// Refuses new commits, ends the ones in flight, writes decided marks, flushes; then `done`,
  /// once. Drives that do not answer are not waited for longer than the caller waits for `done`.
  void stop(Completion<void> done);
  /// Completes what is in doubt with timed_out and lets go of all drives. After it nothing runs but
  /// late answers.
  void abandon();

  // pipeline_stop.cc: how one pipeline follows another (drive_restart.cc).
  /// It decides nothing any more: too few drives when the set was opened, or one below W broke.
  [[nodiscard]] bool is_stuck() const;
  /// REQUIRES is_stuck(). If nothing runs on these drives and nothing waits to be applied, keeps it
  /// so from now on, so that a recovery can have them; else false. Readers stay.
  [[nodiscard]] bool hold(SlotSet slots);
  /// Another pipeline has the drives and the members now: as abandon(), without a word to readers.
  void retire();

 private:
  using Lock = std::lock_guard<std::mutex>;

  // commit_pipeline.cc
  [[nodiscard]] Status admissible_locked(const Commit& commit) const;
  void enqueue_locked(std::shared_ptr<const Commit> commit, Completion<CommitSeq> done,
                      Outbox& out);
  void enqueue_configuration_locked(const Configuration& configuration, Completion<CommitSeq> done);
  void to_members_locked(const TicketPtr& ticket);
  void settle_locked(Outbox& out);
  void acknowledge_locked(Outbox& out);
  [[nodiscard]] CommitSeq applied_by_all_locked() const;
  /// Up to where commits are decided and may be shown.
  [[nodiscard]] CommitSeq decided_locked() const {
    return dead_ ? std::min(last_applicable_, tracker_.decided()) : tracker_.decided();
  }

  // pipeline_log.cc
  struct Group {
    std::vector<TicketPtr> tickets;
    CommitSeq decided;
    bool begin = false;  ///< the lane's log begins with the first ticket
  };
  void kick_log_locked(Lane& lane);
  Group take_group_locked(Lane& lane);
  void run_log(Slot slot, std::uint64_t life, const std::shared_ptr<OpenDrive>& drive,
               std::shared_ptr<LogWriter> writer);
  Status write_group(Slot slot, OpenDrive& drive, std::shared_ptr<LogWriter>& writer,
                     const Group& group, std::vector<Redo>& redo);
  void on_logged(Slot slot, std::uint64_t life, const Group& group, std::vector<Redo> redo,
                 std::shared_ptr<LogWriter> writer);
  void tend_log(Slot slot, const std::shared_ptr<OpenDrive>& drive,
                const std::shared_ptr<LogWriter>& writer);
  void flush(Slot slot, const std::shared_ptr<OpenDrive>& drive,
             const std::shared_ptr<LogWriter>& writer);
  void arm_idle_marks_locked();
  void on_idle_timer();
  void write_marks_locked();

  // pipeline_apply.cc
  void kick_apply_locked(Slot slot);
  void kick_applies_locked();
  [[nodiscard]] CommitSeq apply_limit_locked(Slot slot) const;
  void run_apply(Slot slot, std::uint64_t life, const std::shared_ptr<OpenDrive>& drive);

  // pipeline_membership.cc
  void fail_lane_locked(Slot slot, Error error, bool hard, Outbox& out);
  [[nodiscard]] bool may_leave_locked(Slot slot) const;
  void leave_locked(Lane& lane, Error error, Outbox& out);
  bool expel_locked(Slot slot, Error error, Outbox& out);
  void freeze_locked(Slot slot, Error error, bool hard, Outbox& out);
  void lose_locked(Slot slot, Error error, Outbox& out);
  void answered_locked(Slot slot, Outbox& out);

  // pipeline_members.cc: what readers see.
  [[nodiscard]] SlotMask readable_current_locked() const;
  [[nodiscard]] Member describe_locked(Slot slot, SlotMask current) const;
  void choose_list_slot_locked();
  [[nodiscard]] bool list_slot_ready_locked() const;
  void publish_locked(Outbox& out);

  // pipeline_join.cc
  void try_join_locked(Outbox& out);
  void abort_join_locked(Error error, Outbox& out);
  void release_held_locked(Outbox& out);
  void finish_join(Slot slot, std::uint64_t life, Completion<void> done, Result<CommitSeq> result);

  // pipeline_watchdog.cc
  void arm_watchdog_locked();
  void on_watchdog();

  // pipeline_stop.cc
  void fail_in_doubt_locked(Error error, Outbox& out);
  void end_locked(Outbox& out);
  void try_stop_locked(Outbox& out);
  void flush_for_stop_locked(Outbox& out);
  void flush_for_stop(OpenDrive& drive);

  void reach(CrashPoint point) const {
    if (context_.crash_points != nullptr) {
      context_.crash_points->reach(point);
    }
  }
  [[nodiscard]] Slot slots() const noexcept { return options_.drives(); }
  [[nodiscard]] bool is_bug(SetBug bug) const noexcept { return options_.bug == bug; }

  const PipelineContext context_;
  const SetOptions options_;
  const std::uint64_t group_bytes_max_;  ///< also what a segment of the log can take
  const std::shared_ptr<LiveMembers> live_;

  mutable std::mutex mutex_;
  DecisionTracker tracker_;
  std::array<Lane, kSlotsMax> lanes_;
  std::deque<TicketPtr> in_flight_;  ///< numbered and not acknowledged, in order
  std::uint64_t in_flight_bytes_ = 0;

  struct Held {
    std::shared_ptr<const Commit> commit;
    Completion<CommitSeq> done;
  };
  struct Joining {
    Slot slot = 0;
    std::shared_ptr<OpenDrive> drive;
    Completion<void> done;
  };
  std::deque<Joining> joining_;  ///< one after the other, each when all that is numbered is decided
  std::deque<Held> held_;        ///< meanwhile not numbered
  std::uint64_t held_bytes_ = 0;

  std::optional<Slot> list_slot_;
  CommitSeq published_;  ///< configuration of the published Members
  bool publish_due_ =
      false;  ///< the published Members are behind; nothing is acknowledged meanwhile
  bool frozen_ = false;
  CommitSeq last_applicable_;  ///< once dead: what is decided later was already given up
  bool dead_ = false;  ///< a drive below W broke for good: this pipeline decides nothing any more
  bool held_up_ = false;  ///< hold(): no task is started
  bool retired_ = false;  ///< retire(): what it knows is history
  const bool read_only_;

  SlotSet ghosts_;  ///< SetBug::expel_without_cfg: left, and counted as if they had everything

  bool watchdog_armed_ = false;
  bool idle_armed_ = false;
  Clock::Steady last_decision_;

  bool stopping_ = false;
  bool final_marks_ = false;
  std::size_t final_flushes_ = 0;
  Completion<void> stopped_;
  PipelineStats stats_;
};

}  // namespace mote::erasure
