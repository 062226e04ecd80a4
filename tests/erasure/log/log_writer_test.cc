#include "erasure/log/log_writer.h"

#include <doctest/doctest.h>

#include "tests/erasure/log/log_support.h"

namespace mote::erasure {
namespace {

using test::append;
using test::begin_log;
using test::kLog;
using test::kRoot;
using test::make_drive;
using test::read_commits;
using test::small_options;
using test::Written;

TEST_CASE("log: what was synced is read back in order, after a power cut too") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  append(*writer, {{{1, 2}, "two"}, {{1, 3}, ""}});
  append(*writer, {{{1, 4}, std::string(5000, 'x')}}, {1, 3});
  writer.reset();
  fs->cut_power(1, sim::CutMode::drop_all);

  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  const LogContents& log = reader->contents();
  CHECK(log.verdict == LogVerdict::clean);
  CHECK(log.begins);
  CHECK(log.decided == CommitSeq{1, 3});
  CHECK(log.promise == 0);
  REQUIRE(log.configurations.size() == 1);
  CHECK(log.configurations[0] == first_configuration({1, 0}));
  const std::vector<Written> found = read_commits(*reader);
  REQUIRE(found.size() == 3);
  CHECK(found[0].payload == "two");
  CHECK(found[1].payload.empty());
  CHECK(found[2].seq == CommitSeq{1, 4});
  CHECK(found[2].payload == std::string(5000, 'x'));
}

TEST_CASE("log: a group costs one sync of data and none of the directory") {
  auto fs = make_drive();
  SeededRng rng(1);
  LogOptions options = small_options();
  options.segment_bytes = 64 * kLogPageBytes;
  auto writer = begin_log(*fs, rng, options);
  const sim::SyncCount before = fs->faults().syncs(kRoot);
  for (std::uint64_t n = 2; n < 12; ++n) {
    append(*writer, {{{1, n}, "x"}});
  }
  const sim::SyncCount after = fs->faults().syncs(kRoot);
  CHECK(after.data - before.data == 10);
  CHECK(after.directory == before.directory);
}

TEST_CASE("log: rolling to a prepared segment costs one sync more and none of the directory") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());  // page 2 of 4 is taken
  append(*writer, {{{1, 2}, "x"}});
  append(*writer, {{{1, 3}, "x"}});
  CHECK(writer->wants_next());
  REQUIRE(writer->prepare_next().has_value());
  CHECK_FALSE(writer->wants_next());
  const sim::SyncCount before = fs->faults().syncs(kRoot);
  append(*writer, {{{1, 4}, "x"}});
  const sim::SyncCount after = fs->faults().syncs(kRoot);
  CHECK(after.data - before.data == 2);
  CHECK(after.directory == before.directory);
  CHECK(writer->live_bytes() == 2 * kSegmentBytesMin);
}

TEST_CASE("log: many segments are written, recycled and read; cfg and promise survive recycling") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  const std::vector<Entry> promise = {{EntryKind::promise, {9, 0}, {}}};
  REQUIRE(writer->append_group(promise, {}).has_value());
  REQUIRE(writer->sync().has_value());
  for (std::uint64_t n = 2; n <= 200; ++n) {
    append(*writer, {{{1, n}, "payload " + std::to_string(n)}}, {1, n - 1});
    if (n > 20) {
      writer->recycle({1, n - 10});
    }
  }
  CHECK(writer->live_bytes() < 10 * kSegmentBytesMin);
  CHECK(fs->list(kLog)->size() < 12);
  writer.reset();
  fs->cut_power(1, sim::CutMode::drop_all);

  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  const LogContents& log = reader->contents();
  CHECK(log.verdict == LogVerdict::clean);
  CHECK_FALSE(log.begins);
  CHECK(log.promise == 9);
  REQUIRE(log.configurations.size() == 1);
  CHECK(log.configurations[0] == first_configuration({1, 0}));
  const std::vector<Written> found = read_commits(*reader);
  REQUIRE(found.size() >= 10);
  CHECK(found.size() < 20);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].seq.n == 200 - found.size() + 1 + i);
    CHECK(found[i].payload == "payload " + std::to_string(found[i].seq.n));
  }
}

TEST_CASE("log: resume goes on in a fresh segment, again and again") {
  auto fs = make_drive();
  SeededRng rng(1);
  begin_log(*fs, rng, small_options());
  for (std::uint64_t n = 2; n < 10; ++n) {
    auto reader = LogReader::open(*fs, kLog, small_options());
    REQUIRE(reader.has_value());
    REQUIRE(reader->contents().verdict == LogVerdict::clean);
    auto writer = LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents());
    REQUIRE(writer.has_value());
    append(**writer, {{{1, n}, "x"}});
  }
  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(read_commits(*reader).size() == 8);
  CHECK(reader->contents().segments.size() == 9);
}

TEST_CASE("log: resume makes durable what was only in the page cache") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  const Written written{{1, 2}, "unsynced"};
  const std::vector<Entry> group = {test::commit(written)};
  REQUIRE(writer->append_group(group, {}).has_value());
  writer.reset();  // the process dies, the machine lives
  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  REQUIRE(read_commits(*reader).size() == 1);
  REQUIRE(LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents()).has_value());
  fs->cut_power(1, sim::CutMode::drop_all);
  reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(reader->contents().verdict == LogVerdict::clean);
  CHECK(read_commits(*reader).size() == 1);
}

TEST_CASE("log: resume makes durable what an earlier failed sync left marked clean") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  const Written written{{1, 2}, "failed"};
  const std::vector<Entry> group = {test::commit(written)};
  REQUIRE(writer->append_group(group, {}).has_value());
  fs->faults().fail({.call = sim::VfsCall::sync_data, .path_prefix = kLog});
  CHECK(writer->sync().error().code == Errc::io_error);
  writer.reset();
  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  REQUIRE(read_commits(*reader).size() == 1);
  REQUIRE(LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents()).has_value());
  fs->cut_power(1, sim::CutMode::drop_all);
  reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(read_commits(*reader).size() == 1);
}

TEST_CASE("log: after a failed write or sync the writer does nothing more") {
  for (const sim::VfsCall call : {sim::VfsCall::pwrite, sim::VfsCall::sync_data}) {
    auto fs = make_drive();
    SeededRng rng(1);
    auto writer = begin_log(*fs, rng, small_options());
    fs->faults().fail({.call = call, .path_prefix = kLog});
    const Status appended = writer->append_decided_mark({1, 1});
    const Status synced = appended ? writer->sync() : appended;
    CHECK(synced.error().code == Errc::io_error);
    const std::uint64_t calls = fs->faults().calls();
    CHECK(writer->sync().error().code == Errc::drive_failed);
    CHECK(fs->faults().calls() == calls);
  }
}

TEST_CASE("log: a group beyond the largest is refused and the writer stays good") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  const std::size_t fits =
      group_bytes_max(small_options()) - sizeof(GroupHeader) - sizeof(EntryHeader);
  const Written big{{1, 2}, std::string(fits + 1, 'x')};
  const std::vector<Entry> group = {test::commit(big)};
  CHECK(writer->append_group(group, {}).error().code == Errc::too_large);
  append(*writer, {{{1, 2}, std::string(fits, 'x')}});
  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(read_commits(*reader).size() == 1);
}

TEST_CASE("log: a log that begins anew ends the old one in one instant, wherever the power fails") {
  const std::string cfg = encode(first_configuration({1, 0}));
  const std::vector<Entry> first = {{EntryKind::cfg, {1, 1}, as_bytes(cfg)},
                                    {EntryKind::commit, {1, 2}, as_bytes("new")}};
  bool finished = false;
  int old_seen = 0;
  int new_seen = 0;
  for (std::uint64_t cut = 1; !finished; ++cut) {
    auto fs = make_drive();
    SeededRng rng(1);
    {
      auto writer = begin_log(*fs, rng, small_options());
      for (std::uint64_t n = 2; n < 8; ++n) {
        append(*writer, {{{1, n}, "old"}});
      }
      writer->recycle({1, 3});
      append(*writer, {{{1, 8}, "old"}});
    }
    fs->faults().cut_at(cut);
    finished = LogWriter::begin(*fs, rng, kLog, small_options(), first).has_value();
    fs->restart(cut, sim::CutMode::random);
    CAPTURE(cut);
    auto reader = LogReader::open(*fs, kLog, small_options());
    REQUIRE(reader.has_value());
    REQUIRE(reader->contents().verdict != LogVerdict::damaged);
    const std::vector<Written> found = read_commits(*reader);
    REQUIRE_FALSE(found.empty());
    const bool is_new = found.back().payload == "new";
    CHECK(found.size() == (is_new ? 1 : 8 - found.front().seq.n + 1));
    CHECK((!finished || is_new));
    ++(is_new ? new_seen : old_seen);
    // Whatever it is, it can be gone on with.
    REQUIRE(LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents()).has_value());
  }
  CHECK(old_seen > 5);
  CHECK(new_seen > 1);
}

}  // namespace
}  // namespace mote::erasure
