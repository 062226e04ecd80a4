#include <stdlib.h>

#include <atomic>
#include <filesystem>

#include <doctest/doctest.h>

#include "erasure/base/thread_scheduler.h"
#include "erasure/io/posix_vfs.h"
#include "tests/erasure/set/core_fixture.h"
#include "tests/sim/fault_vfs.h"
#include "tests/support/check_result.h"

using namespace mote;
using namespace mote::erasure;
using namespace mote::erasure::test;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A set on real threads and a real file system.
struct RealSet {
  RealSet(std::uint8_t k, std::uint8_t m) : resources({8 * kMiB, 32 * kMiB, 4}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "mote-set-XXXXXX").string();
    REQUIRE_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    options.k = k;
    options.m = m;
    options.segment_bytes = kMiB;
    options.watch_every = milliseconds(50);
    options.readmit_every = milliseconds(50);
    for (unsigned i = 0; i < options.drives(); ++i) {
      paths.push_back(root + "/d" + std::to_string(i));
      vfs.faults().watch_root(paths.back());
    }
    REQUIRE_OK(DriveSet::format(environment(), options, paths));
  }
  ~RealSet() {
    set.reset();
    std::filesystem::remove_all(root);
  }
  RealSet(const RealSet&) = delete;
  RealSet& operator=(const RealSet&) = delete;

  SetEnvironment environment() { return {vfs, scheduler, clock, rng, resources}; }
  void open(HealStarter heal) {
    std::string problem;
    auto opened = DriveSet::open(environment(), options, paths, std::move(heal), &problem);
    CAPTURE(problem);
    REQUIRE_OK(opened);
    set = std::move(*opened);
  }

  std::string root;
  PosixVfs posix;
  sim::FaultVfs vfs{posix};
  ThreadScheduler scheduler;
  SystemClock clock;
  SystemRng rng;
  IndexResources resources;
  SetOptions options;
  std::vector<std::string> paths;
  std::unique_ptr<DriveSet> set;
};

/// Closed loops of writers: each submits its next commit when the one before is acknowledged.
class Writers {
 public:
  Writers(DriveSet& set, std::size_t writers, std::uint64_t total)
      : set_(set), writers_(writers), total_(total) {}

  void run(Scheduler& scheduler) {
    running_ = writers_;
    for (std::size_t writer = 0; writer < writers_; ++writer) {
      next(writer);
    }
    CHECK(scheduler.wait(finished_, seconds(120)));
  }
  std::atomic<std::uint64_t> acknowledged{0};
  std::atomic<std::uint64_t> failed{0};

 private:
  void next(std::size_t writer) {
    const std::uint64_t number = started_++;
    if (number >= total_) {
      if (--running_ == 0) {
        finished_.set();
      }
      return;
    }
    auto commit =
        std::make_shared<OneRow>("w" + std::to_string(writer), std::to_string(number), 100);
    set_.pipeline().submit(std::move(commit), [this, writer](Result<CommitSeq> result) {
      ++(result ? acknowledged : failed);
      next(writer);
    });
  }

  DriveSet& set_;
  const std::size_t writers_;
  const std::uint64_t total_;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::size_t> running_{0};
  Event finished_;
};

}  // namespace

TEST_CASE("threads: sixteen writers share syncs: at most a quarter of one a commit and drive") {
  RealSet real(2, 1);
  real.options.expel_after = seconds(60);  // a machine under load is not what is tested here
  real.open({});
  Writers warm(*real.set, 16, 200);
  warm.run(real.scheduler);
  real.vfs.faults().delay_syncs(milliseconds(2));
  std::vector<std::uint64_t> before;
  for (const std::string& path : real.paths) {
    before.push_back(real.vfs.faults().syncs(path).data);
  }
  Writers writers(*real.set, 16, 1600);
  writers.run(real.scheduler);
  CHECK_EQ(writers.acknowledged, 1600);
  for (std::size_t i = 0; i < real.paths.size(); ++i) {
    const std::uint64_t syncs = real.vfs.faults().syncs(real.paths[i]).data - before[i];
    MESSAGE(real.paths[i], ": ", syncs, " syncs for 1600 commits");
    CHECK_LE(syncs, 400);
  }
  real.vfs.faults().delay_syncs(milliseconds(0));
  real.set->close();
}

TEST_CASE("threads: a lone writer waits for one sync a drive") {
  RealSet real(1, 1);
  real.options.expel_after = seconds(60);
  real.open({});
  Writers warm(*real.set, 1, 20);
  warm.run(real.scheduler);
  real.vfs.faults().delay_syncs(milliseconds(2));
  const std::uint64_t before = real.vfs.faults().syncs(real.paths[0]).data;
  Writers writers(*real.set, 1, 100);
  writers.run(real.scheduler);
  CHECK_LE(real.vfs.faults().syncs(real.paths[0]).data - before, 101);
  real.vfs.faults().delay_syncs(milliseconds(0));
  real.set->close();
}

TEST_CASE("threads: writers, readers, expulsions, returns and promotions at once") {
  RealSet real(2, 2);
  std::atomic<std::uint64_t> heals{0};
  real.open([&](Slot slot) {
    ++heals;
    real.set->pipeline().promote(slot, real.set->members()->configuration.epoch,
                                 [](const Status&) {});
  });
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> reads{0};
  Event reader_stopped;
  const auto reader = real.scheduler.make_serial("reader");
  reader->post([&] {
    while (!stop) {
      const auto members = real.set->members();
      if (members->list_slot) {
        reads += read_row(*members->slots[*members->list_slot].drive, "w0") ? 1U : 0U;
      }
    }
    reader_stopped.set();
  });
  const auto breaker = real.scheduler.make_serial("breaker");
  Event breaker_stopped;
  breaker->post([&] {
    Slot slot = 0;
    while (!stop) {
      real.set->pipeline().report_failure(slot, {Errc::io_error, 5, "test"});
      slot = static_cast<Slot>((slot + 1) % 4);
      Event pause;
      static_cast<void>(pause.wait_for(milliseconds(30)));
    }
    breaker_stopped.set();
  });
  Writers writers(*real.set, 16, 6000);
  writers.run(real.scheduler);
  stop = true;
  CHECK(real.scheduler.wait(reader_stopped, seconds(20)));
  CHECK(real.scheduler.wait(breaker_stopped, seconds(20)));
  CHECK_EQ(writers.acknowledged + writers.failed, 6000);
  CHECK_GT(writers.acknowledged, 0);
  CHECK_GT(reads, 0);
  CHECK_GT(real.set->pipeline().stats().expelled, 0);
  MESSAGE("acknowledged ", writers.acknowledged.load(), ", failed ", writers.failed.load(),
          ", heals ", heals.load(), ", reads ", reads.load());
  real.set->close();
}

TEST_CASE("threads: a hung drive holds up neither writers nor close") {
  // The drive that hangs is given up, with its threads: what they use has to stay for good.
  static RealSet* const kept = new RealSet(2, 1);
  RealSet& real = *kept;
  real.options.expel_after = milliseconds(200);
  real.open({});
  Writers warm(*real.set, 4, 50);
  warm.run(real.scheduler);
  real.vfs.faults().hang_calls(real.paths[1]);
  Writers writers(*real.set, 4, 200);
  writers.run(real.scheduler);
  CHECK_EQ(writers.acknowledged, 200);
  CHECK_EQ(real.set->members()->slots[1].state, DriveState::offline);
  real.set->close();
  real.set.reset();
  std::filesystem::remove_all(real.root);
}
