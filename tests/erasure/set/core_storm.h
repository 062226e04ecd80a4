#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "erasure/meta/row_batch.h"
#include "tests/erasure/set/core_fixture.h"

namespace mote::erasure::test {

/// Cuts the power when the protocol has reached one point for the nth time, and counts all of them.
class CutAtPoint final : public CrashPoints {
 public:
  explicit CutAtPoint(sim::SimFs& fs) : fs_(fs) {}
  void reach(CrashPoint point) override {
    ++counts_[static_cast<std::size_t>(point)];
    if (armed_ && point == point_ && --nth_ == 0) {
      armed_ = false;
      fs_.faults().cut_at(1);
    }
  }
  void arm(CrashPoint point, std::uint64_t nth) {
    armed_ = true;
    point_ = point;
    nth_ = nth;
  }
  void disarm() { armed_ = false; }
  [[nodiscard]] std::uint64_t count(CrashPoint point) const {
    return counts_[static_cast<std::size_t>(point)];
  }

 private:
  sim::SimFs& fs_;
  bool armed_ = false;
  CrashPoint point_ = CrashPoint::count_;
  std::uint64_t nth_ = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(CrashPoint::count_)> counts_{};
};

/// Random commits, faults and power cuts on one set, against a ledger that knows what was
/// acknowledged and what was read. All commits of a set are one order, so after every start the set
/// has to show exactly the first P of them, where P covers everything acknowledged and everything
/// that a reader saw.
class Storm {
 public:
  Storm(std::uint8_t k, std::uint8_t m, std::uint64_t seed, SetBug bug = SetBug::none)
      : sim(k, m, seed), points(sim.fs), rng_(seed * 7919 + 13) {
    sim.options.bug = bug;
    sim.crash_points = &points;
  }

  /// Prints what happens, to read a failing seed.
  bool verbose = false;

  /// One life of the process and what comes after it. Empty, or what is wrong.
  std::string run(std::size_t lives) {
    if (!sim.format()) {
      return "format failed";
    }
    for (std::size_t life = 0; life < lives && problem_.empty(); ++life) {
      start();
      if (problem_.empty()) {
        live();
        end();
      }
    }
    if (problem_.empty()) {
      start();
    }
    return problem_;
  }

  SimSet sim;
  CutAtPoint points;
  std::uint64_t cuts = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t expelled = 0;
  std::uint64_t healed = 0;

 private:
  static constexpr std::size_t kKeys = 4;
  using State = std::map<std::string, std::string>;
  struct Write {
    std::string key;
    std::string value;
    std::shared_ptr<Outcome> outcome;
  };

  static std::string key_of(std::size_t i) { return "key" + std::to_string(i); }
  bool chance(std::uint64_t of) { return rng_.below(of) == 0; }
  void say(const std::string& what) const {
    if (verbose) {
      std::fprintf(stderr, "%8lld ms  %s\n", static_cast<long long>(now_ms()), what.c_str());
    }
  }
  [[nodiscard]] std::int64_t now_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock_.steady().time_since_epoch())
        .count();
  }
  void say_members(const std::string& when) const {
    const auto members = sim.members();
    std::string text = when + ": " + to_string(members->configuration);
    for (const Member& member : members->slots) {
      text += " " + std::string(to_string(member.state));
    }
    text += members->frozen ? " frozen" : "";
    text += members->read_only ? " read-only" : "";
    say(text + ", history " + std::to_string(history_.size()) + " floor " + std::to_string(floor_));
  }
  void fail(std::string what) {
    if (problem_.empty()) {
      problem_ = std::move(what);
    }
  }

  static State state_of(const Drive& drive) {
    State state;
    for (std::size_t i = 0; i < kKeys; ++i) {
      if (auto value = read_row(drive, key_of(i))) {
        state[key_of(i)] = *value;
      }
    }
    return state;
  }

  void start() {
    const std::vector<std::string> lost = lose_drives();
    for (int attempt = 0; attempt < 20; ++attempt) {
      const bool power_fails = attempt < 2 && chance(3);
      if (power_fails) {
        sim.fs.faults().cut_at(1 + rng_.below(400));
      }
      const Status opened = sim.open();
      if (opened && !(power_fails && !sim.fs.faults().powered())) {
        sim.fs.faults().power_on();
        say_members("opened");
        check();
        bring_back(lost);
        return;
      }
      if (sim.fs.faults().powered()) {
        fail("open: " + describe(opened.error()) + ": " + sim.problem);
        return;
      }
      say("power fails in start");
      sim.crash();
      sim.fs.restart(rng_.next(), random_mode());
    }
    fail("open does not succeed");
  }

  /// Takes away as many drives as the set can lose beside those that are not current anyway.
  std::vector<std::string> lose_drives() {
    std::vector<std::string> lost;
    std::size_t spare = sim.options.m > behind_ ? sim.options.m - behind_ : 0;
    while (spare > 0 && chance(3)) {
      const std::string path = sim.paths[rng_.below(sim.paths.size())];
      if (std::find(lost.begin(), lost.end(), path) == lost.end()) {
        say("lose " + path);
        sim.fs.disappear(path);
        lost.push_back(path);
      }
      --spare;
    }
    return lost;
  }
  void bring_back(const std::vector<std::string>& lost) {
    for (const std::string& path : lost) {
      sim.fs.reappear(path);
    }
  }

  /// What a start shows is the outcome of the first P commits, the same on every current drive.
  void check() {
    const auto members = sim.members();
    if (!members->list_slot) {
      fail("no current drive after a start");
      return;
    }
    const State shown = state_of(*members->slots[*members->list_slot].drive);
    for (Slot slot = 0; slot < members->slots.size(); ++slot) {
      if (members->is_current(slot) && state_of(*members->slots[slot].drive) != shown) {
        fail("drives disagree after a start: slot " + std::to_string(slot));
      }
    }
    State state = base_;
    bool found = floor_ == 0 && state == shown;
    for (std::size_t p = 0; p < history_.size(); ++p) {
      state[history_[p].key] = history_[p].value;
      found = found || (p + 1 >= floor_ && state == shown);
    }
    if (!found) {
      fail("lost or mixed: " + std::to_string(history_.size()) + " commits, the first " +
           std::to_string(floor_) + " were acknowledged or read");
    }
    // A read-only start may show what a later one has to void (storage.md 3.5).
    if (!members->read_only) {
      base_ = shown;
      history_.clear();
      floor_ = 0;
    }
  }

  void live() {
    if (sim.members()->read_only) {
      return;
    }
    epoch_ = sim.members()->configuration.epoch;
    plan_faults();
    const std::size_t bursts = 1 + rng_.below(6);
    for (std::size_t burst = 0; burst < bursts && sim.fs.faults().powered(); ++burst) {
      observe();
      submit_some();
      const std::size_t steps = rng_.below(60);
      for (std::size_t i = 0; i < steps && sim.scheduler.step(); ++i) {
      }
      observe();
      if (chance(4)) {
        sim.scheduler.run_for(std::chrono::milliseconds(rng_.below(3000)));
        observe();
      }
      if (chance(3)) {
        heal_all();
      }
    }
  }

  void plan_faults() {
    const std::string& path = sim.paths[rng_.below(sim.paths.size())];
    const std::uint64_t choice = rng_.below(6);
    say("fault " + std::to_string(choice) + " " + path);
    switch (choice) {
      case 0:
        sim.fs.faults().fail(
            {sim::VfsCall::sync_data, path + "/log", 1 + rng_.below(8), false, chance(2), {}});
        break;
      case 1:
        sim.fs.faults().fail(
            {sim::VfsCall::pwrite, path + "/log", 1 + rng_.below(8), false, false, {}});
        break;
      case 2:
        sim.fs.faults().cut_at(1 + rng_.below(120), chance(2));
        break;
      case 3:
        points.arm(
            static_cast<CrashPoint>(rng_.below(static_cast<std::uint64_t>(CrashPoint::count_))),
            1 + rng_.below(12));
        break;
      default:
        break;
    }
  }

  void submit_some() {
    const std::size_t count = 1 + rng_.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string key = key_of(rng_.below(kKeys));
      const std::string value = "v" + std::to_string(++next_value_);
      const std::size_t padding = chance(6) ? rng_.below(9000) : 0;
      auto outcome = sim.put(key, value, padding);
      if (!outcome->done || outcome->acknowledged()) {
        history_.push_back({key, value, std::move(outcome)});  // else it was refused: no number
      }
    }
  }

  /// Notes what is acknowledged and what readers see now: neither may go away again.
  void observe() {
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].outcome->acknowledged()) {
        floor_ = std::max(floor_, i + 1);
      }
    }
    const auto members = sim.members();
    if (members->configuration.epoch != epoch_) {
      // The set could not write and was recovered while it ran: what was in doubt is settled.
      epoch_ = members->configuration.epoch;
      check();
    }
    for (Slot slot = 0; slot < members->slots.size(); ++slot) {
      if (!members->is_current(slot)) {
        continue;
      }
      const State state = state_of(*members->slots[slot].drive);
      for (std::size_t i = 0; i < history_.size(); ++i) {
        const auto row = state.find(history_[i].key);
        if (row != state.end() && row->second == history_[i].value) {
          floor_ = std::max(floor_, i + 1);
        }
      }
    }
  }

  void end() {
    points.disarm();
    if (!sim.members()->read_only) {
      observe();
    }
    expelled += sim.set->pipeline().stats().expelled;
    for (const Write& write : history_) {
      acknowledged += write.outcome->acknowledged() ? 1U : 0U;
    }
    say_members("life ends");
    behind_ = sim.paths.size() - static_cast<std::size_t>(std::popcount(sim.members()->current));
    switch (rng_.below(8)) {
      case 0:  // kill -9: the machine goes on
        sim.fs.faults().clear_faults();
        if (sim.fs.faults().powered()) {
          sim.crash();
          return;
        }
        break;
      case 1:
        if (sim.fs.faults().powered()) {
          sim.fs.faults().clear_faults();  // a drive that leaves now would not be counted
          sim.close();
          observe_acknowledged();
          return;
        }
        break;
      default:
        break;
    }
    ++cuts;
    say("power cut");
    sim.cut_power(rng_.next(), random_mode());
  }
  void observe_acknowledged() {
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (history_[i].outcome->acknowledged()) {
        floor_ = std::max(floor_, i + 1);
      }
    }
  }

  sim::CutMode random_mode() { return static_cast<sim::CutMode>(rng_.below(4)); }

  /// A heal by copying everything, in a quiet moment.
  void heal_all() {
    sim.scheduler.run_until_idle();
    const std::vector<Slot> wanted = std::move(sim.healing);
    sim.healing.clear();
    for (const Slot slot : wanted) {
      const auto members = sim.members();
      const bool idle = std::all_of(history_.begin(), history_.end(),
                                    [](const Write& write) { return write.outcome->done; });
      if (!members->list_slot || !idle || members->slots[slot].state != DriveState::healing) {
        sim.healing.push_back(slot);
        continue;
      }
      Index& target = members->slots[slot].drive->index();
      RowBatch rows;
      const State wanted_state = state_of(*members->slots[*members->list_slot].drive);
      for (std::size_t i = 0; i < kKeys; ++i) {
        const auto row = wanted_state.find(key_of(i));
        if (row == wanted_state.end()) {
          rows.erase(Family::obj, object_row(1, key_of(i)));
        } else {
          rows.put(Family::obj, object_row(1, key_of(i)), row->second);
        }
      }
      if (!target.apply({as_bytes(rows.encoded())}, target.applied()) || !target.flush()) {
        continue;
      }
      sim.set->pipeline().promote(slot, sim.set->members()->configuration.epoch,
                                  [this](Status promoted) { healed += promoted ? 1U : 0U; });
      sim.scheduler.run_until_idle();
    }
  }

  const Clock& clock_{sim.scheduler.clock()};
  SeededRng rng_;
  State base_;                  // what the last start showed
  std::vector<Write> history_;  // numbered since then, in order
  std::size_t floor_ = 0;       // so many of them have to stay
  std::uint32_t epoch_ = 0;     // of the configuration that was last seen
  std::uint64_t next_value_ = 0;
  std::size_t behind_ = 0;  // drives that were not current when the last life ended
  std::string problem_;
};

}  // namespace mote::erasure::test
