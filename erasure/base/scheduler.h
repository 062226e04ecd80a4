#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "erasure/base/event.h"
#include "erasure/base/unique_function.h"

namespace mote {

/// Runs tasks in the order they were posted. `post` is thread-safe, never runs the task inside the
/// call, and after shutdown() drops it (the dropped task is destroyed, not run).
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void post(Task task) = 0;
  /// Runs what is queued, refuses what comes later, and returns when the last task has returned. A
  /// hung task makes it wait: callers that must not hang give up on the drive instead of calling
  /// this.
  virtual void shutdown() = 0;
};

/// Where all engine threads and timers come from. The product uses ThreadScheduler; tests use a
/// seeded single-threaded one that interleaves executors and owns the clock, so that a seed replays
/// a run.
class Scheduler {
 public:
  using TimerId = std::uint64_t;

  virtual ~Scheduler() = default;
  /// An executor whose tasks run one at a time, in order. `name` shows in ps and in logs.
  virtual std::unique_ptr<Executor> make_serial(std::string_view name) = 0;
  /// An executor that starts tasks in order on up to `threads` threads.
  virtual std::unique_ptr<Executor> make_pool(std::string_view name, std::size_t threads) = 0;
  /// Runs `task` once, on a timer thread, not before `delay` has passed; it must be short and may
  /// post.
  virtual TimerId after(std::chrono::milliseconds delay, Task task) = 0;
  /// True if the timer had not started; false if it ran, runs, or was cancelled before.
  virtual bool cancel(TimerId id) = 0;
  /// Blocks the calling thread, which runs none of this scheduler's tasks, until `event` is set;
  /// false if `limit` passed first. A simulated scheduler runs its tasks and moves its clock
  /// meanwhile.
  virtual bool wait(Event& event, std::chrono::milliseconds limit) { return event.wait_for(limit); }
};

}  // namespace mote
