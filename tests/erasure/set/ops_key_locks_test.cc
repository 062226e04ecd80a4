#include <atomic>
#include <thread>

#include <doctest/doctest.h>

#include "erasure/set/key_locks.h"

using namespace mote;
using namespace mote::erasure;

TEST_CASE("key locks: a free lock is granted inside the call") {
  KeyLocks locks;
  bool granted = false;
  locks.acquire(LockId::stripe(3), LockMode::exclusive,
                [&](KeyLocks::Held held) { granted = held.holds(); });
  CHECK(granted);
}

TEST_CASE("key locks: waiters are served in the order they came") {
  KeyLocks locks;
  std::vector<int> order;
  std::vector<KeyLocks::Held> held;
  const auto take = [&](int who, LockMode mode) {
    locks.acquire(LockId::stripe(7), mode, [&, who](KeyLocks::Held got) {
      order.push_back(who);
      held.push_back(std::move(got));
    });
  };
  take(1, LockMode::exclusive);
  take(2, LockMode::shared);
  take(3, LockMode::shared);
  take(4, LockMode::exclusive);
  take(5, LockMode::shared);
  CHECK(order == std::vector{1});
  held[0].release();
  CHECK(order == std::vector{1, 2, 3});  // 5 does not overtake 4
  held[1].release();
  CHECK(order == std::vector{1, 2, 3});
  held[2].release();
  CHECK(order == std::vector{1, 2, 3, 4});
  held[3].release();
  CHECK(order == std::vector{1, 2, 3, 4, 5});
}

TEST_CASE("key locks: several are taken sorted and once, whatever the order they are named in") {
  KeyLocks locks;
  KeyLocks::Held first;
  locks.acquire(LockId::stripe(2), LockMode::exclusive,
                [&](KeyLocks::Held got) { first = std::move(got); });
  bool both = false;
  KeyLocks::Held second;
  locks.acquire_all({{LockId::stripe(2), LockMode::exclusive},
                     {LockId::bucket("b"), LockMode::shared},
                     {LockId::stripe(2), LockMode::shared},
                     {LockId::stripe(1), LockMode::exclusive}},
                    [&](KeyLocks::Held got) {
                      both = true;
                      second = std::move(got);
                    });
  CHECK_FALSE(both);
  bool other_bucket_reader = false;
  locks.acquire(LockId::bucket("b"), LockMode::shared,
                [&](KeyLocks::Held) { other_bucket_reader = true; });
  CHECK(other_bucket_reader);
  first.release();
  CHECK(both);
  bool exclusive = false;
  locks.acquire(LockId::bucket("b"), LockMode::exclusive,
                [&](KeyLocks::Held) { exclusive = true; });
  CHECK_FALSE(exclusive);
  second.release();
  CHECK(exclusive);
}

TEST_CASE("key locks: a long queue of waiters that finish at once does not nest") {
  KeyLocks locks;
  KeyLocks::Held first;
  locks.acquire(LockId::stripe(0), LockMode::exclusive,
                [&](KeyLocks::Held got) { first = std::move(got); });
  int ran = 0;
  int depth = 0;
  int depth_max = 0;
  for (int i = 0; i < 100'000; ++i) {
    locks.acquire(LockId::stripe(0), LockMode::exclusive, [&](KeyLocks::Held got) {
      ++depth;
      depth_max = std::max(depth_max, depth);
      ++ran;
      got.release();
      --depth;
    });
  }
  first.release();
  CHECK(ran == 100'000);
  CHECK(depth_max == 1);
}

TEST_CASE("key locks: exclusion holds between threads") {
  KeyLocks locks;
  std::array<int, 4> counters{};
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 20'000; ++i) {
        const std::size_t a = (i + t) % 4;
        const std::size_t b = (i * 3 + t) % 4;
        locks.acquire_all(
            {{LockId::stripe(a), LockMode::exclusive}, {LockId::stripe(b), LockMode::exclusive}},
            [&, a, b](KeyLocks::Held) {
              ++counters[a];
              ++counters[b];
              ++done;
            });
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(done == 80'000);
  CHECK(counters[0] + counters[1] + counters[2] + counters[3] == 160'000);
}
