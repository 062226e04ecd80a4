#include "erasure/drive/index_rocksdb.h"

#include <array>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/io/posix_vfs.h"
#include "erasure/meta/keys.h"
#include "tests/erasure/drive/temp_dir.h"
#include "tests/sim/sim_fs.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

constexpr std::array<Family, kFamilyCount> kFamilies{Family::sys, Family::obj, Family::ver,
                                                     Family::pay, Family::mpu, Family::gc};

// A database on either file system, opened and reopened as a drive does it.
struct Fixture {
  Fixture(Vfs& file_system, std::string directory, bool simulated)
      : vfs(file_system), path(std::move(directory)), deterministic(simulated) {}

  IndexOptions options(bool create) const {
    IndexOptions out;
    out.create = create;
    out.deterministic = deterministic;
    return out;
  }
  void open(bool create) {
    index.reset();
    resources = std::make_unique<IndexResources>(kLimits);  // an empty cache: nothing is remembered
    auto opened = open_index(vfs, path, *resources, options(create));
    REQUIRE_OK(opened);
    index = std::move(*opened);
  }

  Vfs& vfs;
  std::string path;
  bool deterministic;
  static constexpr IndexResources::Limits kLimits{8 * kMiB, 64 * kMiB, 1};
  std::unique_ptr<IndexResources> resources = std::make_unique<IndexResources>(kLimits);
  std::unique_ptr<Index> index;
};

template <class Test>
void on_both(Test test) {
  SUBCASE("simulated") {
    sim::SimFs fs;
    fs.add_drive("/d");
    REQUIRE_OK(fs.make_directory("/d/db"));
    Fixture fixture(fs, "/d/db", true);
    fixture.open(true);
    test(fixture);
  }
  SUBCASE("real") {
    PosixVfs vfs;
    const test::TempDir directory;
    REQUIRE_OK(vfs.make_directory(directory.path() + "/db"));
    Fixture fixture(vfs, directory.path() + "/db", false);
    fixture.open(true);
    test(fixture);
  }
}

Status put(Index& index, CommitSeq seq, Family family, std::string_view key,
           std::string_view value) {
  RowBatch batch;
  batch.put(family, key, value);
  return index.apply({as_bytes(batch.encoded())}, seq);
}

std::string get(const Index& index, Family family, std::string_view key,
                const IndexSnapshot* at = nullptr) {
  const auto got = index.get(family, key, ReadTier::device, at);
  REQUIRE_OK(got);
  return got->has_value() ? std::string(as_text((*got)->bytes)) : "(absent)";
}

std::vector<std::string> walk(IndexCursor& cursor, std::string_view from) {
  std::vector<std::string> seen;
  for (cursor.seek(from); cursor.valid(); cursor.next()) {
    seen.push_back(std::string(cursor.key()) + "=" + std::string(cursor.value()));
  }
  CHECK_OK(cursor.status());
  return seen;
}

TEST_CASE("index: rows are put, replaced and erased; absent is no error") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    CHECK_OK(put(index, {1, 1}, Family::obj, "k", "one"));
    CHECK(get(index, Family::obj, "k") == "one");
    CHECK(get(index, Family::ver, "k") == "(absent)");
    RowBatch batch;
    batch.put(Family::obj, "k", "two");
    batch.put(Family::pay, "p", "");
    batch.put(Family::ver, "k", "old");
    batch.erase(Family::ver, "k");
    CHECK_OK(index.apply({as_bytes(batch.encoded())}, {1, 2}));
    CHECK(get(index, Family::obj, "k") == "two");
    CHECK(get(index, Family::pay, "p").empty());
    CHECK(get(index, Family::ver, "k") == "(absent)");
    CHECK(index.applied() == CommitSeq{1, 2});
    CHECK_OK(index.health());
  });
}

TEST_CASE("index: several batches are applied in order; applying twice is applying once") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    RowBatch first;
    first.put(Family::obj, "k", "1");
    RowBatch second;
    second.put(Family::obj, "k", "2");
    const std::vector<ByteView> batches{as_bytes(first.encoded()), as_bytes(second.encoded())};
    CHECK_OK(index.apply(batches, {1, 2}));
    CHECK_OK(index.apply(batches, {1, 2}));
    CHECK(get(index, Family::obj, "k") == "2");
  });
}

TEST_CASE("index: a damaged batch or a reserved row changes nothing") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    RowBatch batch;
    batch.put(Family::obj, "a", "1");
    batch.put(Family::obj, "b", "2");
    const std::string cut = batch.encoded().substr(0, batch.encoded().size() - 1);
    CHECK_ERR(index.apply({as_bytes(cut)}, {1, 1}), Errc::corrupt);
    CHECK_ERR(put(index, {1, 1}, Family::obj, kAppliedRow, "x"), Errc::corrupt);
    CHECK(get(index, Family::obj, "a") == "(absent)");
    CHECK(index.applied() == CommitSeq{});
  });
}

TEST_CASE("index: a value outlives its replacement, a flush and its row") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    const std::string large(20'000, 'x');
    CHECK_OK(put(index, {1, 1}, Family::obj, "k", large));
    CHECK_OK(index.flush());
    const auto got = index.get(Family::obj, "k", ReadTier::device);
    REQUIRE_OK(got);
    RowBatch erase;
    erase.erase(Family::obj, "k");
    CHECK_OK(index.apply({as_bytes(erase.encoded())}, {1, 2}));
    CHECK_OK(index.flush());
    CHECK(as_text((*got)->bytes) == large);
    CHECK(get(index, Family::obj, "k") == "(absent)");
  });
}

TEST_CASE("index: a snapshot does not see what comes later, across families") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    RowBatch batch;
    batch.put(Family::obj, "k", "head 1");
    batch.put(Family::pay, "p", "payload 1");
    CHECK_OK(index.apply({as_bytes(batch.encoded())}, {1, 1}));
    const auto before = index.snapshot();
    RowBatch later;
    later.put(Family::obj, "k", "head 2");
    later.erase(Family::pay, "p");
    later.put(Family::obj, "l", "new");
    CHECK_OK(index.apply({as_bytes(later.encoded())}, {1, 2}));
    CHECK(get(index, Family::obj, "k", before.get()) == "head 1");
    CHECK(get(index, Family::pay, "p", before.get()) == "payload 1");
    CHECK(get(index, Family::pay, "p") == "(absent)");
    const auto cursor = index.cursor(Family::obj, "", "", false, before.get());
    CHECK(walk(*cursor, "") == std::vector<std::string>{"k=head 1"});
  });
}

TEST_CASE("index: a cursor walks its range in order and shows no applied row") {
  on_both([](Fixture& fixture) {
    Index& index = *fixture.index;
    RowBatch batch;
    for (const char* key : {"c", "a", "applie", "appliedx", "b", "aa"}) {
      batch.put(Family::obj, key, "v");
    }
    CHECK_OK(index.apply({as_bytes(batch.encoded())}, {1, 1}));
    for (const bool scan : {false, true}) {
      const auto all = index.cursor(Family::obj, "", "", scan);
      CHECK(walk(*all, "") ==
            std::vector<std::string>{"a=v", "aa=v", "applie=v", "appliedx=v", "b=v", "c=v"});
      CHECK(walk(*all, "applied") == std::vector<std::string>{"appliedx=v", "b=v", "c=v"});
      const auto some = index.cursor(Family::obj, "aa", "b", scan);
      CHECK(walk(*some, "") == std::vector<std::string>{"aa=v", "applie=v", "appliedx=v"});
      CHECK(walk(*some, "b").empty());
      const auto only_applied = index.cursor(Family::sys, "", "", scan);
      CHECK(walk(*only_applied, "").empty());
    }
    CHECK_OK(index.flush());
    const auto flushed = index.cursor(Family::obj, "a", prefix_end("a"), false);
    CHECK(walk(*flushed, "a").size() == 4);
  });
}

TEST_CASE("index: only what was flushed is there after reopening, and persisted says so") {
  on_both([](Fixture& fixture) {
    CHECK(fixture.index->persisted() == CommitSeq{});
    CHECK_OK(put(*fixture.index, {1, 1}, Family::obj, "k", "1"));
    CHECK(fixture.index->persisted() == CommitSeq{});
    CHECK_OK(fixture.index->flush());
    CHECK(fixture.index->persisted() == CommitSeq{1, 1});
    CHECK_OK(put(*fixture.index, {1, 2}, Family::obj, "k", "2"));
    CHECK(fixture.index->persisted() == CommitSeq{1, 1});
    CHECK(fixture.index->applied() == CommitSeq{1, 2});
    fixture.open(false);
    CHECK(fixture.index->persisted() == CommitSeq{1, 1});
    CHECK(fixture.index->applied() == CommitSeq{1, 1});
    CHECK(get(*fixture.index, Family::obj, "k") == "1");
  });
}

TEST_CASE("index: on_persisted tells every move of persisted()") {
  on_both([](Fixture& fixture) {
    fixture.index.reset();
    IndexOptions options = fixture.options(false);
    std::vector<CommitSeq> told;
    options.on_persisted = [&](CommitSeq seq) { told.push_back(seq); };
    auto index = open_index(fixture.vfs, fixture.path, *fixture.resources, std::move(options));
    REQUIRE_OK(index);
    CHECK_OK(put(**index, {1, 1}, Family::obj, "k", "1"));
    CHECK_OK((*index)->flush());
    CHECK_OK((*index)->flush());
    CHECK_OK(put(**index, {2, 1}, Family::gc, "k", "1"));
    CHECK_OK((*index)->flush());
    index->reset();
    CHECK(told == std::vector<CommitSeq>{{1, 1}, {2, 1}});
  });
}

TEST_CASE("index: the memory tier answers from memory and says so when it cannot") {
  on_both([](Fixture& fixture) {
    // The row `applied` and a filler share the first block, so that opening does not read that of
    // "k".
    CHECK_OK(put(*fixture.index, {1, 0}, Family::obj, "b", std::string(10'000, 'f')));
    CHECK_OK(put(*fixture.index, {1, 1}, Family::obj, "k", "1"));
    const auto fresh = fixture.index->get(Family::obj, "k", ReadTier::memory);
    REQUIRE_OK(fresh);
    CHECK(fresh->has_value());
    CHECK_OK(fixture.index->flush());
    fixture.open(false);
    CHECK_ERR(fixture.index->get(Family::obj, "k", ReadTier::memory), Errc::timed_out);
    CHECK(get(*fixture.index, Family::obj, "k") == "1");
    const auto cached = fixture.index->get(Family::obj, "k", ReadTier::memory);
    REQUIRE_OK(cached);
    CHECK(as_text((*cached)->bytes) == "1");
    // the filter is in memory: an absent key is known without the device
    const auto absent = fixture.index->get(Family::obj, "no such key", ReadTier::memory);
    REQUIRE_OK(absent);
    CHECK_FALSE(absent->has_value());
  });
}

TEST_CASE("index: a database that is not there is never made but by create") {
  on_both([](Fixture& fixture) {
    REQUIRE_OK(fixture.vfs.make_directory(fixture.path + "2"));
    CHECK_ERR(
        open_index(fixture.vfs, fixture.path + "2", *fixture.resources, fixture.options(false)),
        Errc::no_such_file);
  });
}

std::vector<std::string> tables(sim::SimFs& fs) {
  std::vector<std::string> found;
  const auto names = fs.list("/d/db");
  REQUIRE_OK(names);
  for (const std::string& name : *names) {
    if (name.size() > 4 && name.substr(name.size() - 4) == ".sst") {
      found.push_back("/d/db/" + name);
    }
  }
  return found;
}

struct SimFixture {
  SimFixture() {
    fs.add_drive("/d");
    REQUIRE_OK(fs.make_directory("/d/db"));
    fixture.open(true);
  }
  sim::SimFs fs;
  Fixture fixture{fs, "/d/db", true};
};

TEST_CASE("index: a flipped byte in a table is corrupt, never absent") {
  SimFixture sim;
  RowBatch batch;
  for (int i = 0; i < 200; ++i) {
    batch.put(Family::obj, "key " + std::to_string(i), std::string(100, 'v'));
  }
  CHECK_OK(sim.fixture.index->apply({as_bytes(batch.encoded())}, {1, 1}));
  CHECK_OK(sim.fixture.index->flush());
  sim.fixture.index.reset();
  for (const std::string& table : tables(sim.fs)) {
    const auto info = sim.fs.stat(table);
    REQUIRE_OK(info);
    if (info->bytes > 16'384) {  // the table of obj; its first block holds `applied`
      REQUIRE_OK(sim.fs.damage(table, 12'000));
    }
  }
  sim.fixture.open(false);
  int corrupt = 0;
  for (int i = 0; i < 200; ++i) {
    const auto got =
        sim.fixture.index->get(Family::obj, "key " + std::to_string(i), ReadTier::device);
    if (got) {
      REQUIRE(got->has_value());
      CHECK(as_text((*got)->bytes) == std::string(100, 'v'));
    } else {
      CHECK(got.error().code == Errc::corrupt);
      ++corrupt;
    }
  }
  CHECK(corrupt > 0);
  CHECK(corrupt < 100);
  const auto cursor = sim.fixture.index->cursor(Family::obj, "", "", false);
  int seen = 0;
  for (cursor->seek(""); cursor->valid(); cursor->next()) {
    ++seen;
  }
  CHECK_ERR(cursor->status(), Errc::corrupt);
  CHECK(seen < 200);
}

TEST_CASE("index: damage to the applied row is corrupt at open") {
  SimFixture sim;
  CHECK_OK(put(*sim.fixture.index, {1, 1}, Family::obj, "k", "1"));
  CHECK_OK(sim.fixture.index->flush());
  sim.fixture.index.reset();
  REQUIRE_OK(sim.fs.damage(tables(sim.fs).front(), 3));
  sim.fixture.resources = std::make_unique<IndexResources>(Fixture::kLimits);
  CHECK_ERR(open_index(sim.fs, "/d/db", *sim.fixture.resources, sim.fixture.options(false)),
            Errc::corrupt);
}

TEST_CASE("index: a table that vanished is corrupt at open") {
  SimFixture sim;
  CHECK_OK(put(*sim.fixture.index, {1, 1}, Family::obj, "k", "1"));
  CHECK_OK(sim.fixture.index->flush());
  sim.fixture.index.reset();
  REQUIRE_OK(sim.fs.unlink(tables(sim.fs).front()));
  CHECK_ERR(open_index(sim.fs, "/d/db", *sim.fixture.resources, sim.fixture.options(false)),
            Errc::corrupt);
}

TEST_CASE("index: a failed flush makes it read-only, once, and says so; reads go on") {
  for (const sim::VfsCall call : {sim::VfsCall::pwrite, sim::VfsCall::sync_data}) {
    SimFixture sim;
    sim.fixture.index.reset();
    IndexOptions options = sim.fixture.options(false);
    int told = 0;
    options.on_background_error = [&](Error error) {
      ++told;
      CHECK(error.code == Errc::io_error);
    };
    auto index = open_index(sim.fs, "/d/db", *sim.fixture.resources, std::move(options));
    REQUIRE_OK(index);
    CHECK_OK(put(**index, {1, 1}, Family::obj, "k", "1"));
    sim::Fault fault;
    fault.call = call;
    fault.path_prefix = "/d/db";
    sim.fs.faults().fail(fault);
    CHECK_ERR((*index)->flush(), Errc::io_error);
    sim.fs.faults().clear_faults();
    CHECK(told == 1);
    CHECK_ERR((*index)->health(), Errc::io_error);
    CHECK(get(**index, Family::obj, "k") == "1");
    CHECK_ERR(put(**index, {1, 2}, Family::obj, "k", "2"), Errc::io_error);
    CHECK((*index)->persisted() == CommitSeq{});
    index->reset();
    // closing and opening again is the way back; the log has what was lost
    sim.fixture.open(false);
    CHECK(sim.fixture.index->persisted() == CommitSeq{});
    CHECK_OK(put(*sim.fixture.index, {1, 1}, Family::obj, "k", "1"));
  }
}

// Applies n = 1 .. 12, each to one family in turn, flushing after every third. Stops at the first
// error.
void run_until_error(Index& index) {
  for (std::uint64_t n = 1; n <= 12; ++n) {
    const Family family = kFamilies[n % kFamilyCount];
    if (!put(index, {1, n}, family, "row " + std::to_string(n), "v" + std::to_string(n))) {
      return;
    }
    if (n % 3 == 0 && !index.flush()) {
      return;
    }
  }
}

TEST_CASE("index: a power cut at any call leaves all rows up to persisted and none missing") {
  const std::uint64_t seed = mote::test::random_seed();
  INFO("MOTE_TEST_SEED=" << seed);
  std::uint64_t calls = 0;
  {
    SimFixture sim;
    sim.fs.sync_all("/d");
    sim.fs.faults().reset_calls();
    run_until_error(*sim.fixture.index);
    calls = sim.fs.faults().calls();
  }
  REQUIRE(calls > 50);
  std::uint64_t last_seen = 0;
  for (std::uint64_t at = 1; at <= calls + 60; at += calls / 40 + seed % 3) {
    CAPTURE(at);
    SimFixture sim;
    sim.fs.sync_all("/d");
    sim.fs.faults().cut_at(at);
    run_until_error(*sim.fixture.index);
    const CommitSeq promised = sim.fixture.index->persisted();
    sim.fixture.index.reset();
    sim.fs.restart(seed + at, sim::CutMode::random);
    sim.fixture.open(false);
    const CommitSeq kept = sim.fixture.index->persisted();
    CHECK(kept >= promised);
    last_seen = std::max(last_seen, kept.n);
    for (std::uint64_t n = 1; n <= kept.n; ++n) {
      CHECK(get(*sim.fixture.index, kFamilies[n % kFamilyCount], "row " + std::to_string(n)) ==
            "v" + std::to_string(n));
    }
  }
  CHECK(last_seen == 12);
}

TEST_CASE("index: many rows, compared with a map, over flushes and reopening") {
  on_both([](Fixture& fixture) {
    MOTE_SEEDED_RNG(rng);
    std::array<std::map<std::string, std::string>, kFamilyCount> model;
    for (std::uint64_t n = 1; n <= 150; ++n) {
      RowBatch batch;
      for (std::uint64_t i = 0; i < 10; ++i) {
        const Family family = kFamilies[rng.below(kFamilyCount)];
        auto& rows = model[static_cast<std::size_t>(family)];
        const std::string key = "k" + std::to_string(rng.below(60));
        if (rng.below(3) == 0) {
          batch.erase(family, key);
          rows.erase(key);
        } else {
          const std::string value(rng.below(300), static_cast<char>('a' + rng.below(26)));
          batch.put(family, key, value);
          rows[key] = value;
        }
      }
      REQUIRE_OK(fixture.index->apply({as_bytes(batch.encoded())}, {1, n}));
      if (n % 50 == 0) {
        REQUIRE_OK(fixture.index->flush());
        fixture.open(false);
      }
    }
    for (const Family family : kFamilies) {
      const auto cursor = fixture.index->cursor(family, "", "", true);
      auto expected = model[static_cast<std::size_t>(family)].begin();
      for (cursor->seek(""); cursor->valid(); cursor->next(), ++expected) {
        REQUIRE(expected != model[static_cast<std::size_t>(family)].end());
        CHECK(cursor->key() == expected->first);
        CHECK(cursor->value() == expected->second);
      }
      CHECK(expected == model[static_cast<std::size_t>(family)].end());
    }
  });
}

}  // namespace
}  // namespace mote::erasure
