#include "erasure/base/thread_scheduler.h"

#include <pthread.h>

#include <deque>
#include <string>
#include <vector>

namespace mote {
namespace {

/// One queue, `threads` workers.
class PoolExecutor final : public Executor {
 public:
  PoolExecutor(std::string_view name, std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      workers_.emplace_back([this] { run(); });
      // pthread names hold 15 characters.
      pthread_setname_np(workers_.back().native_handle(), std::string(name.substr(0, 15)).c_str());
    }
  }
  ~PoolExecutor() override { PoolExecutor::shutdown(); }
  PoolExecutor(const PoolExecutor&) = delete;
  PoolExecutor& operator=(const PoolExecutor&) = delete;

  void post(Task task) override {
    // Under the lock: the task may be what lets another thread destroy this executor.
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      queue_.push_back(std::move(task));
      wake_.notify_one();
    }
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) {
      if (worker.joinable()) {
        worker.join();
      }
    }
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) {
        return;
      }
      Task task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      task();
      task = {};
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

ThreadScheduler::ThreadScheduler() : thread_([this] { run_timers(); }) {
  pthread_setname_np(thread_.native_handle(), "mote-timer");
}

ThreadScheduler::~ThreadScheduler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::unique_ptr<Executor> ThreadScheduler::make_serial(std::string_view name) {
  return std::make_unique<PoolExecutor>(name, 1);
}

std::unique_ptr<Executor> ThreadScheduler::make_pool(std::string_view name, std::size_t threads) {
  return std::make_unique<PoolExecutor>(name, threads);
}

Scheduler::TimerId ThreadScheduler::after(std::chrono::milliseconds delay, Task task) {
  const Time due = std::chrono::steady_clock::now() + delay;
  TimerId id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_id_++;
    timers_.emplace(std::pair(due, id), std::move(task));
    due_.emplace(id, due);
  }
  wake_.notify_one();
  return id;
}

bool ThreadScheduler::cancel(TimerId id) {
  Task task;  // destroyed outside the lock: what it holds may call the scheduler
  const std::lock_guard lock(mutex_);
  const auto found = due_.find(id);
  if (found == due_.end()) {
    return false;
  }
  const auto timer = timers_.find({found->second, id});
  task = std::move(timer->second);
  timers_.erase(timer);
  due_.erase(found);
  return true;
}

void ThreadScheduler::run_timers() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (timers_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const auto first = timers_.begin();
    if (std::chrono::steady_clock::now() < first->first.first) {
      const Time due = first->first.first;
      wake_.wait_until(lock, due);
      continue;
    }
    Task task = std::move(first->second);
    due_.erase(first->first.second);
    timers_.erase(first);
    lock.unlock();
    task();
    task = {};
    lock.lock();
  }
}

}  // namespace mote
