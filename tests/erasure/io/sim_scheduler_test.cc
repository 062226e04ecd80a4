#include "tests/sim/sim_scheduler.h"

#include <memory>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/sim/seeds.h"

namespace mote::sim {
namespace {

using std::chrono::milliseconds;

/// The order in which three executors and some timers, all at work, ran.
std::string interleaving(std::uint64_t seed) {
  SimScheduler scheduler(seed);
  std::string order;
  const auto a = scheduler.make_serial("a");
  const auto b = scheduler.make_serial("b");
  const auto pool = scheduler.make_pool("pool", 3);
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    a->post([&order, n] { order += "a" + n; });
    b->post([&order, n, &a] {
      order += "b" + n;
      a->post([&order, n] { order += "A" + n; });
    });
    pool->post([&order, n] { order += "p" + n; });
    scheduler.after(milliseconds(i / 2), [&order, n] { order += "t" + n; });
  }
  CHECK(scheduler.run_until([&] { return order.size() == 40; }));
  return order;
}

TEST_CASE("sim scheduler: one seed, one order; other seeds, other orders") {
  const std::uint64_t seed = test_seed(1);
  CAPTURE(seed);
  std::set<std::string> orders;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string order = interleaving(seed + i);
    CHECK(interleaving(seed + i) == order);
    orders.insert(order);
  }
  CHECK(orders.size() > 15);
}

TEST_CASE("sim scheduler: the trace hash tells runs apart") {
  const auto hash = [](std::uint64_t seed) {
    SimScheduler scheduler(seed);
    const auto a = scheduler.make_serial("a");
    const auto b = scheduler.make_serial("b");
    for (int i = 0; i < 20; ++i) {
      a->post([] {});
      b->post([] {});
    }
    CHECK(scheduler.run_until_idle() == 40);
    return scheduler.trace_hash();
  };
  CHECK(hash(5) == hash(5));
  CHECK(hash(5) != hash(6));
}

TEST_CASE("sim scheduler: a serial executor keeps its order, a pool only starts in order") {
  std::set<std::string> pool_orders;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SimScheduler scheduler(seed);
    const auto serial = scheduler.make_serial("s");
    const auto pool = scheduler.make_pool("p", 2);
    std::string order;
    std::string pool_order;
    for (int i = 0; i < 5; ++i) {
      serial->post([&order, i] { order += std::to_string(i); });
      pool->post([&pool_order, i] { pool_order += std::to_string(i); });
    }
    scheduler.run_until_idle();
    CHECK(order == "01234");
    pool_orders.insert(pool_order);
    CHECK(pool_order.find('0') < pool_order.size());
    CHECK(pool_order.front() < '2');  // of two threads, only the first two can be first
  }
  CHECK(pool_orders.size() > 3);
}

TEST_CASE("sim scheduler: post never runs the task inside the call") {
  SimScheduler scheduler(1);
  const auto a = scheduler.make_serial("a");
  bool ran = false;
  a->post([&] { ran = true; });
  CHECK_FALSE(ran);
  CHECK(scheduler.queued() == 1);
  CHECK(scheduler.step());
  CHECK(ran);
  CHECK_FALSE(scheduler.step());
}

TEST_CASE("sim scheduler: the clock moves only when nothing can run, and to the next timer") {
  SimScheduler scheduler(1);
  std::string order;
  scheduler.after(milliseconds(50),
                  [&] { order += "late@" + std::to_string(scheduler.clock().now_ms()); });
  scheduler.after(milliseconds(10), [&] {
    order += "early@" + std::to_string(scheduler.clock().now_ms()) + " ";
    scheduler.after(milliseconds(0), [&order] { order += "now "; });
  });
  CHECK(scheduler.run_until_idle() == 0);
  CHECK(scheduler.clock().now_ms() == 0);
  const auto steady = scheduler.clock().steady();
  CHECK(scheduler.run_until([&] { return order.ends_with("@50"); }));
  CHECK(order == "early@10 now late@50");
  CHECK(scheduler.clock().steady() - steady == milliseconds(50));
  CHECK(scheduler.clock().wall_ms() == SimClock::kStartWallMs + 50);
  CHECK_FALSE(scheduler.run_until([] { return false; }));  // nothing is left
}

TEST_CASE("sim scheduler: run_for lets exactly that time pass, run_until stops at its limit") {
  SimScheduler scheduler(1);
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    scheduler.after(milliseconds(10), [&] { tick(); });
  };
  tick();
  scheduler.run_for(milliseconds(35));
  CHECK(ticks == 4);
  CHECK(scheduler.clock().now_ms() == 35);
  CHECK_FALSE(scheduler.run_until([] { return false; }, milliseconds(100)));
  CHECK(scheduler.clock().now_ms() <= 135);
  CHECK(ticks == 14);
}

TEST_CASE("sim scheduler: a timer can be cancelled once, and not after it ran") {
  SimScheduler scheduler(1);
  bool ran = false;
  const auto first = scheduler.after(milliseconds(1), [&] { ran = true; });
  CHECK(scheduler.cancel(first));
  CHECK_FALSE(scheduler.cancel(first));
  const auto second = scheduler.after(milliseconds(2), [] {});
  scheduler.run_for(milliseconds(5));
  CHECK_FALSE(ran);
  CHECK_FALSE(scheduler.cancel(second));
}

TEST_CASE("sim scheduler: shutdown runs what is queued and refuses what comes later") {
  SimScheduler scheduler(1);
  const auto a = scheduler.make_serial("a");
  std::string order;
  a->post([&] {
    order += "1";
    a->post([&order] { order += "never"; });
  });
  a->post([&] { order += "2"; });
  a->shutdown();
  CHECK(order == "12");
  a->post([&] { order += "never"; });
  CHECK(scheduler.run_until_idle() == 0);
  CHECK(order == "12");
}

TEST_CASE("sim scheduler: drop_all destroys tasks and timers and runs none") {
  SimScheduler scheduler(1);
  const auto a = scheduler.make_serial("a");
  const auto held = std::make_shared<int>(0);
  struct PostsAgain {
    Executor* executor;
    std::shared_ptr<int> held;
    explicit PostsAgain(Executor* e, std::shared_ptr<int> h) : executor(e), held(std::move(h)) {}
    PostsAgain(PostsAgain&&) = default;
    PostsAgain& operator=(PostsAgain&&) = default;
    PostsAgain(const PostsAgain&) = delete;
    PostsAgain& operator=(const PostsAgain&) = delete;
    ~PostsAgain() {
      if (held) {
        executor->post([h = held] { ++*h; });
      }
    }
  };
  a->post([guard = PostsAgain(a.get(), held)] {});
  scheduler.after(milliseconds(1), [held] { ++*held; });
  CHECK(held.use_count() > 1);
  scheduler.drop_all();
  CHECK(held.use_count() == 1);
  scheduler.run_for(milliseconds(10));
  CHECK(*held == 0);
  a->post([held] { ++*held; });
  scheduler.run_until_idle();
  CHECK(*held == 1);
}

TEST_CASE("sim scheduler: a held executor waits, others go on") {
  SimScheduler scheduler(1);
  const auto d1 = scheduler.make_serial("drive1.commit");
  const auto d2 = scheduler.make_serial("drive2.commit");
  std::string order;
  scheduler.hold("drive1");
  d1->post([&] { order += "1"; });
  d2->post([&] { order += "2"; });
  scheduler.run_for(milliseconds(100));
  CHECK(order == "2");
  scheduler.release("drive1");
  scheduler.run_until_idle();
  CHECK(order == "21");
}

TEST_CASE("sim scheduler: posts from foreign threads arrive, and can be waited for") {
  SimScheduler scheduler(1);
  const auto a = scheduler.make_serial("a");
  int count = 0;
  std::thread foreign([&] {
    for (int i = 0; i < 500; ++i) {
      a->post([&] { ++count; });
    }
  });
  scheduler.wait_for_foreign_posts(std::chrono::seconds(10));
  CHECK(scheduler.run_until([&] { return count == 500; }));
  foreign.join();
  scheduler.wait_for_foreign_posts(milliseconds(0));
  CHECK(scheduler.clock().now_ms() == 0);
}

}  // namespace
}  // namespace mote::sim
