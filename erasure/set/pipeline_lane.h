#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "erasure/base/clock.h"
#include "erasure/log/log_writer.h"
#include "erasure/log/membership.h"
#include "erasure/set/commit.h"
#include "erasure/set/open_drive.h"

namespace mote::erasure {

/// One number in the order of a set: a commit or a configuration record, from numbering to
/// acknowledgement.
struct Ticket {
  CommitSeq seq;
  std::shared_ptr<const Commit> commit;  ///< null: a configuration record
  Configuration configuration;           ///< meaningful without `commit`
  std::size_t bytes = 0;                 ///< what it counts to the bound of what is in flight
  Completion<CommitSeq> done;            ///< may be empty
};
using TicketPtr = std::shared_ptr<Ticket>;

/// The rows of one number on one drive: in its log, not yet in its index.
struct Redo {
  CommitSeq seq;
  std::string rows;
};

/// What the pipeline keeps for one slot. Guarded by the pipeline's mutex, but for `writer`, which
/// belongs to the drive's log executor.
struct Lane {
  std::shared_ptr<OpenDrive> drive;
  std::shared_ptr<LogWriter> writer;  ///< null until a joining drive's log has begun

  bool member = false;
  bool suspect = false;       ///< overdue or broken, and cannot be expelled: the set is frozen
  bool broken = false;        ///< its log or index is gone for good
  bool apply_broken = false;  ///< its index lacks decided commits and gets no more
  bool full = false;          ///< less than its reserve is free
  std::uint64_t life =
      0;  ///< moves when the drive leaves: late answers of an earlier life say nothing

  DriveState away_state = DriveState::offline;  ///< while it is no member
  Error reason;

  std::deque<TicketPtr> queue;  ///< to be logged
  bool logging = false;         ///< a log task is posted or runs
  bool mark_due = false;        ///< write a group although the queue is empty
  Clock::Steady log_since;
  CommitSeq logged;
  CommitSeq marked;  ///< last decided mark written

  std::deque<Redo> redo;  ///< logged, to be applied
  bool applying = false;
  Clock::Steady apply_since;
  CommitSeq apply_target;  ///< last of the apply that runs
  CommitSeq applied;

  bool flushing = false;
  bool preparing = false;  ///< the next log segment is being made
};

/// Completions that became due under the pipeline's mutex, to be run outside it.
class Outbox {
 public:
  void add(Completion<CommitSeq> done, Result<CommitSeq> result) {
    if (done) {
      due_.emplace_back(std::move(done), result);
    }
  }
  void add(Completion<void> done, Status result) {
    if (done) {
      statuses_.emplace_back(std::move(done), result);
    }
  }
  void add(Task task) { tasks_.push_back(std::move(task)); }
  /// Keeps something alive until the mutex is released.
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }
  void run() {
    for (auto& [done, result] : due_) {
      done(result);
    }
    for (auto& [done, result] : statuses_) {
      done(result);
    }
    for (Task& task : tasks_) {
      task();
    }
  }

 private:
  std::vector<std::pair<Completion<CommitSeq>, Result<CommitSeq>>> due_;
  std::vector<std::pair<Completion<void>, Status>> statuses_;
  std::vector<Task> tasks_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace mote::erasure
