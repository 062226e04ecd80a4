#include "tests/sim/sim_fs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/erasure/io/sim_fs_helpers.h"
#include "tests/sim/seeds.h"

namespace mote::sim {
namespace {

using Set = std::set<std::string>;

TEST_CASE("sim fs: drives are cut by themselves, and each with its own choices") {
  Set seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimFs fs;
    fs.add_drive("/d1");
    fs.add_drive("/d2");
    auto f1 = must_open(fs, "/d1/f");
    auto f2 = must_open(fs, "/d2/f");
    fs.cut_power(seed, CutMode::random);
    seen.insert(content(fs, "/d1/f") + content(fs, "/d2/f"));
  }
  CHECK(seen == Set{"", "-", "--"});
  SimFs fs;
  fs.add_drive("/d1");
  fs.add_drive("/d2");
  auto f1 = must_open(fs, "/d1/f");
  auto f2 = must_open(fs, "/d2/f");
  fs.cut_power("/d1", 1, CutMode::drop_all);
  CHECK(code_of(f1->size()) == Errc::io_error);
  CHECK(f2->size().has_value());
  CHECK(content(fs, "/d1/f") == "-");
  CHECK(content(fs, "/d2/f").empty());
  CHECK(fs.rename("/d2/f", "/d1/f").error().os_errno == EXDEV);
}

TEST_CASE("sim fs: a cut kills handles and frees locks") {
  SimFs fs;
  fs.add_drive("/d");
  put_durable(fs, "/d/f", "x");
  auto file = must_open(fs, "/d/f");
  auto directory = fs.open_directory("/d").value();
  auto lock = fs.lock("/d/lock");
  REQUIRE(lock.has_value());
  fs.cut_power(1, CutMode::keep_all);
  std::array<std::byte, 1> byte{};
  CHECK(code_of(file->pread(0, byte)) == Errc::io_error);
  CHECK(code_of(file->pwrite(0, byte)) == Errc::io_error);
  CHECK(code_of(file->sync_data()) == Errc::io_error);
  CHECK(code_of(file->truncate(0)) == Errc::io_error);
  CHECK(code_of(file->allocate(1)) == Errc::io_error);
  CHECK(code_of(directory->sync()) == Errc::io_error);
  CHECK(code_of(directory->info()) == Errc::io_error);
  auto again = fs.lock("/d/lock");
  REQUIRE(again.has_value());
  lock->reset();  // the old claim frees nothing
  CHECK(code_of(fs.lock("/d/lock")) == Errc::drive_locked);
  CHECK(content(fs, "/d/f") == "x");
}

TEST_CASE("sim fs: one seed, one outcome") {
  const auto run = [](std::uint64_t seed) {
    SimFs fs;
    fs.add_drive("/d");
    for (int i = 0; i < 8; ++i) {
      auto file = must_open(fs, "/d/" + std::to_string(i));
      REQUIRE(
          file->pwrite(0, as_bytes(std::string(20'000, static_cast<char>('a' + i)))).has_value());
    }
    fs.cut_power(seed, CutMode::random);
    std::string all;
    for (int i = 0; i < 8; ++i) {
      all += content(fs, "/d/" + std::to_string(i)) + "|";
    }
    return all;
  };
  const std::uint64_t seed = test_seed(1);
  CHECK(run(seed) == run(seed));
  CHECK(run(seed) != run(seed + 1));
}

TEST_CASE("sim fs: an allocated segment costs nothing, is zero, and its size may be lost") {
  SimFs fs;
  fs.add_drive("/d");
  auto file = must_open(fs, "/d/log");
  REQUIRE(file->allocate(64 * kMiB).has_value());
  REQUIRE(file->pwrite(kMiB, as_bytes(std::string(kMiB, '\0'))).has_value());
  CHECK(file->size().value() == 64 * kMiB);
  std::array<std::byte, 16> bytes{};
  bytes.fill(std::byte{1});
  REQUIRE(file->pread(64 * kMiB - 16, bytes).value() == 16);
  CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
  REQUIRE(fs.sync_directory("/d").has_value());
  fs.cut_power(1, CutMode::drop_all);
  CHECK(fs.stat("/d/log").value().bytes == 0);
}

TEST_CASE("sim fs: a full drive gives no_space, reservations count, unlinking gives back") {
  SimFs fs;
  fs.add_drive("/d");
  fs.limit_space("/d", 10 * kPageBytes);
  auto file = must_open(fs, "/d/f");
  REQUIRE(file->allocate(8 * kPageBytes).has_value());
  REQUIRE(file->pwrite(0, as_bytes(std::string(8 * kPageBytes, 'x'))).has_value());
  CHECK(fs.space("/d").value().free_bytes == 2 * kPageBytes);
  auto other = must_open(fs, "/d/g");
  CHECK(code_of(other->pwrite(0, as_bytes(std::string(3 * kPageBytes, 'y')))) == Errc::no_space);
  CHECK(code_of(other->allocate(3 * kPageBytes)) == Errc::no_space);
  REQUIRE(other->pwrite(0, as_bytes(std::string(2 * kPageBytes, 'y'))).has_value());
  CHECK(fs.space("/d").value().free_bytes == 0);
  REQUIRE(file->pwrite(0, as_bytes("over")).has_value());  // what is there can be overwritten
  REQUIRE(fs.unlink("/d/f").has_value());
  CHECK(fs.used_bytes("/d") == 10 * kPageBytes);  // still open
  file.reset();
  CHECK(fs.used_bytes("/d") == 2 * kPageBytes);
  fs.cut_power(1, CutMode::keep_all);
  CHECK(fs.used_bytes("/d") == 2 * kPageBytes);
}

TEST_CASE("sim fs: a drive that disappears, is unmounted, comes back, or is replaced") {
  SimFs fs;
  fs.add_drive("/mnt/d");
  put_durable(fs, "/mnt/d/f", "x");
  auto file = must_open(fs, "/mnt/d/f");
  auto directory = fs.open_directory("/mnt/d").value();
  const auto before = directory->info().value();
  CHECK(fs.is_mount_point("/mnt/d").value());

  fs.disappear("/mnt/d");
  CHECK(code_of(fs.stat("/mnt/d")) == Errc::no_such_file);
  CHECK(code_of(fs.open("/mnt/d/new", kNew)) == Errc::no_such_file);
  CHECK(code_of(file->size()) == Errc::io_error);
  CHECK(code_of(directory->sync()) == Errc::io_error);
  fs.reappear("/mnt/d");
  CHECK(content(fs, "/mnt/d/f") == "x");
  CHECK(code_of(file->size()) == Errc::io_error);
  CHECK(fs.stat("/mnt/d").value().inode == before.inode);

  fs.unmount("/mnt/d");
  CHECK(fs.list("/mnt/d").value().empty());
  CHECK_FALSE(fs.is_mount_point("/mnt/d").value());
  CHECK(fs.stat("/mnt/d").value().device != before.device);
  fs.reappear("/mnt/d");
  CHECK(content(fs, "/mnt/d/f") == "x");

  fs.replace_with_blank("/mnt/d");
  CHECK(fs.list("/mnt/d").value().empty());
  CHECK(fs.is_mount_point("/mnt/d").value());
  CHECK(fs.stat("/mnt/d").value().device != before.device);
}

TEST_CASE("sim fs: damage is on the medium") {
  SimFs fs;
  fs.add_drive("/d");
  put_durable(fs, "/d/f", "abc");
  REQUIRE(fs.damage("/d/f", 1).has_value());
  CHECK(content(fs, "/d/f") == "acc");
  fs.cut_power(1, CutMode::drop_all);
  CHECK(content(fs, "/d/f") == "acc");
  CHECK_FALSE(fs.damage("/d/f", 3).has_value());
}

TEST_CASE("sim fs: direct files demand alignment") {
  SimFs fs;
  fs.add_drive("/d");
  OpenOptions options = kNew;
  options.direct = true;
  auto file = fs.open("/d/f", options).value();
  alignas(512) std::array<std::byte, 1024> bytes{};
  CHECK(file->pwrite(512, ByteView(bytes).first(512)).has_value());
  CHECK(file->pwrite(1, ByteView(bytes).first(512)).error().os_errno == EINVAL);
  CHECK(file->pwrite(0, ByteView(bytes).first(100)).error().os_errno == EINVAL);
  CHECK(file->pwrite(0, ByteView(bytes).subspan(8, 512)).error().os_errno == EINVAL);
  CHECK(file->pread(1, ByteSpan(bytes).first(512)).error().os_errno == EINVAL);
}

TEST_CASE("fault plan: the nth call of a kind below a path fails, once or for ever") {
  SimFs fs;
  fs.add_drive("/d");
  put_durable(fs, "/d/f", "x");
  const Error full{Errc::no_space, ENOSPC, "test"};
  fs.faults().fail({.call = VfsCall::pwrite, .path_prefix = "/d/f", .nth = 2, .error = full});
  auto file = must_open(fs, "/d/f");
  auto other = must_open(fs, "/d/g");
  CHECK(file->pwrite(0, as_bytes("1")).has_value());
  CHECK(other->pwrite(0, as_bytes("1")).has_value());
  CHECK(code_of(file->pwrite(0, as_bytes("2"))) == Errc::no_space);
  CHECK(file->pwrite(0, as_bytes("3")).has_value());
  fs.faults().fail({.path_prefix = "/d/f", .forever = true});
  CHECK(code_of(file->size()) == Errc::io_error);
  CHECK(code_of(fs.stat("/d/f")) == Errc::io_error);
  CHECK(code_of(fs.rename("/d/g", "/d/f")) == Errc::io_error);
  CHECK(other->size().has_value());
  fs.faults().clear_faults();
  CHECK(file->size().has_value());
}

TEST_CASE("fault plan: a call may do its work and report a failure") {
  SimFs fs;
  fs.add_drive("/d");
  fs.faults().fail({.call = VfsCall::make_directory, .after_effect = true});
  CHECK(code_of(fs.make_directory("/d/sub")) == Errc::io_error);
  CHECK(fs.stat("/d/sub").has_value());
}

TEST_CASE("fault plan: power off at call i, everything fails until restart") {
  for (const bool after_effect : {false, true}) {
    CAPTURE(after_effect);
    SimFs fs;
    fs.add_drive("/d");
    auto file = must_open(fs, "/d/f");
    fs.faults().reset_calls();
    fs.faults().cut_at(2, after_effect);
    CHECK(file->pwrite(0, as_bytes("1")).has_value());
    CHECK(file->pwrite(0, as_bytes("2")).error().os_errno == EIO);
    CHECK_FALSE(fs.faults().powered());
    CHECK(code_of(fs.stat("/d")) == Errc::io_error);
    CHECK(code_of(file->sync_data()) == Errc::io_error);
    CHECK(fs.faults().calls() == 2);
    fs.restart(1, CutMode::keep_all);
    CHECK(content(fs, "/d/f") == (after_effect ? "2" : "1"));
  }
}

TEST_CASE("fault plan: syncs are counted per drive and can be slow") {
  SimFs fs;
  fs.add_drive("/d1");
  fs.add_drive("/d10");
  put_durable(fs, "/d1/f", "x");
  put_durable(fs, "/d10/f", "x");
  put_durable(fs, "/d10/g", "x");
  CHECK(fs.faults().syncs("/d1").data == 1);
  CHECK(fs.faults().syncs("/d1").directory == 1);
  CHECK(fs.faults().syncs("/d10").data == 2);
  CHECK(fs.faults().calls(VfsCall::sync_data) == 3);
  fs.faults().delay_syncs(std::chrono::milliseconds(5));
  const auto start = std::chrono::steady_clock::now();
  put_durable(fs, "/d1/f", "y");
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(10));
}

TEST_CASE("fault plan: a hung drive hangs its own calls only") {
  SimFs fs;
  fs.add_drive("/d1");
  fs.add_drive("/d2");
  fs.faults().hang_calls("/d1");
  std::atomic<bool> done{false};
  std::thread stuck([&] {
    (void)fs.stat("/d1");
    done = true;
  });
  CHECK(fs.stat("/d2").has_value());
  CHECK_FALSE(done);
  fs.faults().release_calls("/d1");
  stuck.join();
  CHECK(done);
}

TEST_CASE("sim fs: threads on one file system keep their files apart") {
  SimFs fs;
  fs.add_drive("/d");
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&fs, &failures, t] {
      const std::string path = "/d/" + std::to_string(t);
      for (int i = 0; i < 100; ++i) {
        auto file = fs.open(path, kNew);
        const bool fine = file && (*file)->pwrite(0, as_bytes(std::string(5000, 'x'))) &&
                          (*file)->sync_data() && fs.sync_directory("/d") &&
                          fs.rename(path, path + "x") && fs.unlink(path + "x");
        failures += fine ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(failures == 0);
  CHECK(fs.used_bytes("/d") == 0);
}

}  // namespace
}  // namespace mote::sim
