#include "erasure/heal/repair_queue.h"

#include "erasure/heal/mend_task.h"

namespace mote::erasure {

RepairQueue::RepairQueue(std::shared_ptr<SetContext> context)
    : context_(context), executor_(context->outside.scheduler.make_serial("mote-repair")) {}

RepairQueue::~RepairQueue() = default;

void RepairQueue::enqueue(DamagedRow row) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || rows_.size() >= kRowsMax || !known_.emplace(row.family, row.row).second) {
      return;
    }
    rows_.push_back(std::move(row));
    if (!started_ || running_) {
      return;
    }
    running_ = true;
  }
  next();
}

void RepairQueue::start() {
  {
    const std::lock_guard lock(mutex_);
    started_ = true;
    if (running_ || rows_.empty()) {
      return;
    }
    running_ = true;
  }
  next();
}

/// Takes the next row on the queue's own thread.
void RepairQueue::next() {
  executor_->post([weak = weak_from_this()] {
    const std::shared_ptr<RepairQueue> self = weak.lock();
    if (!self) {
      return;
    }
    const std::shared_ptr<SetContext> context = self->context_.lock();
    DamagedRow row;
    std::optional<Gate::Ticket> ticket = context ? context->gate.enter() : std::nullopt;
    {
      const std::lock_guard lock(self->mutex_);
      if (self->stopped_ || self->rows_.empty() || !ticket) {
        self->running_ = false;
        return;
      }
      row = std::move(self->rows_.front());
      self->rows_.pop_front();
    }
    const std::pair<Family, std::string> name(row.family, row.row);
    std::make_shared<MendTask>(
        context, *self->executor_, std::vector<DamagedRow>{row},
        [](const Members& members) { return members.writers(); },
        [self, context, name, ticket = *std::move(ticket)](Result<MendReport> report) mutable {
          if (report) {
            context->counters.corruption_healed.fetch_add(report->mended,
                                                          std::memory_order_relaxed);
          }
          {
            const std::lock_guard lock(self->mutex_);
            self->known_.erase(name);
          }
          ticket.leave();
          self->next();
        })
        ->start();
  });
}

void RepairQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  rows_.clear();
}

std::size_t RepairQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

}  // namespace mote::erasure
