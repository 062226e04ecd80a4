#include "erasure/base/thread_scheduler.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/clock.h"

namespace mote {
namespace {

using std::chrono::milliseconds;

TEST_CASE("thread scheduler: a serial executor runs tasks in order, one at a time") {
  ThreadScheduler scheduler;
  const auto serial = scheduler.make_serial("serial");
  std::vector<int> order;
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  for (int i = 0; i < 1000; ++i) {
    serial->post([&, i] {
      overlapped = overlapped || ++inside != 1;
      order.push_back(i);
      --inside;
    });
  }
  serial->shutdown();
  CHECK_FALSE(overlapped);
  REQUIRE(order.size() == 1000);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(order[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("thread scheduler: a pool runs tasks side by side") {
  ThreadScheduler scheduler;
  const auto pool = scheduler.make_pool("pool", 2);
  std::promise<void> first;
  std::promise<void> second;
  // Each waits for the other: with one thread this would never end.
  pool->post([&] {
    first.set_value();
    second.get_future().wait();
  });
  pool->post([&] {
    first.get_future().wait();
    second.set_value();
  });
  pool->shutdown();
  CHECK(true);  // reached
}

TEST_CASE("thread scheduler: shutdown runs what is queued, then refuses and destroys") {
  ThreadScheduler scheduler;
  const auto serial = scheduler.make_serial("serial");
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  int ran = 0;
  serial->post([open] { open.wait(); });
  for (int i = 0; i < 10; ++i) {
    serial->post([&ran] { ++ran; });
  }
  gate.set_value();
  serial->shutdown();
  CHECK(ran == 10);
  const auto witness = std::make_shared<int>(0);
  serial->post([witness, &ran] { ++ran; });
  CHECK(witness.use_count() == 1);
  CHECK(ran == 10);
  serial->shutdown();  // a second time does nothing
}

TEST_CASE("thread scheduler: timers fire in due order and not before") {
  ThreadScheduler scheduler;
  std::promise<void> done;
  std::string order;
  const auto start = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration late{};
  scheduler.after(milliseconds(30), [&] {
    order += "b";
    late = std::chrono::steady_clock::now() - start;
    done.set_value();
  });
  scheduler.after(milliseconds(5), [&] { order += "a"; });
  done.get_future().wait();
  CHECK(order == "ab");
  CHECK(late >= milliseconds(30));
}

TEST_CASE("thread scheduler: a timer due earlier than the one waited for wakes the thread") {
  ThreadScheduler scheduler;
  const auto far = scheduler.after(std::chrono::hours(1), [] {});
  std::promise<void> done;
  scheduler.after(milliseconds(1), [&] { done.set_value(); });
  CHECK(done.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  CHECK(scheduler.cancel(far));
}

TEST_CASE("thread scheduler: cancel wins before the timer ran, and only then") {
  ThreadScheduler scheduler;
  const auto witness = std::make_shared<int>(0);
  const auto timer = scheduler.after(std::chrono::hours(1), [witness] {});
  CHECK(scheduler.cancel(timer));
  CHECK(witness.use_count() == 1);
  CHECK_FALSE(scheduler.cancel(timer));
  std::promise<void> ran;
  const auto quick = scheduler.after(milliseconds(0), [&] { ran.set_value(); });
  ran.get_future().wait();
  CHECK_FALSE(scheduler.cancel(quick));
  CHECK_FALSE(scheduler.cancel(99'999));
}

TEST_CASE("thread scheduler: timers that are not due are dropped at the end, not run") {
  const auto witness = std::make_shared<int>(0);
  {
    ThreadScheduler scheduler;
    scheduler.after(std::chrono::hours(1), [witness] { ++*witness; });
  }
  CHECK(*witness == 0);
  CHECK(witness.use_count() == 1);
}

TEST_CASE("thread scheduler: tasks may post, and timers may set timers") {
  ThreadScheduler scheduler;
  const auto serial = scheduler.make_serial("serial");
  std::promise<void> posted;
  std::promise<void> done;
  const auto second = [&] { done.set_value(); };
  const auto first = [&] { serial->post(second); };
  const auto late = [&] {
    serial->post(first);
    posted.set_value();  // an executor outlives the calls on it
  };
  scheduler.after(milliseconds(1), [&] { scheduler.after(milliseconds(1), late); });
  CHECK(done.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready);
  posted.get_future().wait();
}

TEST_CASE("system clock: steady time does not go back, wall time is of this age") {
  const SystemClock clock;
  const auto before = clock.steady();
  CHECK(clock.steady() >= before);
  CHECK(clock.wall_ms() > 1'700'000'000'000);
}

}  // namespace
}  // namespace mote
