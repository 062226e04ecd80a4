#include "erasure/heal/healer.h"

#include <utility>

#include "erasure/heal/slot_heal.h"

namespace mote::erasure {

Healer::Healer(std::shared_ptr<SetContext> context)
    : context_(context), scheduler_(context->outside.scheduler) {}

Healer::~Healer() {
  const std::lock_guard lock(mutex_);
  for (std::shared_ptr<SlotHeal>& heal : heals_) {
    if (heal) {
      graveyard_.push_back(std::move(heal));
    }
  }
  for (const std::shared_ptr<SlotHeal>& heal : graveyard_) {
    heal->join();
  }
}

/// Forgets the heals that nothing refers to any more.
void Healer::bury_locked() {
  std::erase_if(graveyard_, [](const std::shared_ptr<SlotHeal>& heal) {
    return heal->ended() && heal.use_count() == 1;
  });
}

void Healer::heal(Slot slot) {
  std::shared_ptr<SlotHeal> heal;
  {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<SetContext> context = context_.lock();
    if (stopped_ || !context) {
      return;
    }
    if (!started_) {
      early_.push_back(slot);
      return;
    }
    bury_locked();
    if (heals_[slot]) {
      heals_[slot]->cancel();  // of an earlier life of the drive
      graveyard_.push_back(std::move(heals_[slot]));
    }
    heal = std::make_shared<SlotHeal>(context, slot);
    heals_[slot] = heal;
  }
  heal->start();
}

void Healer::start() {
  std::vector<Slot> slots;
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
    slots.swap(early_);
  }
  for (const Slot slot : slots) {
    heal(slot);
  }
}

void Healer::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (const std::shared_ptr<SlotHeal>& heal : heals_) {
    if (heal) {
      heal->cancel();
    }
  }
}

std::uint64_t Healer::keys_done(Slot slot) const {
  const std::lock_guard lock(mutex_);
  return slot < heals_.size() && heals_[slot] ? heals_[slot]->keys_done() : 0;
}

}  // namespace mote::erasure
