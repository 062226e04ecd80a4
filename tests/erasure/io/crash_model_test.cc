#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/erasure/io/sim_fs_helpers.h"
#include "tests/sim/seeds.h"

namespace mote::sim {
namespace {

constexpr std::uint64_t kSeeds = 400;  // enough to see every outcome that a test names

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

}  // namespace
}  // namespace mote::sim
