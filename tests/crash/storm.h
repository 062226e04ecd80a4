#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "tests/crash/crash_world.h"

namespace mote::crash {

/// Random operations of one client on a whole store, with power cuts in them, in start-up and in
/// heals, and with drives that go away and come back as they were or blank; never more than m
/// drives short at a time. After every start everything is compared with the ledger.
class StoreStorm {
 public:
  StoreStorm(unsigned k, unsigned m, std::uint64_t seed,
             erasure::SetBug bug = erasure::SetBug::none)
      : world(k, m, seed), m_(m), rng_(seed * 7919 + 13) {
    world.options.bug = bug;
  }

  World world;
  std::uint64_t cuts = 0;
  std::uint64_t cuts_in_start = 0;
  std::uint64_t cuts_in_heal = 0;
  std::uint64_t starts = 0;
  std::uint64_t heals = 0;

  /// Empty, or what is wrong.
  std::string run(std::size_t lives) {
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

 private:
  static constexpr std::size_t kKeys = 5;

  bool chance(std::uint64_t of) { return rng_.below(of) == 0; }
  sim::CutMode mode() { return static_cast<sim::CutMode>(rng_.below(4)); }
  std::string key() { return "key" + std::to_string(rng_.below(kKeys)); }
  void say(const std::string& what) const { world.say(what); }
  std::string drives() const {
    std::string text;
    for (const DriveStatus& drive : world.store->status().drives) {
      text += " " + std::string(to_string(drive.state));
    }
    return text;
  }

  /// As many drives as the set can lose beside those that were behind, and still take writes, are
  /// missing at the start: what was acknowledged has to be on the others.
  std::vector<std::string> lose_drives() {
    std::vector<std::string> lost;
    const std::size_t n = world.options.drives.size();
    const std::size_t k = n - m_;
    const std::size_t write_quorum = std::max<std::size_t>(k, m_ + 1);
    while (behind_ + lost.size() < m_ && n - behind_ - lost.size() - 1 >= write_quorum &&
           chance(3)) {
      const std::string path = world.options.drives[rng_.below(n)];
      if (std::find(lost.begin(), lost.end(), path) == lost.end()) {
        say("start without " + path);
        world.fs.disappear(path);
        lost.push_back(path);
      }
    }
    return lost;
  }

  void start() {
    const std::vector<std::string> lost =
        bucket_acknowledged_ ? lose_drives() : std::vector<std::string>();
    start_somehow();
    for (const std::string& path : lost) {
      world.fs.reappear(path);
    }
  }
  void start_somehow() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const bool power_fails = attempt < 2 && chance(3);
      if (power_fails) {
        // The first start formats, which takes some 450 calls a drive.
        const std::size_t calls = starts == 0 ? 450 * world.options.drives.size() : 600;
        world.fs.faults().cut_at(1 + rng_.below(calls));
      }
      const Status opened = world.open();
      if (opened && world.fs.faults().powered()) {
        world.fs.faults().cut_at(0);
        ++starts;
        say("opened:" + drives());
        first_bucket();
        check();
        return;
      }
      if (world.fs.faults().powered()) {
        problem_ = "open: " + describe(opened.error()) + ": " + world.problem;
        return;
      }
      say("power fails in start");
      world.cut_power(rng_.next(), mode());
      ++cuts;
      ++cuts_in_start;
    }
    problem_ = "open does not succeed";
  }
  void first_bucket() {
    if (!world.store->find_bucket(World::kBucket)) {
      if (bucket_acknowledged_) {
        problem_ = "the bucket is gone";
        return;
      }
      world.create_bucket(World::kBucket);
      world.finish();
    }
    bucket_acknowledged_ = world.store->find_bucket(World::kBucket) != nullptr;
    world.buckets[World::kBucket] = {bucket_acknowledged_, std::nullopt};
  }
  void check() {
    if (problem_.empty() && bucket_acknowledged_) {
      problem_ = world.verify();
    }
  }

  void live() {
    if (!bucket_acknowledged_) {
      return;
    }
    plan_fault();
    const std::size_t bursts = 2 + rng_.below(6);
    for (std::size_t burst = 0; burst < bursts && world.fs.faults().powered(); ++burst) {
      const std::size_t operations = 1 + rng_.below(5);
      for (std::size_t i = 0; i < operations; ++i) {
        operate();
        if (chance(3)) {
          world.look(key());
        }
      }
      const std::size_t steps = rng_.below(400);
      for (std::size_t i = 0; i < steps && world.scheduler.step(); ++i) {
      }
      world.look(key());
      if (chance(3)) {
        world.finish();
      }
      if (chance(5)) {
        world.scheduler.run_for(std::chrono::milliseconds(rng_.below(1500)));
      }
      if (chance(8)) {
        lose_and_return();
      }
    }
  }

  void operate() {
    const std::string name = key();
    if (world.busy(name)) {
      return;
    }
    const std::uint64_t choice = rng_.below(20);
    if (choice < 6) {
      world.put(name, rng_.below(1500));
    } else if (choice < 8) {
      world.put(name, rng_.below(12'000));
    } else if (choice < 10) {
      world.put(name, 10'000 + rng_.below(50'000));
    } else if (choice == 10) {
      world.put(name, kMiB + rng_.below(100'000));
    } else if (choice < 13) {
      world.remove(name);
    } else if (choice < 15) {
      world.tag(name);
    } else if (choice == 15 && !world.uploads.contains(name)) {
      world.create_upload(name);
    } else if (choice < 18) {
      world.put_part(name, static_cast<std::uint16_t>(1 + rng_.below(3)), rng_.below(60'000));
    } else if (choice == 18) {
      world.complete(name);
    } else {
      toggle_bucket();
    }
  }
  void toggle_bucket() {
    const std::string name = "extra";
    if (world.busy("bucket " + name)) {
      return;
    }
    if (world.buckets[name].acknowledged) {
      world.delete_bucket(name);
    } else {
      world.create_bucket(name);
    }
  }

  void plan_fault() {
    const std::string& path = world.options.drives[rng_.below(world.options.drives.size())];
    switch (rng_.below(6)) {
      case 0:
      case 1:
        world.fs.faults().cut_at(1 + rng_.below(400), chance(2));
        break;
      case 2:
        world.points.arm(static_cast<erasure::CrashPoint>(
                             rng_.below(static_cast<std::uint64_t>(erasure::CrashPoint::count_))),
                         1 + rng_.below(6));
        break;
      case 3:
      case 4:
        if (m_ > 0 && not_current() == 0) {  // a drive breaks and is expelled
          const bool sync = chance(2);
          world.fs.faults().fail({sync ? sim::VfsCall::sync_data : sim::VfsCall::pwrite,
                                  path + "/log",
                                  1 + rng_.below(8),
                                  false,
                                  sync && chance(2),
                                  {}});
        }
        break;
      default:
        break;
    }
  }

  [[nodiscard]] std::size_t not_current() const {
    std::size_t count = 0;
    for (const DriveStatus& drive : world.store->status().drives) {
      count += drive.state == DriveState::current ? 0U : 1U;
    }
    return count;
  }

  [[nodiscard]] bool is_away(const std::string& path) const {
    const std::vector<DriveStatus> all = world.store->status().drives;
    return std::any_of(all.begin(), all.end(), [&path](const DriveStatus& drive) {
      return drive.path == path && drive.state == DriveState::offline;
    });
  }

  /// A drive goes away for a while and comes back, as it was or blank, and heals; the power may
  /// fail in it.
  void lose_and_return() {
    if (m_ == 0 || !world.fs.faults().powered() || not_current() != 0) {
      return;
    }
    const std::string path = world.options.drives[rng_.below(world.options.drives.size())];
    say("lose " + path);
    world.fs.disappear(path);
    world.scheduler.run_for(std::chrono::milliseconds(1500));
    for (std::size_t i = 0; i < 3; ++i) {
      operate();
    }
    world.finish();
    // Below W a drive is not expelled: the set stops writing with it, and needs what is on it. So
    // it does when another drive is behind.
    const bool blank = not_current() == 1 && is_away(path) && chance(3);
    world.fs.reappear(path);
    if (blank) {
      world.fs.replace_with_blank(path);
      world.store->replace_drive(path, [](const Status&) {});
    }
    if (chance(2) && world.fs.faults().powered()) {
      world.fs.faults().cut_at(1 + rng_.below(600));
    }
    world.scheduler.run_until([&] { return not_current() == 0 || !world.fs.faults().powered(); },
                              std::chrono::seconds(60));
    if (!world.fs.faults().powered()) {
      ++cuts_in_heal;
    }
    heals += not_current() == 0 ? 1U : 0U;
    say(std::string("returned ") + (blank ? "blank" : "as it was") + ":" + drives());
  }

  void end() {
    behind_ = not_current();
    if (!world.wrong.empty()) {
      problem_ = world.wrong;
    }
    if (chance(8) && world.fs.faults().powered() && not_current() == 0) {
      say("kill");
      world.crash();
      world.points.disarm();
      world.fs.faults().clear_faults();
      world.fs.faults().cut_at(0);
      return;
    }
    say("power cut");
    ++cuts;
    world.cut_power(rng_.next(), mode());
  }

  const unsigned m_;
  std::size_t behind_ = 0;  // drives that were not current when the last life ended
  SeededRng rng_;
  bool bucket_acknowledged_ = false;
  std::string problem_;
};

}  // namespace mote::crash
