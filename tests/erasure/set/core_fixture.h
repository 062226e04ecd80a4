#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/base/rng.h"
#include "erasure/drive/drive.h"
#include "erasure/meta/keys.h"
#include "erasure/set/drive_set.h"
#include "tests/sim/sim_fs.h"
#include "tests/sim/sim_scheduler.h"

namespace mote::erasure::test {

/// The smallest commit: one row, the same on every drive.
class OneRow final : public Commit {
 public:
  OneRow(std::string key, std::string value, std::size_t padding = 0)
      : key_(std::move(key)), value_(std::move(value)), padding_(padding) {}

  void render(CommitSeq, Slot, RowBatch& rows) const override {
    rows.put(Family::obj, object_row(1, key_), value_);
    if (padding_ != 0) {
      rows.put(Family::obj, object_row(2, "padding"), std::string(padding_, 'p'));
    }
  }
  [[nodiscard]] std::size_t bytes() const override {
    return key_.size() + value_.size() + padding_ + 64;
  }
  [[nodiscard]] SlotMask holders() const override { return holders_; }
  [[nodiscard]] bool frees_space() const override { return frees_; }

  SlotMask holders_ = static_cast<SlotMask>(~SlotMask{0});
  bool frees_ = false;

 private:
  std::string key_;
  std::string value_;
  std::size_t padding_;
};

/// The value of a key on one drive, whatever the drive's state. Nothing if the row is not there.
inline std::optional<std::string> read_row(const Drive& drive, const std::string& key) {
  const auto row = drive.index().get(Family::obj, object_row(1, key), ReadTier::device);
  if (!row || !*row) {
    return std::nullopt;
  }
  return std::string(as_text((*row)->bytes));
}

/// What became of one submit().
struct Outcome {
  bool done = false;
  std::optional<Error> error;
  CommitSeq seq;
  [[nodiscard]] bool acknowledged() const { return done && !error; }
};

/// A whole set in one thread: simulated drives, scheduler and clock, all from one seed.
class SimSet {
 public:
  SimSet(std::uint8_t k, std::uint8_t m, std::uint64_t seed)
      : scheduler(seed), rng(seed + 1), resources({8 * kMiB, 16 * kMiB, 6}) {
    options.k = k;
    options.m = m;
    options.segment_bytes = 64 * kKiB;
    options.flush_log_bytes = 128 * kKiB;
    options.deterministic = true;
    for (unsigned i = 0; i < options.drives(); ++i) {
      paths.push_back("/d" + std::to_string(i));
      fs.add_drive(paths.back());
    }
  }
  ~SimSet() { crash(); }
  SimSet(const SimSet&) = delete;
  SimSet& operator=(const SimSet&) = delete;

  [[nodiscard]] SetEnvironment environment() {
    return {fs, scheduler, scheduler.clock(), rng, resources, crash_points};
  }
  Status format() { return DriveSet::format(environment(), options, paths); }
  Status open() {
    auto opened = DriveSet::open(
        environment(), options, paths, [this](Slot slot) { healing.push_back(slot); }, &problem);
    if (!opened) {
      return opened.error();
    }
    set = std::move(*opened);
    return ok();
  }
  /// The process ends here: what is queued never runs.
  void crash() {
    scheduler.drop_all();
    set.reset();
    scheduler.drop_all();
    healing.clear();
  }
  /// crash() and the power goes with it.
  void cut_power(std::uint64_t seed, sim::CutMode mode) {
    fs.faults().cut_at(1);
    crash();
    fs.restart(seed, mode);
    fs.faults().clear_faults();
  }
  void close() {
    set->close();
    set.reset();
    healing.clear();
  }

  std::shared_ptr<Outcome> put(const std::string& key, const std::string& value,
                               std::size_t padding = 0) {
    return submit(std::make_shared<OneRow>(key, value, padding));
  }
  std::shared_ptr<Outcome> submit(std::shared_ptr<const Commit> commit) {
    auto outcome = std::make_shared<Outcome>();
    set->pipeline().submit(std::move(commit), [outcome](Result<CommitSeq> result) {
      outcome->done = true;
      if (result) {
        outcome->seq = *result;
      } else {
        outcome->error = result.error();
      }
    });
    return outcome;
  }
  bool run_until_done(const std::shared_ptr<Outcome>& outcome) {
    return scheduler.run_until([outcome] { return outcome->done; }, std::chrono::seconds(30));
  }
  /// Puts and waits; true if it was acknowledged.
  bool put_now(const std::string& key, const std::string& value) {
    const auto outcome = put(key, value);
    run_until_done(outcome);
    return outcome->acknowledged();
  }
  /// Hangs one thread of one drive ("log", "apply"), or of all drives.
  void hang(Slot slot, const std::string& what) { scheduler.hold(thread_of(slot, what)); }
  void unhang(Slot slot, const std::string& what) { scheduler.release(thread_of(slot, what)); }
  void hang_all(const std::string& what) {
    for (Slot slot = 0; slot < paths.size(); ++slot) {
      hang(slot, what);
    }
  }
  void unhang_all(const std::string& what) {
    for (Slot slot = 0; slot < paths.size(); ++slot) {
      unhang(slot, what);
    }
  }
  static std::string thread_of(Slot slot, const std::string& what) {
    return "s0d" + std::to_string(slot) + "-" + what;
  }
  [[nodiscard]] std::shared_ptr<const Members> members() const { return set->members(); }
  [[nodiscard]] DriveState state(Slot slot) const { return members()->slots[slot].state; }
  /// As a reader would: from the list drive.
  std::optional<std::string> read(const std::string& key) {
    const auto now = members();
    return now->list_slot ? read_row(*now->slots[*now->list_slot].drive, key) : std::nullopt;
  }

  sim::SimScheduler scheduler;
  sim::SimFs fs;
  SeededRng rng;
  IndexResources resources;
  SetOptions options;
  std::vector<std::string> paths;
  std::vector<Slot> healing;  ///< slots whose heal was asked for
  std::string problem;
  CrashPoints* crash_points = nullptr;
  std::unique_ptr<DriveSet> set;
};

}  // namespace mote::erasure::test
