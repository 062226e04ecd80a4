#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "erasure/base/clock.h"
#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "erasure/io/crash_point.h"
#include "erasure/set/commit.h"
#include "erasure/set/members.h"
#include "erasure/set/set_options.h"

namespace mote::erasure {

/// Counters since the set was opened.
struct PipelineStats {
  std::uint64_t commits = 0;     ///< acknowledged
  std::uint64_t log_groups = 0;  ///< groups synced, over all drives
  std::uint64_t expelled = 0;    ///< drives taken out by a configuration record
};

/// What the pipeline runs on; all of it outlives the pipeline.
struct PipelineContext {
  Scheduler& scheduler;
  Clock& clock;
  Rng& rng;
  CrashPoints* crash_points = nullptr;  ///< null: none
};

/// The commit function of one set (INV-1, INV-6, INV-8; storage.md 3.4): gives every commit its
/// number, queues it to all members in one step, decides it when all of them have synced it under
/// the configuration that governs, applies decided commits on every member and only then completes
/// them. It also owns who is a member: drives that fail or hang are expelled by a configuration
/// record, never below W; drives join as healing and are promoted.
///
/// Thread-safe. One mutex, held for queue operations only: rendering, log writes and applies run on
/// the drives' own executors. Completions run on those too, outside the mutex.
class CommitPipeline final : public CommitSink {
 public:
  ~CommitPipeline() override;
  CommitPipeline(const CommitPipeline&) = delete;
  CommitPipeline& operator=(const CommitPipeline&) = delete;

  /// CommitSink. Besides the errors named there: timed_out or io_error when the commit is in the
  /// logs and this process can no more decide it (the set is being closed while it is frozen, or a
  /// drive below W broke): the outcome is settled, once, when the set is opened again.
  void submit(std::shared_ptr<const Commit> commit, Completion<CommitSeq> done) override;

  [[nodiscard]] std::shared_ptr<const Members> members() const;

  /// A shard write, shard sync or read-back by an operation failed or timed out on `slot`: expels
  /// the drive if at least W members remain. Otherwise it stays a member, and the operation's own
  /// commit must leave it out of Commit::holders(). Reads that do not verify are no reason to call
  /// this (repair instead).
  void report_failure(Slot slot, Error error);
  /// The drive has less than its reserve left: it becomes faulty if at least W members remain, else
  /// the set is full.
  void report_no_space(Slot slot);

  /// Every commit up to here is in the index of every member: the sequence floor of heal and
  /// garbage collection.
  [[nodiscard]] CommitSeq applied_everywhere() const;
  [[nodiscard]] PipelineStats stats() const;

  /// Makes a healing member current; the caller has made everything on it complete and durable.
  /// `done` after the record is decided and the drive serves. Errors: invalid_argument (it is not
  /// healing any more, or the set was started anew since `epoch`, that of
  /// Members::configuration when the heal began), write_quorum, drive_failed (it broke on the way),
  /// shutting_down.
  void promote(Slot slot, std::uint32_t epoch, Completion<void> done);

 private:
  friend class DriveSet;
  class Impl;
  CommitPipeline(std::shared_ptr<Impl> impl, std::shared_ptr<const LiveMembers> live);
  [[nodiscard]] std::shared_ptr<Impl> impl() const;
  /// What is submitted from now on goes there.
  void replace(std::shared_ptr<Impl> impl);

  const std::shared_ptr<const LiveMembers> live_;
  mutable std::mutex mutex_;
  std::shared_ptr<Impl> impl_;
};

}  // namespace mote::erasure
