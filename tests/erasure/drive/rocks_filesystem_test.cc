#include "erasure/drive/rocks_filesystem.h"

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/rng.h"
#include "erasure/io/posix_vfs.h"
#include "tests/sim/seeds.h"
#include "tests/sim/sim_fs.h"

namespace mote::erasure {
namespace {

using sim::CutMode;
using sim::SimFs;
using sim::VfsCall;

constexpr std::chrono::microseconds kSleepMax{100};
const std::vector<std::string> kFamilies{"default", "obj", "pay"};

/// A small database with the write path of the index: no WAL, all column families flushed together.
class Database {
 public:
  Database(rocksdb::Env* env, const std::string& path, bool direct = false) {
    rocksdb::DBOptions options;
    options.env = env;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.atomic_flush = true;
    options.paranoid_checks = true;
    options.max_open_files = -1;
    // No threads for opening tables and statistics: hundreds of databases are opened here.
    options.max_file_opening_threads = 1;
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 0;
    options.use_direct_io_for_flush_and_compaction = direct;
    options.use_direct_reads = direct;
    rocksdb::ColumnFamilyOptions family;
    family.write_buffer_size = 256 << 10;
    family.level0_file_num_compaction_trigger = 3;
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : kFamilies) {
      families.emplace_back(name, family);
    }
    rocksdb::DB* db = nullptr;
    status_ = rocksdb::DB::Open(options, path, families, &handles_, &db);
    db_.reset(db);
  }
  ~Database() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      db_->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
    }
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] const rocksdb::Status& status() const { return status_; }
  rocksdb::DB& db() { return *db_; }

  /// The same row into every column family, in one batch.
  rocksdb::Status put(const std::string& key, const std::string& value,
                      const std::string& applied = "1") {
    rocksdb::WriteBatch batch;
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      batch.Put(handle, key, value).PermitUncheckedError();
      batch.Put(handle, "applied", applied).PermitUncheckedError();
    }
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    return db_->Write(options, &batch);
  }
  rocksdb::Status flush() { return db_->Flush(rocksdb::FlushOptions{}, handles_); }
  /// "" if the key is not there; the value must be the same in all column families.
  std::string get(const std::string& key) {
    std::string first;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      std::string value;
      const rocksdb::Status got = db_->Get(rocksdb::ReadOptions{}, handles_[i], key, &value);
      if (!got.ok() && !got.IsNotFound()) {
        FAIL(got.ToString());
      }
      if (i == 0) {
        first = value;
      } else if (value != first) {
        FAIL("column families differ at " << key);
      }
    }
    return first;
  }

 private:
  rocksdb::Status status_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

/// What was put, in order, and how much of it an ok Flush() covered. Row "applied" holds the number
/// of the last batch, as in the engine's index.
struct History {
  std::vector<std::pair<std::string, std::string>> puts;
  std::size_t flushed = 0;

  [[nodiscard]] std::map<std::string, std::string> rows_after(std::size_t count) const {
    std::map<std::string, std::string> rows;
    for (std::size_t i = 0; i < count; ++i) {
      rows[puts[i].first] = puts[i].second;
    }
    return rows;
  }
};

/// Puts rows and flushes now and then, until an error or the end.
void write_rows(Database& database, Rng& rng, History& history) {
  for (int i = 0; i < 60; ++i) {
    const std::string key = "k" + std::to_string(rng.below(40));
    std::string value(static_cast<std::size_t>(1 + rng.below(6000)), 'v');
    value += std::to_string(rng.next());
    history.puts.emplace_back(key, value);
    if (!database.put(key, value, std::to_string(history.puts.size())).ok()) {
      return;
    }
    if (rng.below(12) == 0) {
      if (!database.flush().ok()) {
        return;
      }
      history.flushed = history.puts.size();
    }
  }
}

/// The database holds exactly the first n puts, for some n that covers all that was flushed; the
/// history is cut there.
void check_prefix(Database& database, History& history) {
  const std::string applied = database.get("applied");
  const std::size_t count = applied.empty() ? 0 : std::stoul(applied);
  CHECK(count >= history.flushed);
  REQUIRE(count <= history.puts.size());
  std::map<std::string, std::string> rows = history.rows_after(count);
  bool same = true;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "k" + std::to_string(i);
    same = same && database.get(key) == rows[key];
  }
  CHECK(same);
  history.puts.resize(count);
  history.flushed = count;
}

TEST_CASE("rocks filesystem: what was flushed survives a cut, what was not does not") {
  SimFs fs;
  fs.add_drive("/d");
  const auto env = make_rocks_env(fs, kSleepMax);
  {
    Database database(env.get(), "/d/db");
    REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
    // RocksDB creates the directory; making its name durable is the caller's.
    REQUIRE(fs.sync_directory("/d").has_value());
    REQUIRE(database.put("kept", "1").ok());
    REQUIRE(database.flush().ok());
    REQUIRE(database.put("lost", "2").ok());
    fs.cut_power(1, CutMode::drop_all);
    CHECK_FALSE(database.flush().ok());
  }
  Database database(env.get(), "/d/db");
  REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
  CHECK(database.get("kept") == "1");
  CHECK(database.get("lost").empty());
}

TEST_CASE("rocks filesystem: flushed rows survive random cuts, again and again") {
  const std::uint64_t first = sim::test_seed(1);
  const std::uint64_t count = sim::test_seed_count(60);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    SeededRng rng(seed);
    SimFs fs;
    fs.add_drive("/d");
    const auto env = make_rocks_env(fs, kSleepMax);
    REQUIRE(fs.make_directory("/d/db").has_value());
    REQUIRE(fs.sync_directory("/d").has_value());
    History history;
    for (int round = 0; round < 4; ++round) {
      Database database(env.get(), "/d/db", seed % 4 == 0);
      REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
      check_prefix(database, history);
      write_rows(database, rng, history);
      constexpr std::array kModes{CutMode::random, CutMode::drop_all, CutMode::torn_last_write};
      fs.cut_power(rng.next(), kModes.at(static_cast<std::size_t>(rng.below(3))));
    }
  }
}

TEST_CASE(
    "rocks filesystem: a cut at any call of open, write and flush leaves a database that opens") {
  const std::uint64_t seed = sim::test_seed(7);
  CAPTURE(seed);
  const auto run = [](rocksdb::Env* env) {
    Database database(env, "/d/db");
    return database.status().ok() && database.put("kept", "1").ok() && database.flush().ok();
  };
  std::uint64_t calls = 0;
  {
    SimFs fs;
    fs.add_drive("/d");
    const auto env = make_rocks_env(fs, kSleepMax);
    REQUIRE(fs.make_directory("/d/db").has_value());
    fs.faults().reset_calls();
    REQUIRE(run(env.get()));
    calls = fs.faults().calls();
  }
  REQUIRE(calls > 20);
  for (std::uint64_t index = 1; index <= calls; ++index) {
    CAPTURE(index);
    SimFs fs;
    fs.add_drive("/d");
    const auto env = make_rocks_env(fs, kSleepMax);
    REQUIRE(fs.make_directory("/d/db").has_value());
    fs.sync_all("/d");
    fs.faults().cut_at(index, index % 2 == 0);
    const bool flushed = run(env.get());
    fs.restart(seed + index, index % 3 == 0 ? CutMode::drop_all : CutMode::random);
    Database database(env.get(), "/d/db");
    REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
    const std::string value = database.get("kept");
    CHECK((value == "1" || (!flushed && value.empty())));
  }
}

TEST_CASE("rocks filesystem: on a real disk, with and without direct I/O") {
  for (const bool direct : {false, true}) {
    CAPTURE(direct);
    std::string pattern = (std::filesystem::temp_directory_path() / "mote-rocks-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    PosixVfs vfs;
    const auto env = make_rocks_env(vfs, kSleepMax);
    SeededRng rng(sim::test_seed(3));
    History history;
    {
      Database database(env.get(), pattern + "/db", direct);
      REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
      write_rows(database, rng, history);
      REQUIRE(database.flush().ok());
      Database second(env.get(), pattern + "/db");
      CHECK_FALSE(second.status().ok());  // locked
    }
    {
      Database database(env.get(), pattern + "/db", direct);
      REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
      history.flushed = history.puts.size();
      check_prefix(database, history);
    }
    std::filesystem::remove_all(pattern);
  }
}

TEST_CASE("rocks filesystem: a failed table sync fails the flush, and the old state stays") {
  SimFs fs;
  fs.add_drive("/d");
  const auto env = make_rocks_env(fs, kSleepMax);
  {
    Database database(env.get(), "/d/db");
    REQUIRE(database.put("a", "1").ok());
    REQUIRE(database.flush().ok());
    REQUIRE(fs.sync_directory("/d").has_value());
    fs.faults().fail({.call = VfsCall::sync_data, .path_prefix = "/d/db"});
    REQUIRE(database.put("a", "2").ok());
    CHECK_FALSE(database.flush().ok());
    fs.cut_power(1, CutMode::drop_all);
  }
  Database database(env.get(), "/d/db");
  REQUIRE_MESSAGE(database.status().ok(), database.status().ToString());
  CHECK(database.get("a") == "1");
}

TEST_CASE("rocks filesystem: errors keep their kind") {
  SimFs fs;
  fs.add_drive("/d");
  const auto rocks = make_rocks_filesystem(fs);
  const rocksdb::IOOptions options;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  std::unique_ptr<rocksdb::FSRandomAccessFile> reader;
  std::vector<std::string> names;
  CHECK(rocks->FileExists("/d/none", options, nullptr).IsNotFound());
  CHECK(rocks->GetChildren("/d/none", options, &names, nullptr).IsNotFound());
  CHECK(rocks->NewRandomAccessFile("/d/none", {}, &reader, nullptr).IsPathNotFound());
  CHECK(rocks->DeleteFile("/d/none", options, nullptr).IsPathNotFound());
  CHECK(rocks->CreateDirIfMissing("/d/sub", options, nullptr).ok());
  CHECK(rocks->CreateDirIfMissing("/d/sub", options, nullptr).ok());
  CHECK(rocks->CreateDir("/d/sub", options, nullptr).IsIOError());
  fs.limit_space("/d", sim::kPageBytes);
  REQUIRE(rocks->NewWritableFile("/d/f", {}, &file, nullptr).ok());
  CHECK(rocks->CreateDirIfMissing("/d/f", options, nullptr).IsIOError());
  const auto full = file->Append(std::string(3 * sim::kPageBytes, 'x'), options, nullptr);
  CHECK(full.IsNoSpace());
  CHECK(full.GetRetryable());
  fs.faults().fail({.call = VfsCall::pwrite, .path_prefix = "/d/f"});
  const auto failed = file->Append("x", options, nullptr);
  CHECK(failed.IsIOError());
  CHECK_FALSE(failed.IsNoSpace());
  CHECK(file->Append("x", options, nullptr).ok());
  CHECK(file->GetFileSize(options, nullptr) == 1);
  std::uint64_t links = 0;
  CHECK(rocks->NumFileLinks("/d/f", options, &links, nullptr).IsNotSupported());
}

}  // namespace
}  // namespace mote::erasure
