#include "erasure/set/shard_gather.h"

#include <algorithm>

namespace mote::erasure {

ShardGather::ShardGather(SetContext& context, Plan plan, Fetch fetch, Done done)
    : context_(context), plan_(std::move(plan)), fetch_(std::move(fetch)), done_(std::move(done)) {
  const Members& members = *plan_.members;
  for (unsigned shard = 0; shard < context_.drives(); ++shard) {
    const Slot slot = context_.geometry.slot_of_shard(shard, plan_.start);
    if (members.slots[slot].drive) {
      order_.push_back(slot);
    }
  }
  std::stable_sort(order_.begin(), order_.end(), [&](Slot a, Slot b) {
    const auto rank = [&](Slot slot) {
      const bool wanted = has(plan_.wanted, shard_of(slot));
      return (members.is_current(slot) ? 0 : 2) + (wanted ? 0 : 1);
    };
    return rank(a) < rank(b);
  });
  std::uint16_t reachable = 0;
  for (const Slot slot : order_) {
    if (members.is_current(slot)) {
      reachable = static_cast<std::uint16_t>(reachable | bit(shard_of(slot)));
    }
  }
  need_any_k_ = (plan_.wanted & reachable) != plan_.wanted;
}

unsigned ShardGather::shard_of(Slot slot) const noexcept {
  return context_.geometry.shard_of_slot(slot, plan_.start);
}

void ShardGather::start() {
  std::vector<Slot> slots;
  {
    const std::lock_guard lock(mutex_);
    slots = next_slots();
  }
  if (slots.empty()) {
    std::unique_lock lock(mutex_);
    finish(std::move(lock), failure());
    return;
  }
  ask(slots);
  arm();
}

bool ShardGather::complete() const noexcept {
  return obtained_ >= context_.geometry.k || (have_ & plan_.wanted) == plan_.wanted;
}

std::vector<Slot> ShardGather::next_slots() {
  const auto wanted = static_cast<unsigned>(std::popcount(plan_.wanted));
  const unsigned target = need_any_k_ ? context_.geometry.k : wanted;
  std::vector<Slot> slots;
  while (asked_ < order_.size() && obtained_ + waiting_ < target + slow_) {
    slots.push_back(order_[asked_++]);
    ++waiting_;
  }
  return slots;
}

void ShardGather::ask(const std::vector<Slot>& slots) {
  for (const Slot slot : slots) {
    fetch_(slot, [self = shared_from_this(), slot](Result<Slice> shard) {
      self->answer(slot, std::move(shard));
    });
  }
}

void ShardGather::answer(Slot slot, Result<Slice> shard) {
  std::unique_lock lock(mutex_);
  if (!done_) {
    return;
  }
  --waiting_;
  if (shard) {
    ++obtained_;
    have_ = static_cast<std::uint16_t>(have_ | bit(shard_of(slot)));
    shards_[shard_of(slot)] = *std::move(shard);
    if (complete()) {
      finish(std::move(lock), ShardArray(std::move(shards_)));
      return;
    }
  } else {
    failures_.push_back({slot, shard.error().code});
    need_any_k_ = true;
  }
  // Also after a good shard: it may be the last to come, and too few.
  const std::vector<Slot> slots = next_slots();
  if (slots.empty() && waiting_ == 0) {
    finish(std::move(lock), failure());
    return;
  }
  lock.unlock();
  ask(slots);
}

void ShardGather::arm() {
  const std::lock_guard lock(mutex_);
  if (done_ && timer_ == 0) {
    timer_ = context_.outside.scheduler.after(context_.options.hedge_after,
                                              [self = shared_from_this()] { self->hedge(); });
  }
}

void ShardGather::hedge() {
  std::unique_lock lock(mutex_);
  if (!done_) {
    return;
  }
  need_any_k_ = true;
  slow_ = waiting_;
  const std::vector<Slot> slots = next_slots();
  if (slots.empty() && timer_ != 0 && asked_ == order_.size() && slow_ > 0) {
    // Everyone was asked: wait for the slow ones, but not for ever.
    timer_ = context_.outside.scheduler.after(
        context_.options.drive_timeout * 5, [self = shared_from_this()] {
          std::unique_lock guard(self->mutex_);
          if (self->done_) {
            self->finish(std::move(guard), Error{Errc::read_quorum, 0, "set.gather_timeout"});
          }
        });
    return;
  }
  timer_ = context_.outside.scheduler.after(context_.options.hedge_after,
                                            [self = shared_from_this()] { self->hedge(); });
  lock.unlock();
  ask(slots);
}

Error ShardGather::failure() const {
  const auto damaged = static_cast<unsigned>(
      std::count_if(failures_.begin(), failures_.end(),
                    [](const SlotFailure& failure) { return is_damage(failure.code); }));
  // Even if every drive that is out of reach came back with a good shard, would there be k?
  const bool lost = context_.drives() - damaged < context_.geometry.k;
  return {lost ? Errc::corrupt : Errc::read_quorum, 0, "set.gather"};
}

void ShardGather::finish(std::unique_lock<std::mutex> lock, Result<ShardArray> result) {
  Done done = std::move(done_);
  std::vector<SlotFailure> failures = std::move(failures_);
  const Scheduler::TimerId timer = timer_;
  lock.unlock();
  if (timer != 0) {
    context_.outside.scheduler.cancel(timer);
  }
  done(std::move(result), std::move(failures));
}

}  // namespace mote::erasure
