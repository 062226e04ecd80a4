#include "tests/sim/sim_fs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/sim/seeds.h"

namespace mote::sim {
namespace {

using erasure::File;
using erasure::OpenOptions;

constexpr OpenOptions kNew{.read = true, .write = true, .create = true};
constexpr std::uint64_t kSeeds = 400;  // enough to see every outcome that a test names

template <class R>
Errc code_of(const R& result) {
  REQUIRE(result.has_error());
  return result.error().code;
}

std::unique_ptr<File> must_open(SimFs& fs, const std::string& path) {
  auto file = fs.open(path, kNew);
  REQUIRE_MESSAGE(file.has_value(), path);
  return std::move(*file);
}

/// A file whose name and bytes are durable.
void put_durable(SimFs& fs, const std::string& path, std::string_view text) {
  auto file = must_open(fs, path);
  REQUIRE(file->pwrite(0, as_bytes(text)).has_value());
  REQUIRE(file->sync_data().has_value());
  REQUIRE(fs.sync_directory(path.substr(0, path.rfind('/'))).has_value());
}

/// The content, or "-" if the name is not there.
std::string content(SimFs& fs, const std::string& path) {
  const auto text = erasure::read_file(fs, path, 64 * kMiB);
  return text ? *text : "-";
}

/// What `look` saw after a cut of what `work` did, over many seeds.
template <class Work, class Look>
std::set<std::string> outcomes(Work work, Look look, CutMode mode = CutMode::random,
                               std::uint64_t seeds = kSeeds) {
  std::set<std::string> seen;
  const std::uint64_t first = test_seed(1);
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    CAPTURE(seed);
    SimFs fs;
    fs.add_drive("/d");
    work(fs);
    fs.cut_power(seed, mode);
    const std::string once = look(fs);
    seen.insert(once);
    fs.cut_power(seed + 1, mode);  // what survived is durable
    CHECK(look(fs) == once);
  }
  return seen;
}

using Set = std::set<std::string>;

TEST_CASE("crash model: synced bytes under a synced name are always there") {
  for (const CutMode mode :
       {CutMode::drop_all, CutMode::keep_all, CutMode::random, CutMode::torn_last_write}) {
    CHECK(outcomes([](SimFs& fs) { put_durable(fs, "/d/f", "data"); },
                   [](SimFs& fs) { return content(fs, "/d/f"); }, mode) == Set{"data"});
  }
}

TEST_CASE(
    "crash model: a synced file whose name was not synced may vanish, and is whole if it does "
    "not") {
  CHECK(outcomes(
            [](SimFs& fs) {
              auto file = must_open(fs, "/d/f");
              REQUIRE(file->pwrite(0, as_bytes("data")).has_value());
              REQUIRE(file->sync_data().has_value());
            },
            [](SimFs& fs) { return content(fs, "/d/f"); }) == Set{"-", "data"});
}

TEST_CASE("crash model: a synced name does not make the bytes durable") {
  const Set seen = outcomes(
      [](SimFs& fs) {
        auto file = must_open(fs, "/d/f");
        REQUIRE(file->pwrite(0, as_bytes("data")).has_value());
        REQUIRE(fs.sync_directory("/d").has_value());
      },
      [](SimFs& fs) { return content(fs, "/d/f"); });
  CHECK(seen.contains(""));
  CHECK(seen.contains("data"));
  CHECK(seen.contains(std::string(4, '\0')));  // extended, the bytes lost
  CHECK_FALSE(seen.contains("-"));
}

TEST_CASE("crash model: drop_all loses and keep_all keeps everything unsynced") {
  const auto work = [](SimFs& fs) {
    put_durable(fs, "/d/f", "old");
    REQUIRE(must_open(fs, "/d/f")->pwrite(0, as_bytes("newer")).has_value());
    REQUIRE(fs.rename("/d/f", "/d/g").has_value());
  };
  const auto look = [](SimFs& fs) { return content(fs, "/d/f") + content(fs, "/d/g"); };
  CHECK(outcomes(work, look, CutMode::drop_all) == Set{"old-"});
  CHECK(outcomes(work, look, CutMode::keep_all) == Set{"-newer"});
}

/// The letter that fills each page of a file, or T for a page that holds more than one.
std::string page_letters(SimFs& fs, const std::string& path) {
  const std::string text = content(fs, path);
  std::string letters;
  for (std::size_t at = 0; at < text.size(); at += kPageBytes) {
    const std::string page = text.substr(at, kPageBytes);
    letters += page == std::string(kPageBytes, page[0]) ? page[0] : 'T';
  }
  return letters;
}

TEST_CASE("crash model: any subset of unsynced pages survives, also across files") {
  const auto work = [](SimFs& fs) {
    for (const char* path : {"/d/f", "/d/g"}) {
      put_durable(fs, path, std::string(2 * kPageBytes, 'o'));
      auto file = must_open(fs, path);
      REQUIRE(file->pwrite(0, as_bytes(std::string(kPageBytes, '1'))).has_value());
      REQUIRE(file->pwrite(kPageBytes, as_bytes(std::string(kPageBytes, '2'))).has_value());
    }
  };
  const auto look = [](SimFs& fs) { return page_letters(fs, "/d/f") + page_letters(fs, "/d/g"); };
  const Set seen = outcomes(work, look, CutMode::random, 2000);
  for (const char* state : {"oooo", "1212", "1ooo", "o2oo", "o21o", "oo12", "12oo"}) {
    CHECK_MESSAGE(seen.contains(state), std::string(state));
  }
  CHECK(std::any_of(seen.begin(), seen.end(),
                    [](const std::string& s) { return s.find('T') != std::string::npos; }));
  CHECK(std::all_of(seen.begin(), seen.end(), [](const std::string& s) { return s.size() == 4; }));
}

TEST_CASE("crash model: a torn page is made of whole 512-byte pieces of its versions") {
  const Set seen = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", std::string(kPageBytes, 'o'));
        auto file = must_open(fs, "/d/f");
        REQUIRE(file->pwrite(0, as_bytes(std::string(kPageBytes, '1'))).has_value());
        REQUIRE(file->pwrite(0, as_bytes(std::string(kPageBytes, '2'))).has_value());
      },
      [](SimFs& fs) {
        const std::string text = content(fs, "/d/f");
        std::string sectors;
        for (std::size_t at = 0; at < kPageBytes; at += kSectorBytes) {
          CHECK(text.substr(at, kSectorBytes) == std::string(kSectorBytes, text[at]));
          sectors += text[at];
        }
        return sectors;
      });
  CHECK(seen.contains("oooooooo"));
  CHECK(seen.contains("11111111"));  // written back between the two writes
  CHECK(seen.contains("22222222"));
  CHECK(seen.size() > 10);
}

TEST_CASE("crash model: bytes that were synced do not change by an unsynced write elsewhere") {
  outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", std::string(3 * kPageBytes, 'o'));
        REQUIRE(must_open(fs, "/d/f")
                    ->pwrite(kPageBytes + 700, as_bytes(std::string(100, 'n')))
                    .has_value());
      },
      [](SimFs& fs) {
        std::string text = content(fs, "/d/f");
        CHECK(text.size() == 3 * kPageBytes);
        std::string middle = text.substr(kPageBytes + 700, 100);
        CHECK((middle == std::string(100, 'n') || middle == std::string(100, 'o')));
        text.replace(kPageBytes + 700, 100, std::string(100, 'o'));
        CHECK(text == std::string(3 * kPageBytes, 'o'));
        return middle;
      });
}

TEST_CASE(
    "crash model: an unsynced truncation is lost or survives, and never shows old bytes after it") {
  const Set seen = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", std::string(3 * kPageBytes, 'o'));
        auto file = must_open(fs, "/d/f");
        REQUIRE(file->truncate(100).has_value());
        REQUIRE(file->truncate(3 * kPageBytes).has_value());
      },
      [](SimFs& fs) {
        const std::string text = content(fs, "/d/f");
        if (text == std::string(3 * kPageBytes, 'o')) {
          return std::string("lost");
        }
        CHECK(text.substr(0, 100) == std::string(100, 'o'));
        CHECK(text.substr(100) == std::string(text.size() - 100, '\0'));
        return std::string("survived");
      });
  CHECK(seen == Set{"lost", "survived"});
}

TEST_CASE("crash model: torn_last_write tears the drive's last unsynced write and nothing else") {
  std::set<std::string> seen = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", std::string(kPageBytes, 'o'));
        put_durable(fs, "/d/g", std::string(kPageBytes, 'o'));
        auto f = must_open(fs, "/d/f");
        auto g = must_open(fs, "/d/g");
        REQUIRE(f->pwrite(0, as_bytes(std::string(kPageBytes, '1'))).has_value());
        REQUIRE(g->pwrite(512, as_bytes(std::string(1024, '2'))).has_value());
      },
      [](SimFs& fs) {
        CHECK(content(fs, "/d/f") == std::string(kPageBytes, '1'));
        const std::string text = content(fs, "/d/g");
        return std::string{text[0], text[512], text[1024], text[1536]};
      },
      CutMode::torn_last_write);
  CHECK(seen == Set{"oooo", "o2oo", "oo2o"});
}

TEST_CASE("crash model: a rename without a directory sync may be lost, and is atomic") {
  const auto work = [](SimFs& fs) {
    put_durable(fs, "/d/f", "old");
    put_durable(fs, "/d/new", "new");
    REQUIRE(fs.rename("/d/new", "/d/f").has_value());
  };
  const auto look = [](SimFs& fs) { return content(fs, "/d/f") + "," + content(fs, "/d/new"); };
  CHECK(outcomes(work, look) == Set{"old,new", "new,-"});
  CHECK(outcomes(
            [&](SimFs& fs) {
              work(fs);
              REQUIRE(fs.sync_directory("/d").has_value());
            },
            look) == Set{"new,-"});
}

TEST_CASE("crash model: a rename between directories is durable after both were synced") {
  const auto work = [](SimFs& fs, const std::vector<std::string>& synced) {
    REQUIRE(fs.make_directory("/d/a").has_value());
    REQUIRE(fs.make_directory("/d/b").has_value());
    REQUIRE(fs.sync_directory("/d").has_value());
    put_durable(fs, "/d/a/f", "x");
    REQUIRE(fs.rename("/d/a/f", "/d/b/f").has_value());
    for (const std::string& path : synced) {
      REQUIRE(fs.sync_directory(path).has_value());
    }
  };
  const auto look = [](SimFs& fs) { return content(fs, "/d/a/f") + content(fs, "/d/b/f"); };
  CHECK(outcomes([&](SimFs& fs) { work(fs, {}); }, look) == Set{"x-", "-x"});
  CHECK(outcomes([&](SimFs& fs) { work(fs, {"/d/a"}); }, look) == Set{"x-", "-x"});
  CHECK(outcomes([&](SimFs& fs) { work(fs, {"/d/b"}); }, look) == Set{"x-", "-x"});
  CHECK(outcomes([&](SimFs& fs) { work(fs, {"/d/a", "/d/b"}); }, look) == Set{"-x"});
}

TEST_CASE("crash model: an unlink without a directory sync may come undone") {
  CHECK(outcomes(
            [](SimFs& fs) {
              put_durable(fs, "/d/f", "old");
              REQUIRE(fs.unlink("/d/f").has_value());
            },
            [](SimFs& fs) { return content(fs, "/d/f"); }) == Set{"-", "old"});
}

TEST_CASE(
    "crash model: operations on one name survive as a prefix, on different names in any subset") {
  const Set one = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/1", "1");
        put_durable(fs, "/d/2", "2");
        REQUIRE(fs.rename("/d/1", "/d/f").has_value());
        REQUIRE(fs.rename("/d/2", "/d/f").has_value());
        REQUIRE(fs.unlink("/d/f").has_value());
      },
      [](SimFs& fs) { return content(fs, "/d/1") + content(fs, "/d/2") + content(fs, "/d/f"); });
  CHECK(one == Set{"12-", "-21", "--2", "---"});
  const Set two = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/1", "1");
        put_durable(fs, "/d/2", "2");
        REQUIRE(fs.unlink("/d/1").has_value());
        REQUIRE(fs.unlink("/d/2").has_value());
      },
      [](SimFs& fs) { return content(fs, "/d/1") + content(fs, "/d/2"); });
  CHECK(two == Set{"12", "1-", "-2", "--"});
}

TEST_CASE("crash model: a directory whose name was not synced vanishes with all that is in it") {
  CHECK(outcomes(
            [](SimFs& fs) {
              REQUIRE(fs.make_directory("/d/sub").has_value());
              put_durable(fs, "/d/sub/f", "x");
            },
            [](SimFs& fs) { return content(fs, "/d/sub/f"); }) == Set{"-", "x"});
}

TEST_CASE("crash model: a link and its first name are separate names") {
  CHECK(outcomes(
            [](SimFs& fs) {
              put_durable(fs, "/d/f", "x");
              REQUIRE(fs.link("/d/f", "/d/g").has_value());
            },
            [](SimFs& fs) { return content(fs, "/d/f") + content(fs, "/d/g"); }) ==
        Set{"x-", "xx"});
}

TEST_CASE(
    "crash model: write_file_atomically leaves the old or the new content, and the new after ok") {
  std::uint64_t calls = 0;
  for (std::uint64_t index = 1; index <= 40; ++index) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(index);
      CAPTURE(seed);
      SimFs fs;
      fs.add_drive("/d");
      put_durable(fs, "/d/f", "old");
      fs.faults().reset_calls();
      fs.faults().cut_at(index, seed % 2 == 0);
      const Status done = erasure::write_file_atomically(fs, "/d/f", as_bytes("new"));
      calls = std::max(calls, fs.faults().calls());
      fs.restart(seed, CutMode::random);
      const std::string now = content(fs, "/d/f");
      CHECK((now == "new" || (!done && now == "old")));
    }
  }
  CHECK(calls == 6);  // open, write, sync, rename, open directory, sync
}

TEST_CASE("crash model: without the directory sync the same protocol loses acknowledged content") {
  const Set seen = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", "old");
        auto file = must_open(fs, "/d/t");
        REQUIRE(file->pwrite(0, as_bytes("new")).has_value());
        REQUIRE(file->sync_data().has_value());
        REQUIRE(fs.rename("/d/t", "/d/f").has_value());
      },
      [](SimFs& fs) { return content(fs, "/d/f"); });
  CHECK(seen == Set{"new", "old"});
}

TEST_CASE("crash model: without the file sync the same protocol leaves a new name over no bytes") {
  const Set seen = outcomes(
      [](SimFs& fs) {
        put_durable(fs, "/d/f", "old");
        REQUIRE(must_open(fs, "/d/t")->pwrite(0, as_bytes("new")).has_value());
        REQUIRE(fs.rename("/d/t", "/d/f").has_value());
        REQUIRE(fs.sync_directory("/d").has_value());
      },
      [](SimFs& fs) { return content(fs, "/d/f"); });
  CHECK(seen.contains(""));
  CHECK(seen.contains("new"));
  CHECK_FALSE(seen.contains("old"));
}

TEST_CASE("crash model: a failed sync loses the bytes for good, and the next one says ok") {
  for (const bool evict : {false, true}) {
    CAPTURE(evict);
    SimFs fs;
    fs.add_drive("/d");
    fs.evict_on_failed_sync(evict);
    put_durable(fs, "/d/f", "old");
    auto file = must_open(fs, "/d/f");
    REQUIRE(file->pwrite(0, as_bytes("new")).has_value());
    fs.faults().fail({.call = VfsCall::sync_data, .path_prefix = "/d/f"});
    CHECK(code_of(file->sync_data()) == Errc::io_error);
    CHECK(file->sync_data().has_value());
    CHECK(content(fs, "/d/f") == (evict ? "old" : "new"));
    fs.cut_power(1, CutMode::keep_all);
    CHECK(content(fs, "/d/f") == "old");
  }
}

TEST_CASE("crash model: after a failed sync only pages that are written again become durable") {
  SimFs fs;
  fs.add_drive("/d");
  put_durable(fs, "/d/f", std::string(2 * kPageBytes, 'o'));
  auto file = must_open(fs, "/d/f");
  REQUIRE(file->pwrite(0, as_bytes(std::string(2 * kPageBytes, 'n'))).has_value());
  fs.faults().fail({.call = VfsCall::sync_data});
  CHECK_FALSE(file->sync_data().has_value());
  REQUIRE(file->pwrite(0, as_bytes("A")).has_value());
  REQUIRE(file->sync_data().has_value());
  fs.cut_power(1, CutMode::keep_all);
  const std::string text = content(fs, "/d/f");
  CHECK(text.substr(0, 2) == "An");
  CHECK(text.substr(kPageBytes) == std::string(kPageBytes, 'o'));
}

TEST_CASE("crash model: names whose directory sync failed are not durable after the next one") {
  SimFs fs;
  fs.add_drive("/d");
  put_durable(fs, "/d/f", "x");
  REQUIRE(fs.rename("/d/f", "/d/g").has_value());
  fs.faults().fail({.call = VfsCall::directory_sync});
  CHECK_FALSE(fs.sync_directory("/d").has_value());
  CHECK(fs.sync_directory("/d").has_value());
  fs.cut_power(1, CutMode::keep_all);
  CHECK(content(fs, "/d/f") == "x");
  CHECK(content(fs, "/d/g") == "-");
}

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
