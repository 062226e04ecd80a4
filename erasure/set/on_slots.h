#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "erasure/base/result.h"
#include "erasure/base/unique_function.h"
#include "erasure/set/set_context.h"

namespace mote::erasure {

/// What the drives of a set answered, by slot. drive_failed for slots that were not asked or are
/// offline, timed_out for those that did not answer in time.
template <class T>
using SlotAnswers = std::vector<Result<T>>;

template <class T>
class SlotFanOut : public std::enable_shared_from_this<SlotFanOut<T>> {
 public:
  using Work = std::function<Result<T>(Drive&)>;
  using Done = UniqueFunction<void(SlotAnswers<T>)>;

  SlotFanOut(SetContext& context, std::shared_ptr<const Members> members, Work work, Done done)
      : context_(context),
        members_(std::move(members)),
        work_(std::move(work)),
        done_(std::move(done)),
        answers_(members_->slots.size(), Result<T>(Errc::drive_failed)) {}

  void start(SlotMask slots) {
    SlotMask asked = 0;
    for (Slot slot = 0; slot < members_->slots.size(); ++slot) {
      if (has(slots, slot) && members_->slots[slot].drive) {
        asked = static_cast<SlotMask>(asked | bit(slot));
        answers_[slot] = Errc::timed_out;
        ++waiting_;
      }
    }
    if (waiting_ == 0) {
      done_(std::move(answers_));
      return;
    }
    auto self = this->shared_from_this();
    {
      const std::lock_guard lock(mutex_);
      timer_ = context_.outside.scheduler.after(context_.options.drive_timeout,
                                                [self] { self->give_up(); });
    }
    for (Slot slot = 0; slot < members_->slots.size(); ++slot) {
      if (has(asked, slot)) {
        Drive& drive = *members_->slots[slot].drive;
        drive.reads().post([self, slot, &drive] { self->answer(slot, self->work_(drive)); });
      }
    }
  }

 private:
  void answer(Slot slot, Result<T> result) {
    std::unique_lock lock(mutex_);
    if (!done_) {
      return;
    }
    answers_[slot] = std::move(result);
    if (--waiting_ == 0) {
      finish(std::move(lock));
    }
  }
  void give_up() {
    std::unique_lock lock(mutex_);
    if (done_) {
      finish(std::move(lock));
    }
  }
  void finish(std::unique_lock<std::mutex> lock) {
    Done done = std::move(done_);
    SlotAnswers<T> answers = std::move(answers_);
    const Scheduler::TimerId timer = timer_;
    lock.unlock();
    context_.outside.scheduler.cancel(timer);
    done(std::move(answers));
  }

  SetContext& context_;
  const std::shared_ptr<const Members> members_;
  const Work work_;
  std::mutex mutex_;
  Done done_;
  SlotAnswers<T> answers_;
  std::size_t waiting_ = 0;
  Scheduler::TimerId timer_ = 0;
};

/// Runs `work` on the read threads of the drives in `slots` and gives all answers to `done`, once
/// they are there or after drive_timeout. `work` may run on several threads at once and must own
/// what it uses.
template <class T>
void on_slots(SetContext& context, std::shared_ptr<const Members> members, SlotMask slots,
              std::function<Result<T>(Drive&)> work, UniqueFunction<void(SlotAnswers<T>)> done) {
  std::make_shared<SlotFanOut<T>>(context, std::move(members), std::move(work), std::move(done))
      ->start(slots);
}

/// True for errors of one drive, after which another is asked; false for answers of the set.
[[nodiscard]] inline bool is_drive_error(Errc code) noexcept {
  return code == Errc::corrupt || code == Errc::io_error || code == Errc::drive_failed ||
         code == Errc::timed_out || code == Errc::no_such_file;
}

template <class T>
class CurrentAsk : public std::enable_shared_from_this<CurrentAsk<T>> {
 public:
  using Work = std::function<Result<T>(Drive&)>;

  CurrentAsk(SetContext& context, std::shared_ptr<const Members> members, Work work,
             Completion<T> done)
      : context_(context),
        members_(std::move(members)),
        work_(std::move(work)),
        done_(std::move(done)) {}

  void start(std::vector<Slot> order, std::chrono::milliseconds patience) {
    order_ = std::move(order);
    patience_ = patience;
    ask_next();
  }

 private:
  /// Asks one more drive; the earlier ones may still answer first.
  void ask_next() {
    std::unique_lock lock(mutex_);
    if (!done_) {
      return;
    }
    if (asked_ == order_.size()) {
      if (failed_ == asked_ || waited_for_last_) {
        finish(std::move(lock), last_error());
        return;
      }
      waited_for_last_ = true;
      timer_ = context_.outside.scheduler.after(
          kLastPatience, [self = this->shared_from_this()] { self->ask_next(); });
      return;
    }
    Drive& drive = *members_->slots[order_[asked_]].drive;
    ++asked_;
    auto self = this->shared_from_this();
    const Scheduler::TimerId old = std::exchange(
        timer_, context_.outside.scheduler.after(patience_, [self] { self->ask_next(); }));
    lock.unlock();
    context_.outside.scheduler.cancel(old);
    drive.reads().post([self, &drive] { self->answer(self->work_(drive)); });
  }
  void answer(Result<T> result) {
    std::unique_lock lock(mutex_);
    if (!done_) {
      return;
    }
    if (!result && is_drive_error(result.error().code)) {
      ++failed_;
      corrupt_ = corrupt_ || result.error().code == Errc::corrupt;
      only_corrupt_ = only_corrupt_ && result.error().code == Errc::corrupt;
      const bool all_failed = failed_ == asked_;
      lock.unlock();
      if (all_failed) {
        ask_next();
      }
      return;
    }
    finish(std::move(lock), std::move(result));
  }
  [[nodiscard]] Result<T> last_error() const {
    return corrupt_ && only_corrupt_ ? Result<T>(Errc::corrupt, "set.read")
                                     : Result<T>(Errc::read_quorum, "set.read");
  }
  void finish(std::unique_lock<std::mutex> lock, Result<T> result) {
    Completion<T> done = std::move(done_);
    const Scheduler::TimerId timer = timer_;
    lock.unlock();
    context_.outside.scheduler.cancel(timer);
    done(std::move(result));
  }

  /// How long all drives together may stay silent before the answer is that there is none.
  static constexpr std::chrono::seconds kLastPatience{10};

  SetContext& context_;
  const std::shared_ptr<const Members> members_;
  const Work work_;
  std::mutex mutex_;
  Completion<T> done_;
  std::vector<Slot> order_;
  std::chrono::milliseconds patience_{0};
  std::size_t asked_ = 0;
  std::size_t failed_ = 0;
  bool corrupt_ = false;
  bool only_corrupt_ = true;
  bool waited_for_last_ = false;
  Scheduler::TimerId timer_ = 0;
};

/// The current drives, the one that applies last first: what it shows, every member has.
[[nodiscard]] inline std::vector<Slot> current_order(const Members& members) {
  std::vector<Slot> order;
  if (members.list_slot) {
    order.push_back(*members.list_slot);
  }
  for (Slot slot = 0; slot < members.slots.size(); ++slot) {
    if (members.is_current(slot) && members.slots[slot].drive && members.list_slot != slot) {
      order.push_back(slot);
    }
  }
  return order;
}

/// Runs `work` on the read thread of a current drive; when that drive fails, or takes longer than
/// `patience`, on another as well. The first answer that is not a drive's error wins. Errors of its
/// own: read_quorum, or corrupt if every copy was.
template <class T>
void on_current(SetContext& context, const std::shared_ptr<const Members>& members,
                std::chrono::milliseconds patience, std::function<Result<T>(Drive&)> work,
                Completion<T> done) {
  std::vector<Slot> order = current_order(*members);
  if (order.empty()) {
    done({Errc::read_quorum, "set.no_current_drive"});
    return;
  }
  std::make_shared<CurrentAsk<T>>(context, members, std::move(work), std::move(done))
      ->start(std::move(order), patience);
}

}  // namespace mote::erasure
