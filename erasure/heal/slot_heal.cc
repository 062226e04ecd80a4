#include "erasure/heal/slot_heal.h"

#include <array>
#include <utility>

#include "erasure/set/key_change.h"
#include "erasure/set/on_slots.h"

namespace mote::erasure {
namespace {

constexpr std::array kFamilies = {Family::sys, Family::obj, Family::ver, Family::mpu, Family::pay};
constexpr std::size_t kRowsPerStep = 512;   // compared without a pause for others
constexpr std::size_t kRowsPerCommit = 16;  // mended under locks at a time
constexpr std::chrono::seconds kRetry{5};   // after a pass that drives stood in the way of

/// The next row of a cursor, or empty at the end.
std::string_view key_at(const IndexCursor& cursor) {
  return cursor.valid() ? cursor.key() : std::string_view{};
}

/// sys rows that all drives share; the rest is each drive's own.
bool is_shared(Family family, std::string_view key) {
  return family != Family::sys || key.starts_with(kBucketRows) || key.starts_with(kTombstoneRows);
}

}  // namespace

SlotHeal::SlotHeal(std::shared_ptr<SetContext> context, Slot slot)
    : context_(std::move(context)),
      slot_(slot),
      executor_(context_->outside.scheduler.make_serial("mote-heal-" + std::to_string(slot))) {}

void SlotHeal::start() {
  ticket_ = context_->gate.enter();
  if (!ticket_) {
    ended_.store(true);
    return;
  }
  begin_pass();
}

void SlotHeal::begin_pass() {
  executor_->post([self = shared_from_this()] {
    self->at_ = {};
    self->mended_ = 0;
    self->waiting_ = 0;
    // Everything up to here is in both indexes that are compared, whatever comes later.
    self->epoch_ = self->context_->members()->configuration.epoch;
    self->floor_ = self->context_->pipeline->applied_everywhere();
    self->step();
  });
}

/// Compares one stretch of rows. Runs on the heal's thread.
void SlotHeal::step() {
  if (ended_.load()) {
    return;
  }
  members_ = context_->members();
  if (cancelled_.load() || !has(members_->healing, slot_) || !members_->slots[slot_].drive ||
      members_->configuration.epoch != epoch_) {
    end();
    return;
  }
  const Family family = kFamilies[at_.family];
  Result<Stretch> stretch =
      family == Family::pay ? compare_payloads(at_.next) : compare(family, at_.next);
  if (!stretch) {
    pause();
    return;
  }
  if (stretch->differing.empty()) {
    advance(*std::move(stretch));
  } else if (family == Family::pay) {
    erase_payloads(*std::move(stretch));
  } else {
    mend(*std::move(stretch));
  }
}

Result<SlotHeal::Stretch> SlotHeal::compare(Family family, const std::string& from) {
  const std::vector<Slot> sources = current_order(*members_);
  if (sources.empty()) {
    return {Errc::read_quorum, "heal.no_source"};
  }
  const Index& there = members_->slots[sources.front()].drive->index();
  const Index& here = members_->slots[slot_].drive->index();
  const auto source = there.cursor(family, "", "", true);
  const auto target = here.cursor(family, "", "", true);
  source->seek(from);
  target->seek(from);
  Stretch stretch;
  for (std::size_t rows = 0; source->valid() || target->valid(); ++rows) {
    const std::string_view a = key_at(*source);
    const std::string_view b = key_at(*target);
    const bool only_source = !target->valid() || (source->valid() && a < b);
    const bool only_target = !only_source && (!source->valid() || b < a);
    const std::string_view key = only_target ? b : a;
    if (rows == kRowsPerStep) {
      stretch.next = key;
      return stretch;
    }
    if (is_shared(family, key) &&
        (only_source || only_target || !is_right(family, key, source->value(), target->value()))) {
      stretch.differing.push_back({family, std::string(key)});
    }
    keys_done_.fetch_add(1, std::memory_order_relaxed);
    if (!only_target) {
      source->next();
    }
    if (!only_source) {
      target->next();
    }
  }
  stretch.end = true;
  const Status walked = source->status();
  const Status walked_here = target->status();
  if (!walked || !walked_here) {
    return walked ? walked_here.error() : walked.error();
  }
  return stretch;
}

/// The target has the same row as the source, and its own shards verify.
bool SlotHeal::is_right(Family family, std::string_view key, std::string_view there,
                        std::string_view here) {
  const Result<std::optional<ShardedRow>> mine = parse_sharded(family, key, as_bytes(here));
  if (!mine) {
    return false;
  }
  if (!mine->has_value()) {
    return there == here;
  }
  const Result<ByteView> common = common_bytes(as_bytes(there));
  const Result<ByteView> own = common_bytes(as_bytes(here));
  if (!common || !own || as_text(*common) != as_text(*own)) {
    return false;
  }
  const ShardedRow& row = **mine;
  const std::uint8_t index = context_->geometry.shard_of_slot(slot_, row.layout.start);
  for (std::size_t i = 0; i < row.extents.size(); ++i) {
    if (row.extents[i].place != ShardPlace::none &&
        (row.local.shard_index != index ||
         !verify_extent(*members_->slots[slot_].drive, row.layout, row.extents[i],
                        row.local.extents[i], index, row.payload))) {
      return false;
    }
  }
  return true;
}

/// Payload rows that only the target has, up to the floor: what refers to them is gone. Those that
/// are missing or damaged there were found by their records.
Result<SlotHeal::Stretch> SlotHeal::compare_payloads(const std::string& from) {
  const std::vector<Slot> sources = current_order(*members_);
  if (sources.empty()) {
    return {Errc::read_quorum, "heal.no_source"};
  }
  const Index& there = members_->slots[sources.front()].drive->index();
  const auto target = members_->slots[slot_].drive->index().cursor(Family::pay, "", "", true);
  const auto source = there.cursor(Family::pay, "", "", true);
  target->seek(from);
  source->seek(from);
  Stretch stretch;
  for (std::size_t rows = 0; target->valid(); ++rows) {
    const std::string_view key = target->key();
    const std::optional<PayloadRow> row = parse_payload_row(key);
    if (row && row->data_seq > floor_) {
      stretch.end = true;
      return stretch;
    }
    if (rows == kRowsPerStep) {
      stretch.next = key;
      return stretch;
    }
    while (source->valid() && source->key() < key) {
      source->next();
    }
    if (const Status walked = source->status(); !walked) {
      return walked.error();
    }
    if (row && (!source->valid() || source->key() != key)) {
      stretch.differing.push_back({Family::pay, std::string(key)});
    }
    keys_done_.fetch_add(1, std::memory_order_relaxed);
    target->next();
  }
  stretch.end = true;
  if (const Status walked = target->status(); !walked) {
    return walked.error();
  }
  return stretch;
}

void SlotHeal::mend(Stretch stretch) {
  mend_next(std::make_shared<Stretch>(std::move(stretch)), 0);
}

void SlotHeal::mend_next(std::shared_ptr<Stretch> stretch, std::size_t at) {
  if (at >= stretch->differing.size() || cancelled_.load()) {
    advance(std::move(*stretch));
    return;
  }
  const std::size_t end = std::min(at + kRowsPerCommit, stretch->differing.size());
  std::vector<DamagedRow> rows(stretch->differing.begin() + static_cast<std::ptrdiff_t>(at),
                               stretch->differing.begin() + static_cast<std::ptrdiff_t>(end));
  std::make_shared<MendTask>(
      context_, *executor_, std::move(rows),
      [slot = slot_](const Members& members) {
        return static_cast<SlotMask>(members.healing & bit(slot));
      },
      [self = shared_from_this(), stretch, end](Result<MendReport> report) mutable {
        self->executor_->post([self, stretch = std::move(stretch), end, report] {
          if (!report) {
            ++self->waiting_;
          } else {
            self->mended_ += report->mended;
            self->waiting_ += report->waiting;
            self->context_->reach(CrashPoint::heal_key_done);
          }
          self->mend_next(stretch, end);
        });
      })
      ->start();
}

void SlotHeal::erase_payloads(Stretch stretch) {
  std::vector<SlotRows> slots(context_->drives());
  for (DamagedRow& row : stretch.differing) {
    slots[slot_].erase(Family::pay, std::move(row.row));
  }
  mended_ += stretch.differing.size();
  context_->pipeline->submit(
      std::make_shared<SlotCommit>(std::move(slots)),
      [self = shared_from_this(), stretch = std::move(stretch)](Result<CommitSeq> seq) mutable {
        self->executor_->post([self, stretch = std::move(stretch), ok = seq.has_value()]() mutable {
          self->waiting_ += ok ? 0 : 1;
          self->advance(std::move(stretch));
        });
      });
}

/// On to the next stretch, family, or the end of the pass. Posts, so that others get the thread.
void SlotHeal::advance(Stretch stretch) {
  at_.next = std::move(stretch.next);
  if (stretch.end) {
    ++at_.family;
    at_.next.clear();
  }
  executor_->post([self = shared_from_this()] {
    if (self->at_.family < kFamilies.size()) {
      self->step();
    } else {
      self->end_pass();
    }
  });
}

void SlotHeal::end_pass() {
  if (cancelled_.load()) {
    end();
  } else if (waiting_ > 0) {
    pause();
  } else if (mended_ > 0) {
    begin_pass();
  } else {
    promote();
  }
}

void SlotHeal::promote() {
  const std::shared_ptr<Drive> drive = context_->members()->slots[slot_].drive;
  if (!drive || !drive->index().flush()) {
    pause();
    return;
  }
  context_->reach(CrashPoint::heal_finished);
  context_->pipeline->promote(slot_, epoch_, [self = shared_from_this()](Status promoted) {
    self->executor_->post([self, promoted] {
      if (promoted || promoted.error().code == Errc::invalid_argument) {
        self->end();
      } else {
        self->pause();
      }
    });
  });
}

/// Something stands in the way: later, from the beginning.
void SlotHeal::pause() {
  if (cancelled_.load() || !has(context_->members()->healing, slot_)) {
    end();
    return;
  }
  members_.reset();
  retry_ = context_->outside.scheduler.after(kRetry, [self = shared_from_this()] {
    self->executor_->post([self] {
      if (std::exchange(self->retry_, 0) != 0) {
        self->begin_pass();
      }
    });
  });
}

void SlotHeal::cancel() {
  cancelled_.store(true);
  executor_->post([self = shared_from_this()] {
    if (const Scheduler::TimerId timer = std::exchange(self->retry_, 0); timer != 0) {
      self->context_->outside.scheduler.cancel(timer);
      self->end();
    }
  });
}

void SlotHeal::end() {
  members_.reset();
  ticket_.reset();
  ended_.store(true);
}

}  // namespace mote::erasure
