#include "tests/sim/sim_scheduler.h"

#include <algorithm>
#include <deque>

#include "erasure/base/check.h"

namespace mote::sim {

struct SimScheduler::Queue {
  std::string name;
  std::size_t threads = 1;
  std::deque<Task> tasks;
  bool stopped = false;
  bool running = false;
};

class SimScheduler::SimExecutor final : public Executor {
 public:
  SimExecutor(SimScheduler& scheduler, std::shared_ptr<Queue> queue)
      : scheduler_(scheduler), queue_(std::move(queue)) {}
  ~SimExecutor() override { scheduler_.forget(*queue_); }
  SimExecutor(const SimExecutor&) = delete;
  SimExecutor& operator=(const SimExecutor&) = delete;

  void post(Task task) override { scheduler_.post(*queue_, std::move(task)); }
  void shutdown() override { scheduler_.shut_down(*queue_); }

 private:
  SimScheduler& scheduler_;
  std::shared_ptr<Queue> queue_;
};

SimScheduler::SimScheduler(std::uint64_t seed) : rng_(seed) {}

SimScheduler::~SimScheduler() {
  drop_all();
}

std::unique_ptr<Executor> SimScheduler::make_serial(std::string_view name) {
  return make_pool(name, 1);
}

std::unique_ptr<Executor> SimScheduler::make_pool(std::string_view name, std::size_t threads) {
  auto queue = std::make_shared<Queue>();
  queue->name = name;
  queue->threads = std::max<std::size_t>(threads, 1);
  const std::lock_guard lock(mutex_);
  queues_.push_back(queue);
  return std::make_unique<SimExecutor>(*this, std::move(queue));
}

Scheduler::TimerId SimScheduler::after(std::chrono::milliseconds delay, Task task) {
  const std::lock_guard lock(mutex_);
  const TimerId id = next_timer_++;
  const std::int64_t due = clock_.now_ms() + std::max<std::int64_t>(delay.count(), 0);
  timers_.emplace(TimerKey(due, id), std::move(task));
  due_.emplace(id, due);
  ++posts_;
  posted_.notify_all();
  return id;
}

bool SimScheduler::cancel(TimerId id) {
  Task cancelled;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  const auto found = due_.find(id);
  if (found == due_.end()) {
    return false;
  }
  const auto timer = timers_.find({found->second, id});
  cancelled = std::move(timer->second);
  timers_.erase(timer);
  due_.erase(found);
  return true;
}

bool SimScheduler::wait(Event& event, std::chrono::milliseconds limit) {
  return run_until([&event] { return event.is_set(); }, limit);
}

bool SimScheduler::step() {
  Task task;
  Queue* from = nullptr;
  if (!pick(task, from)) {
    return false;
  }
  run_picked(std::move(task), from);
  return true;
}

std::size_t SimScheduler::run_until_idle() {
  std::size_t steps = 0;
  do {
    while (step()) {
      ++steps;
    }
  } while (wait_for_post());
  return steps;
}

bool SimScheduler::run_until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
  const std::int64_t latest = clock_.now_ms() + limit.count();
  while (!done()) {
    if (step() || wait_for_post() || jump_to_next_timer(latest)) {
      continue;
    }
    return done();
  }
  return true;
}

void SimScheduler::run_for(std::chrono::milliseconds span) {
  const std::int64_t end = clock_.now_ms() + span.count();
  while (step() || wait_for_post() || jump_to_next_timer(end)) {
  }
  clock_.advance(std::chrono::milliseconds(end - clock_.now_ms()));
}

void SimScheduler::drop_all() {
  while (true) {
    std::vector<Task> dropped;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& queue : queues_) {
        std::move(queue->tasks.begin(), queue->tasks.end(), std::back_inserter(dropped));
        queue->tasks.clear();
      }
      for (auto& timer : timers_) {
        dropped.push_back(std::move(timer.second));
      }
      timers_.clear();
      due_.clear();
    }
    if (dropped.empty()) {
      return;
    }
  }
}

void SimScheduler::hold(std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  held_.emplace_back(prefix);
}

void SimScheduler::release(std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  std::erase(held_, prefix);
}

void SimScheduler::wait_for_foreign_posts(std::chrono::milliseconds real_time) {
  const std::lock_guard lock(mutex_);
  foreign_wait_ = real_time;
}

std::size_t SimScheduler::queued() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& queue : queues_) {
    count += queue->tasks.size();
  }
  return count;
}

std::uint64_t SimScheduler::trace_hash() const {
  const std::lock_guard lock(mutex_);
  return trace_hash_;
}

bool SimScheduler::pick(Task& task, Queue*& from) {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (!queues_[i]->tasks.empty() && !queues_[i]->running && !is_held(queues_[i]->name)) {
      ready.push_back(i);
    }
  }
  const bool timer_due = !timers_.empty() && timers_.begin()->first.first <= clock_.now_ms();
  const std::size_t choices = ready.size() + (timer_due ? 1 : 0);
  if (choices == 0) {
    return false;
  }
  const std::size_t choice = static_cast<std::size_t>(rng_.below(choices));
  if (choice == ready.size()) {
    task = std::move(timers_.begin()->second);
    due_.erase(timers_.begin()->first.second);
    timers_.erase(timers_.begin());
    from = nullptr;
    trace_hash_ = trace_hash_ * 0x100000001b3U + 1;
    return true;
  }
  from = queues_[ready[choice]].get();
  const std::size_t window = std::min(from->threads, from->tasks.size());
  const std::size_t index = window == 1 ? 0 : static_cast<std::size_t>(rng_.below(window));
  const auto at = from->tasks.begin() + static_cast<std::ptrdiff_t>(index);
  task = std::move(*at);
  from->tasks.erase(at);
  from->running = from->threads == 1;
  trace_hash_ = trace_hash_ * 0x100000001b3U + 2 + ready[choice] * 64 + index;
  return true;
}

void SimScheduler::run_picked(Task task, Queue* from) {
  // The task may destroy executors, even its own queue's owner; keep the queue until it is done.
  std::shared_ptr<Queue> keep;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& queue : queues_) {
      if (queue.get() == from) {
        keep = queue;
      }
    }
  }
  task();
  task = {};
  if (keep) {
    const std::lock_guard lock(mutex_);
    keep->running = false;
  }
}

bool SimScheduler::jump_to_next_timer(std::int64_t latest_ms) {
  const std::lock_guard lock(mutex_);
  if (timers_.empty() || timers_.begin()->first.first > latest_ms) {
    return false;
  }
  const std::int64_t ahead = timers_.begin()->first.first - clock_.now_ms();
  if (ahead > 0) {
    clock_.advance(std::chrono::milliseconds(ahead));
  }
  return true;
}

bool SimScheduler::wait_for_post() {
  std::unique_lock lock(mutex_);
  if (foreign_wait_.count() == 0) {
    return false;
  }
  const std::uint64_t before = posts_;
  return posted_.wait_for(lock, foreign_wait_, [&] { return posts_ != before; });
}

bool SimScheduler::is_held(const std::string& name) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); });
}

void SimScheduler::post(Queue& queue, Task task) {
  const std::lock_guard lock(mutex_);
  if (queue.stopped) {
    return;  // `task` is the caller's temporary and is destroyed after the lock is released
  }
  queue.tasks.push_back(std::move(task));
  ++posts_;
  posted_.notify_all();
}

void SimScheduler::shut_down(Queue& queue) {
  {
    const std::lock_guard lock(mutex_);
    queue.stopped = true;
    MOTE_CHECK(!queue.running);
    MOTE_CHECK(queue.tasks.empty() || !is_held(queue.name));
  }
  while (true) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (queue.tasks.empty()) {
        return;
      }
      task = std::move(queue.tasks.front());
      queue.tasks.pop_front();
    }
    task();
  }
}

void SimScheduler::forget(const Queue& queue) {
  std::shared_ptr<Queue> found;
  std::deque<Task> dropped;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& each : queues_) {
      if (each.get() == &queue) {
        found = each;
      }
    }
    if (is_held(queue.name)) {
      dropped.swap(found->tasks);
    }
  }
  shut_down(*found);
  const std::lock_guard lock(mutex_);
  std::erase(queues_, found);
}

}  // namespace mote::sim
