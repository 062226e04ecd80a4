#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "erasure/base/scheduler.h"

namespace mote {

/// Executors on real threads and one timer thread. Outlives every executor it made.
class ThreadScheduler final : public Scheduler {
 public:
  ThreadScheduler();
  ~ThreadScheduler() override;
  ThreadScheduler(const ThreadScheduler&) = delete;
  ThreadScheduler& operator=(const ThreadScheduler&) = delete;

  std::unique_ptr<Executor> make_serial(std::string_view name) override;
  std::unique_ptr<Executor> make_pool(std::string_view name, std::size_t threads) override;
  TimerId after(std::chrono::milliseconds delay, Task task) override;
  bool cancel(TimerId id) override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  void run_timers();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::pair<Time, TimerId>, Task> timers_;  // by due time
  std::map<TimerId, Time> due_;
  TimerId next_id_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace mote
