#include "erasure/drive/drive.h"

#include <atomic>

#include <doctest/doctest.h>

#include "erasure/base/thread_scheduler.h"
#include "erasure/io/posix_vfs.h"
#include "tests/erasure/drive/temp_dir.h"
#include "tests/sim/sim_fs.h"
#include "tests/sim/sim_scheduler.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

struct Surroundings {
  explicit Surroundings(Vfs& vfs, Scheduler& scheduler, bool simulated)
      : context{vfs, scheduler, rng, resources, nullptr, simulated} {}

  DriveOptions options() const {
    DriveOptions out;
    out.index.deterministic = context.deterministic_format;
    return out;
  }
  Result<std::unique_ptr<Drive>> open(const std::string& path) const {
    return Drive::open(context, path, options());
  }

  SystemRng rng;
  IndexResources resources{{8 * kMiB, 64 * kMiB, 1}};
  DriveContext context;
};

DriveLabel label_of(bool mounted) {
  DriveLabel label;
  label.deployment[0] = std::byte{1};
  label.drive[0] = std::byte{2};
  label.set_id = 0;
  label.slot = 2;
  label.k = 2;
  label.m = 1;
  label.was_mount_point = mounted;
  return label;
}

struct SimFixture {
  SimFixture() { fs.add_drive("/d"); }
  sim::SimFs fs;
  sim::SimScheduler scheduler{1};
  Surroundings around{fs, scheduler, true};
};

TEST_CASE("drive: a blank directory is formatted, opened, used and opened again") {
  SimFixture sim;
  const auto blank = Drive::probe(sim.fs, "/d");
  REQUIRE_OK(blank);
  CHECK(blank->content == DriveContent::blank);
  CHECK(blank->is_mount_point);
  CHECK_ERR(sim.around.open("/d"), Errc::wrong_drive);
  REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
  CHECK_ERR(Drive::format(sim.around.context, "/d", label_of(true)), Errc::wrong_drive);
  const auto probe = Drive::probe(sim.fs, "/d");
  REQUIRE_OK(probe);
  CHECK(probe->content == DriveContent::formatted);
  CHECK(probe->label == label_of(true));
  CHECK_FALSE(probe->from_backup);
  CHECK_FALSE(probe->mount_missing);

  auto drive = sim.around.open("/d");
  REQUIRE_OK(drive);
  CHECK((*drive)->label() == label_of(true));
  CHECK_OK((*drive)->check_root());
  CHECK_OK((*drive)->space());
  CHECK(sim.fs.list((*drive)->log_directory())->empty());
  RowBatch batch;
  batch.put(Family::sys, "row", "value");
  CHECK_OK((*drive)->index().apply({as_bytes(batch.encoded())}, {1, 1}));
  CHECK_OK((*drive)->index().flush());
  (*drive)->close();
  drive = sim.around.open("/d");
  REQUIRE_OK(drive);
  const auto row = (*drive)->index().get(Family::sys, "row", ReadTier::device);
  REQUIRE_OK(row);
  CHECK(row->has_value());
}

TEST_CASE("drive: formatting survives a power cut at once after it") {
  SimFixture sim;
  REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
  sim.fs.cut_power(1, sim::CutMode::drop_all);
  CHECK_OK(sim.around.open("/d"));
}

TEST_CASE("drive: a format that was cut off anywhere is redone") {
  const std::uint64_t seed = mote::test::random_seed();
  INFO("MOTE_TEST_SEED=" << seed);
  std::uint64_t calls = 0;
  {
    SimFixture sim;
    sim.fs.faults().reset_calls();
    REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    calls = sim.fs.faults().calls();
  }
  REQUIRE(calls > 40);
  int half_done = 0;
  for (std::uint64_t at = 1; at <= calls; at += 1 + calls / 40) {
    CAPTURE(at);
    SimFixture sim;
    sim.fs.faults().cut_at(at);
    CHECK_FALSE(Drive::format(sim.around.context, "/d", label_of(true)).has_value());
    sim.fs.restart(seed + at, sim::CutMode::random);
    const auto probe = Drive::probe(sim.fs, "/d");
    REQUIRE_OK(probe);
    if (probe->content != DriveContent::formatted) {
      half_done += probe->content == DriveContent::formatting ? 1 : 0;
      REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    }
    CHECK_OK(sim.around.open("/d"));
  }
  CHECK(half_done > 10);
}

TEST_CASE("drive: one process at a time") {
  SimFixture sim;
  REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
  auto drive = sim.around.open("/d");
  REQUIRE_OK(drive);
  CHECK_ERR(sim.around.open("/d"), Errc::drive_locked);
  drive->reset();
  CHECK_OK(sim.around.open("/d"));
}

TEST_CASE("drive: a damaged or lost label is taken from its copy and restored") {
  for (const bool lost : {false, true}) {
    SimFixture sim;
    REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    if (lost) {
      REQUIRE_OK(sim.fs.unlink("/d/.sys/format"));
    } else {
      REQUIRE_OK(sim.fs.damage("/d/.sys/format", 20));
    }
    auto probe = Drive::probe(sim.fs, "/d");
    REQUIRE_OK(probe);
    CHECK(probe->from_backup);
    CHECK(probe->label == label_of(true));
    CHECK_OK(sim.around.open("/d"));
    probe = Drive::probe(sim.fs, "/d");
    REQUIRE_OK(probe);
    CHECK_FALSE(probe->from_backup);
  }
}

TEST_CASE("drive: both labels damaged or gone is corrupt, never blank") {
  for (const bool lost : {false, true}) {
    SimFixture sim;
    REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    for (const char* path : {"/d/.sys/format", "/d/.sys/format.bak"}) {
      if (lost) {
        REQUIRE_OK(sim.fs.unlink(path));
      } else {
        REQUIRE_OK(sim.fs.damage(path, 20));
      }
    }
    CHECK_ERR(Drive::probe(sim.fs, "/d"), Errc::corrupt);
    CHECK_ERR(sim.around.open("/d"), Errc::corrupt);
    CHECK_ERR(Drive::format(sim.around.context, "/d", label_of(true)), Errc::corrupt);
  }
}

TEST_CASE("drive: foreign directories, files and missing paths are refused by name") {
  SimFixture sim;
  CHECK_ERR(Drive::probe(sim.fs, "/nowhere"), Errc::no_such_file);
  REQUIRE_OK(sim.fs.make_directory("/d/photos"));
  CHECK_ERR(Drive::probe(sim.fs, "/d"), Errc::wrong_drive);
  CHECK_ERR(Drive::format(sim.around.context, "/d", label_of(true)), Errc::wrong_drive);
  REQUIRE_OK(write_file_atomically(sim.fs, "/d/file", as_bytes("x")));
  CHECK_ERR(Drive::probe(sim.fs, "/d/file"), Errc::wrong_drive);
  REQUIRE_OK(sim.fs.make_directory("/d/photos/lost+found"));
  const auto probe = Drive::probe(sim.fs, "/d/photos");
  REQUIRE_OK(probe);
  CHECK(probe->content == DriveContent::blank);
}

TEST_CASE("drive: an error while looking is that error, not a blank drive") {
  for (const sim::VfsCall call : {sim::VfsCall::stat, sim::VfsCall::list, sim::VfsCall::pread}) {
    SimFixture sim;
    REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    sim::Fault fault;
    fault.call = call;
    sim.fs.faults().fail(fault);
    CHECK_ERR(Drive::probe(sim.fs, "/d"), Errc::io_error);
  }
}

TEST_CASE("drive: what was a mount point when formatted and is none is absent") {
  SimFixture sim;
  sim.fs.add_drive("/plain", false);
  REQUIRE_OK(Drive::format(sim.around.context, "/plain", label_of(true)));
  const auto probe = Drive::probe(sim.fs, "/plain");
  REQUIRE_OK(probe);
  CHECK(probe->mount_missing);
  CHECK_ERR(sim.around.open("/plain"), Errc::drive_failed);
}

TEST_CASE("drive: a root that is gone, unmounted, replaced or emptied is noticed") {
  for (int way = 0; way < 4; ++way) {
    CAPTURE(way);
    SimFixture sim;
    REQUIRE_OK(Drive::format(sim.around.context, "/d", label_of(true)));
    const auto drive = sim.around.open("/d");
    REQUIRE_OK(drive);
    CHECK_OK((*drive)->check_root());
    switch (way) {
      case 0:
        sim.fs.disappear("/d");
        break;
      case 1:
        sim.fs.unmount("/d");
        break;
      case 2:
        sim.fs.replace_with_blank("/d");
        break;
      default:
        REQUIRE_OK(sim.fs.unlink("/d/.sys/format"));
        break;
    }
    CHECK_ERR((*drive)->check_root(), Errc::drive_failed);
  }
}

TEST_CASE(
    "drive: renamed away, with a file or another directory in its place, on a real file system") {
  PosixVfs vfs;
  ThreadScheduler scheduler;
  const Surroundings around(vfs, scheduler, false);
  const test::TempDir directory;
  const std::string path = directory.path() + "/d";
  REQUIRE_OK(vfs.make_directory(path));
  REQUIRE_OK(Drive::format(around.context, path, label_of(false)));
  const auto drive = around.open(path);
  REQUIRE_OK(drive);
  CHECK_OK((*drive)->check_root());
  REQUIRE_OK(vfs.rename(path, directory.path() + "/moved"));
  CHECK_ERR((*drive)->check_root(), Errc::drive_failed);
  REQUIRE_OK(write_file_atomically(vfs, path, as_bytes("a file")));
  CHECK_ERR((*drive)->check_root(), Errc::drive_failed);
  REQUIRE_OK(vfs.unlink(path));
  REQUIRE_OK(vfs.make_directory(path));
  CHECK_ERR((*drive)->check_root(), Errc::drive_failed);
  REQUIRE_OK(vfs.remove_directory(path));
  REQUIRE_OK(vfs.rename(directory.path() + "/moved", path));
  CHECK_OK((*drive)->check_root());
}

TEST_CASE("drive: its executors run what is posted, and close waits for it") {
  PosixVfs vfs;
  ThreadScheduler scheduler;
  const Surroundings around(vfs, scheduler, false);
  const test::TempDir directory;
  REQUIRE_OK(Drive::format(around.context, directory.path(), label_of(false)));
  auto drive = around.open(directory.path());
  REQUIRE_OK(drive);
  std::atomic<int> ran{0};
  for (Executor* executor : {&(*drive)->log_executor(), &(*drive)->apply_executor(),
                             &(*drive)->reads(), &(*drive)->writes()}) {
    for (int i = 0; i < 10; ++i) {
      executor->post([&] { ++ran; });
    }
  }
  (*drive)->close();
  CHECK(ran == 40);
  CHECK_OK(around.open(directory.path()));
}

}  // namespace
}  // namespace mote::erasure
