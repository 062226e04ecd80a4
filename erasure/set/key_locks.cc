#include "erasure/set/key_locks.h"

#include <algorithm>
#include <functional>

#include "erasure/base/check.h"

namespace mote::erasure {
namespace {

constexpr std::uint64_t kStripeBit = std::uint64_t{1} << 63U;

/// Runs functions one after the other on this thread instead of inside each other: a queue of a
/// thousand waiters that each finish at once must not nest a thousand calls deep.
void run_flat(std::vector<UniqueFunction<void()>> functions) {
  thread_local std::deque<UniqueFunction<void()>>* running = nullptr;
  if (running != nullptr) {
    for (auto& function : functions) {
      running->push_back(std::move(function));
    }
    return;
  }
  std::deque<UniqueFunction<void()>> queue;
  for (auto& function : functions) {
    queue.push_back(std::move(function));
  }
  running = &queue;
  while (!queue.empty()) {
    UniqueFunction<void()> function = std::move(queue.front());
    queue.pop_front();
    function();
  }
  running = nullptr;
}

}  // namespace

LockId LockId::bucket(std::string_view name) noexcept {
  // Two names with one hash only wait for each other; nothing takes two bucket locks.
  return LockId(std::hash<std::string_view>{}(name) & ~kStripeBit);
}

LockId LockId::stripe(std::size_t stripe) noexcept {
  return LockId(kStripeBit | stripe);
}

struct KeyLocks::Grant {
  std::vector<Want> wants;  // ascending
  std::size_t taken = 0;
  Granted granted;
};

KeyLocks::Held::Held(Held&& other) noexcept
    : locks_(std::exchange(other.locks_, nullptr)), taken_(std::move(other.taken_)) {}

KeyLocks::Held& KeyLocks::Held::operator=(Held&& other) noexcept {
  if (this != &other) {
    release();
    locks_ = std::exchange(other.locks_, nullptr);
    taken_ = std::move(other.taken_);
  }
  return *this;
}

void KeyLocks::Held::release() {
  KeyLocks* locks = std::exchange(locks_, nullptr);
  if (locks == nullptr) {
    return;
  }
  const std::vector<Want> taken = std::move(taken_);
  for (auto want = taken.rbegin(); want != taken.rend(); ++want) {
    locks->release(*want);
  }
}

KeyLocks::~KeyLocks() {
  for (Shard& shard : shards_) {
    MOTE_CHECK(closed_.load() || shard.locks.empty());
  }
}

void KeyLocks::close() {
  closed_.store(true);
  std::vector<std::deque<Waiter>> unwanted;  // destroyed outside the mutexes: they may hold locks
  for (Shard& shard : shards_) {
    const std::lock_guard guard(shard.mutex);
    for (auto& [id, lock] : shard.locks) {
      unwanted.push_back(std::move(lock.waiters));
      lock.waiters.clear();
    }
  }
}

void KeyLocks::acquire(LockId id, LockMode mode, Granted granted) {
  std::vector<Want> wants;
  wants.push_back({id, mode});
  acquire_all(std::move(wants), std::move(granted));
}

void KeyLocks::acquire_all(std::vector<Want> wants, Granted granted) {
  std::sort(wants.begin(), wants.end(), [](const Want& a, const Want& b) {
    return a.id != b.id ? a.id < b.id : a.mode > b.mode;  // exclusive first among equals
  });
  wants.erase(std::unique(wants.begin(), wants.end(),
                          [](const Want& a, const Want& b) { return a.id == b.id; }),
              wants.end());
  auto grant = std::make_shared<Grant>();
  grant->wants = std::move(wants);
  grant->granted = std::move(granted);
  take_next(std::move(grant));
}

void KeyLocks::take_next(std::shared_ptr<Grant> grant) {
  while (grant->taken < grant->wants.size()) {
    UniqueFunction<void()> later = [this, grant] {
      ++grant->taken;
      take_next(grant);
    };
    if (!take_or_queue(grant->wants[grant->taken], later)) {
      return;
    }
    ++grant->taken;
  }
  Held held;
  held.locks_ = this;
  held.taken_ = std::move(grant->wants);
  Granted granted = std::move(grant->granted);
  grant.reset();
  granted(std::move(held));
}

bool KeyLocks::take_or_queue(const Want& want, UniqueFunction<void()>& granted) {
  if (closed_.load()) {
    return false;  // `granted` is dropped
  }
  Shard& shard = shard_of(want.id);
  const std::lock_guard guard(shard.mutex);
  Lock& lock = shard.locks[want.id.value()];
  const bool fits = lock.holders == 0 || (want.mode == LockMode::shared && !lock.exclusive);
  if (fits && lock.waiters.empty()) {
    ++lock.holders;
    lock.exclusive = want.mode == LockMode::exclusive;
    return true;
  }
  lock.waiters.push_back({want.mode, std::move(granted)});
  return false;
}

void KeyLocks::release(const Want& want) {
  std::vector<UniqueFunction<void()>> next;
  {
    Shard& shard = shard_of(want.id);
    const std::lock_guard guard(shard.mutex);
    const auto found = shard.locks.find(want.id.value());
    MOTE_CHECK(found != shard.locks.end());
    Lock& lock = found->second;
    MOTE_CHECK(lock.holders > 0);
    --lock.holders;
    while (!lock.waiters.empty()) {
      const bool shared = lock.waiters.front().mode == LockMode::shared;
      if (lock.holders > 0 && (lock.exclusive || !shared)) {
        break;
      }
      ++lock.holders;
      lock.exclusive = !shared;
      next.push_back(std::move(lock.waiters.front().granted));
      lock.waiters.pop_front();
    }
    if (lock.holders == 0) {
      shard.locks.erase(found);
    }
  }
  if (!next.empty()) {
    run_flat(std::move(next));
  }
}

}  // namespace mote::erasure
