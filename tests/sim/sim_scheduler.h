#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "erasure/base/rng.h"
#include "erasure/base/scheduler.h"
#include "tests/sim/sim_clock.h"

namespace mote::sim {

/// The Scheduler of simulated runs: every executor's queue and every timer in one place, run by the
/// thread that calls run_*(). At each step the seed picks one of the executors that have work (and,
/// of a pool, one of its first `threads` tasks) or a timer that is due. Tasks run to completion, so
/// they must not wait for one another. Time stands still while anything can run and then jumps to
/// the next timer.
///
/// post(), after() and cancel() are safe from any thread (RocksDB's listeners); a run that takes
/// posts from foreign threads is no longer replayed by its seed alone.
///
/// Executor::shutdown() runs that executor's queue dry, in the calling thread, and refuses what
/// comes later, as the product's does. Called from one of its own tasks or on a held executor it
/// stops the process: the product's would never return. Destroying an executor shuts it down; a
/// held one is dropped instead. The scheduler outlives its executors.
class SimScheduler final : public Scheduler {
 public:
  explicit SimScheduler(std::uint64_t seed);
  ~SimScheduler() override;
  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  std::unique_ptr<Executor> make_serial(std::string_view name) override;
  std::unique_ptr<Executor> make_pool(std::string_view name, std::size_t threads) override;
  TimerId after(std::chrono::milliseconds delay, Task task) override;
  bool cancel(TimerId id) override;
  /// run_until() the event is set. Also false when nothing is left to run.
  bool wait(Event& event, std::chrono::milliseconds limit) override;

  SimClock& clock() { return clock_; }

  /// Runs one task or due timer; false if there is none. Never moves the clock.
  bool step();
  /// Steps until nothing can run without moving the clock. Returns the number of steps.
  std::size_t run_until_idle();
  /// Steps, and moves the clock from timer to timer, until `done()` is true. False if nothing is
  /// left to run or if `limit` of simulated time has passed.
  bool run_until(const std::function<bool()>& done,
                 std::chrono::milliseconds limit = std::chrono::hours(1));
  /// Lets exactly `span` of simulated time pass, running what falls due.
  void run_for(std::chrono::milliseconds span);

  /// A power cut: every queued task and timer is destroyed and not run, and what their destructors
  /// post is destroyed too. Executors can be used again afterwards.
  void drop_all();

  /// Executors whose name starts with `prefix`, now and later, do not run: a hung drive. Tasks
  /// queue up.
  void hold(std::string_view prefix);
  void release(std::string_view prefix);

  /// How long, in real time, to wait for a post from a foreign thread before moving the clock or
  /// calling a run finished. 0 (the start value) for runs without foreign threads.
  void wait_for_foreign_posts(std::chrono::milliseconds real_time);

  /// Tasks queued and not started.
  [[nodiscard]] std::size_t queued() const;
  /// A hash over the choices made so far: equal for two runs with one seed and one program.
  [[nodiscard]] std::uint64_t trace_hash() const;

 private:
  class SimExecutor;
  struct Queue;
  using TimerKey = std::pair<std::int64_t, TimerId>;  // due, id

  /// Something that can run now: an executor, or (null) the first timer.
  bool pick(Task& task, Queue*& from);
  void run_picked(Task task, Queue* from);
  bool jump_to_next_timer(std::int64_t latest_ms);
  bool wait_for_post();
  [[nodiscard]] bool is_held(const std::string& name) const;
  void post(Queue& queue, Task task);
  void shut_down(Queue& queue);
  void forget(const Queue& queue);

  SimClock clock_;
  SeededRng rng_;
  mutable std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<std::shared_ptr<Queue>> queues_;  // in order of making, so that a seed means the same
  std::map<TimerKey, Task> timers_;
  std::map<TimerId, std::int64_t> due_;
  TimerId next_timer_ = 1;
  std::vector<std::string> held_;
  std::chrono::milliseconds foreign_wait_{0};
  std::uint64_t posts_ = 0;
  std::uint64_t trace_hash_ = 0;
};

}  // namespace mote::sim
