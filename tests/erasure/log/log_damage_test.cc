#include <map>

#include <doctest/doctest.h>

#include "tests/erasure/log/log_support.h"

namespace mote::erasure {
namespace {

using test::append;
using test::begin_log;
using test::kLog;
using test::make_drive;
using test::read_commits;
using test::small_options;
using test::Written;

/// A small log in the making: what a sync has promised, and the files as they are then.
struct Built {
  std::unique_ptr<sim::SimFs> fs = make_drive();
  std::unique_ptr<SeededRng> rng = std::make_unique<SeededRng>(1);
  std::vector<Written> written;
};

/// Three segments, groups of one and of several pages; the last one carries a mark only.
Built build() {
  Built built;
  auto writer = begin_log(*built.fs, *built.rng, small_options());
  const std::vector<std::vector<Written>> groups = {
      {{{1, 2}, "two"}, {{1, 3}, std::string(100, 'c')}},
      {{{1, 4}, "four"}},
      {{{1, 5}, std::string(4100, 'e')}},
      {{{1, 6}, "six"}},
  };
  for (const std::vector<Written>& group : groups) {
    append(*writer, group, built.written.empty() ? CommitSeq{} : built.written.back().seq);
    built.written.insert(built.written.end(), group.begin(), group.end());
  }
  REQUIRE(writer->append_decided_mark({1, 6}).has_value());
  REQUIRE(writer->sync().has_value());
  return built;
}

std::string file_text(Vfs& vfs, const std::string& path) {
  auto text = read_file(vfs, path, kMiB);
  REQUIRE(text.has_value());
  return *text;
}

void put_file(Vfs& vfs, const std::string& path, std::string_view text) {
  auto file = vfs.open(path, {.read = true, .write = true, .create = true, .truncate = true});
  REQUIRE(file.has_value());
  REQUIRE((*file)->pwrite(0, as_bytes(text)).has_value());
}

/// Entries must be a beginning of what was written, with the right payloads, and all of it unless
/// the verdict says otherwise.
void check_prefix(LogReader& reader, const std::vector<Written>& written) {
  const std::vector<Written> found = read_commits(reader);
  REQUIRE(found.size() <= written.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].seq == written[i].seq);
    REQUIRE(found[i].payload == written[i].payload);
  }
}

TEST_CASE("log: no flipped byte gives a wrong entry, and no acknowledged entry is lost silently") {
  Built built = build();
  const auto names = built.fs->list(kLog);
  REQUIRE(names.has_value());
  REQUIRE(names->size() == 3);
  std::map<LogVerdict, int> verdicts;
  for (const std::string& name : *names) {
    const std::string path = kLog + "/" + name;
    const std::string original = file_text(*built.fs, path);
    for (std::size_t at = 0; at < original.size(); ++at) {
      std::string flipped = original;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      put_file(*built.fs, path, flipped);
      CAPTURE(path);
      CAPTURE(at);
      auto reader = LogReader::open(*built.fs, kLog, small_options());
      if (!reader) {
        // The version in a header says that a newer program wrote this.
        REQUIRE(reader.error().code == Errc::unsupported);
        continue;
      }
      const LogContents& log = reader->contents();
      check_prefix(*reader, built.written);
      ++verdicts[log.verdict];
      if (log.verdict != LogVerdict::damaged) {
        REQUIRE(read_commits(*reader).size() == built.written.size());
      } else {
        REQUIRE(log.damaged_file.rfind(kLog, 0) == 0);
      }
    }
    put_file(*built.fs, path, original);
  }
  CHECK(verdicts[LogVerdict::damaged] > 4000);
  CHECK(verdicts[LogVerdict::clean] > 4000);    // padding, the second copy of a header
  CHECK(verdicts[LogVerdict::torn_tail] > 50);  // the last group, which promised no entry
}

TEST_CASE("log: a file that is too short is damage, wherever it ends") {
  Built built = build();
  const auto names = built.fs->list(kLog);
  REQUIRE(names.has_value());
  for (const std::string& name : *names) {
    const std::string path = kLog + "/" + name;
    const std::string original = file_text(*built.fs, path);
    for (std::size_t size = 0; size < original.size(); ++size) {
      put_file(*built.fs, path, std::string_view(original).substr(0, size));
      CAPTURE(path);
      CAPTURE(size);
      auto reader = LogReader::open(*built.fs, kLog, small_options());
      REQUIRE(reader.has_value());
      check_prefix(*reader, built.written);
      // Cut before its first intact header copy, the newest segment is as if it had never been:
      // only other drives' marks can tell.
      if (reader->contents().verdict != LogVerdict::damaged) {
        REQUIRE(name == "3");
        REQUIRE(size < sizeof(SegmentHeader));
      }
    }
    put_file(*built.fs, path, original);
  }
}

TEST_CASE("log: a lost page is damage unless nothing acknowledged is in it") {
  Built built = build();
  const auto names = built.fs->list(kLog);
  REQUIRE(names.has_value());
  for (const std::string& name : *names) {
    const std::string path = kLog + "/" + name;
    const std::string original = file_text(*built.fs, path);
    for (std::size_t page = 0; page < original.size(); page += kLogPageBytes) {
      std::string holed = original;
      holed.replace(page, kLogPageBytes, kLogPageBytes, '\0');
      put_file(*built.fs, path, holed);
      CAPTURE(path);
      CAPTURE(page);
      auto reader = LogReader::open(*built.fs, kLog, small_options());
      REQUIRE(reader.has_value());
      check_prefix(*reader, built.written);
      if (reader->contents().verdict != LogVerdict::damaged) {
        REQUIRE(read_commits(*reader).size() == built.written.size());
      }
    }
    put_file(*built.fs, path, original);
  }
}

TEST_CASE("log: a lost segment file is damage, the newest one aside") {
  for (const char* const lost : {"1", "2", "3"}) {
    Built built = build();
    REQUIRE(built.fs->unlink(kLog + "/" + lost).has_value());
    auto reader = LogReader::open(*built.fs, kLog, small_options());
    REQUIRE(reader.has_value());
    check_prefix(*reader, built.written);
    CAPTURE(lost);
    CHECK((reader->contents().verdict == LogVerdict::damaged) == (std::string(lost) != "3"));
  }
}

TEST_CASE("log: a power cut leaves what was synced and at most the group in flight") {
  int torn = 0;
  int whole = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Built built;
    auto writer = begin_log(*built.fs, *built.rng, small_options());
    for (std::uint64_t n = 2; n < 2 + seed % 6; ++n) {
      append(*writer, {{{1, n}, std::string(seed * n % 3000, 'x')}});
      built.written.push_back({{1, n}, std::string(seed * n % 3000, 'x')});
    }
    const Written last = {{1, 2 + seed % 6}, std::string(5000, static_cast<char>('a' + seed % 20))};
    const std::vector<Entry> group = {test::commit(last)};
    REQUIRE(writer->append_group(group, {}).has_value());
    writer.reset();
    built.fs->cut_power(seed, sim::CutMode::random);
    auto reader = LogReader::open(*built.fs, kLog, small_options());
    REQUIRE(reader.has_value());
    REQUIRE(reader->contents().verdict != LogVerdict::damaged);
    const std::size_t synced = built.written.size();
    built.written.push_back(last);
    check_prefix(*reader, built.written);
    const std::size_t found = read_commits(*reader).size();
    REQUIRE(found >= synced);
    torn += reader->contents().verdict == LogVerdict::torn_tail ? 1 : 0;
    whole += found > synced ? 1 : 0;
    // And the log can be gone on with.
    auto resumed =
        LogWriter::resume(*built.fs, *built.rng, kLog, small_options(), reader->contents());
    REQUIRE(resumed.has_value());
    append(**resumed, {{{1, 100}, "after"}});
    reader = LogReader::open(*built.fs, kLog, small_options());
    REQUIRE(reader.has_value());
    REQUIRE(reader->contents().verdict == LogVerdict::clean);
    REQUIRE(read_commits(*reader).size() == found + 1);
  }
  CHECK(torn > 10);
  CHECK(whole > 10);
}

TEST_CASE("log: power cut at every call while segments roll, are recycled and resumed") {
  bool finished = false;
  std::uint64_t cuts = 0;
  for (std::uint64_t cut = 1; !finished; ++cut, ++cuts) {
    CAPTURE(cut);
    auto fs = make_drive();
    SeededRng rng(cut);
    begin_log(*fs, rng, small_options());
    std::uint64_t synced = 1;
    fs->faults().cut_at(cut, cut % 2 == 0);
    finished = true;
    for (int life = 0; life < 3 && finished; ++life) {
      auto reader = LogReader::open(*fs, kLog, small_options());
      finished = reader.has_value();
      if (!finished) {
        break;
      }
      auto writer = LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents());
      finished = writer.has_value();
      for (int i = 0; i < 12 && finished; ++i) {
        const Written written = {{1, synced + 1}, "x"};
        const std::vector<Entry> group = {test::commit(written)};
        finished = (*writer)->append_group(group, {1, synced}).has_value() &&
                   (*writer)->sync().has_value();
        synced += finished ? 1 : 0;
        if (finished && synced > 4 && i % 4 == 0) {
          (*writer)->recycle({1, synced - 4});
          finished = (*writer)->prepare_next().has_value();
        }
      }
    }
    fs->restart(cut, sim::CutMode::random);
    auto reader = LogReader::open(*fs, kLog, small_options());
    REQUIRE(reader.has_value());
    CAPTURE(reader->contents().damaged_file);
    REQUIRE(reader->contents().verdict != LogVerdict::damaged);
    const std::vector<Written> found = read_commits(*reader);
    const std::uint64_t last = found.empty() ? 1 : found.back().seq.n;
    REQUIRE(last >= synced);
    REQUIRE(last <= synced + 1);
    REQUIRE(found.size() >= std::min<std::uint64_t>(4, synced - 1));
    REQUIRE(reader->contents().configurations.size() == 1);
    REQUIRE(LogWriter::resume(*fs, rng, kLog, small_options(), reader->contents()).has_value());
  }
  CHECK(cuts > 100);
}

TEST_CASE("log: old groups in a recycled segment do not validate") {
  auto fs = make_drive();
  SeededRng rng(1);
  auto writer = begin_log(*fs, rng, small_options());
  for (std::uint64_t n = 2; n < 40; ++n) {
    append(*writer, {{{1, n}, "x"}}, {1, n - 1});
    writer->recycle({1, n - 1});
    auto reader = LogReader::open(*fs, kLog, small_options());
    REQUIRE(reader.has_value());
    REQUIRE(reader->contents().verdict == LogVerdict::clean);
    const std::vector<Written> found = read_commits(*reader);
    REQUIRE(found.back().seq.n == n);
    REQUIRE(found.size() <= 4);
  }
  CHECK(fs->list(kLog)->size() <= 4);  // the files were used again and again
}

TEST_CASE("log: a payload that imitates a group is no group") {
  // A page that is, byte for byte, a group of this log as an attacker may have read it: taken from
  // the file, and put where a page begins.
  for (const bool torn : {false, true}) {
    auto fs = make_drive();
    SeededRng rng(1);
    LogOptions options = small_options();
    options.segment_bytes = 16 * kLogPageBytes;
    auto writer = begin_log(*fs, rng, options);
    append(*writer, {{{1, 2}, "real"}});
    const std::string file = file_text(*fs, kLog + "/1");
    const std::string copied = file.substr(2 * kLogPageBytes, kLogPageBytes);
    // Header of the group and of the entry come first: fill up to the page.
    std::string payload(kLogPageBytes - sizeof(GroupHeader) - sizeof(EntryHeader), 'f');
    payload += copied + copied;
    const Written imitation = {{1, 3}, payload};
    const std::vector<Entry> group = {test::commit(imitation)};
    REQUIRE(writer->append_group(group, {}).has_value());
    writer.reset();
    const std::string written = file_text(*fs, kLog + "/1");
    REQUIRE(written.substr(4 * kLogPageBytes, kLogPageBytes) == copied);
    if (torn) {
      // Only the first page is lost: the imitation is what follows an invalid group.
      std::string holed = written;
      holed.replace(3 * kLogPageBytes, kLogPageBytes, kLogPageBytes, '\0');
      put_file(*fs, kLog + "/1", holed);
    }
    auto reader = LogReader::open(*fs, kLog, options);
    REQUIRE(reader.has_value());
    CHECK(reader->contents().verdict == LogVerdict::clean);
    CHECK(read_commits(*reader).size() == (torn ? 1 : 2));
  }
}

TEST_CASE("log: refusals to open are errors, not empty logs") {
  Built built = build();
  LogOptions other = small_options();
  other.drive_uuid[3] = std::byte{1};
  CHECK(LogReader::open(*built.fs, kLog, other).error().code == Errc::wrong_drive);
  built.fs->faults().fail({.call = sim::VfsCall::pread, .path_prefix = kLog, .nth = 7});
  CHECK(LogReader::open(*built.fs, kLog, small_options()).error().code == Errc::io_error);
  SegmentHeader newer;
  newer.features = 1;
  newer.ordinal = 9;
  newer.drive_uuid = small_options().drive_uuid;
  put_file(*built.fs, kLog + "/9", encode_segment_page(newer));
  CHECK(LogReader::open(*built.fs, kLog, small_options()).error().code == Errc::unsupported);
  newer.features = 0;
  newer.version = 2;
  put_file(*built.fs, kLog + "/9", encode_segment_page(newer));
  CHECK(LogReader::open(*built.fs, kLog, small_options()).error().code == Errc::unsupported);
}

TEST_CASE("log: no directory, no files, foreign names: a blank log") {
  auto fs = make_drive();
  auto reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(reader->contents().groups == 0);
  REQUIRE(fs->make_directory(kLog).has_value());
  put_file(*fs, kLog + "/lost+found", "x");
  put_file(*fs, kLog + "/07", "x");  // not how a segment is called
  reader = LogReader::open(*fs, kLog, small_options());
  REQUIRE(reader.has_value());
  CHECK(reader->contents().groups == 0);
  CHECK(reader->contents().verdict == LogVerdict::clean);
}

TEST_CASE("log: a payload that is damaged after the log was read is refused when it is read") {
  Built built = build();
  auto reader = LogReader::open(*built.fs, kLog, small_options());
  REQUIRE(reader.has_value());
  const auto& entries = reader->contents().entries;
  for (const EntryRef& entry : entries) {
    if (entry.kind == EntryKind::commit && entry.ordinal == 1 && entry.payload_bytes > 0) {
      REQUIRE(reader->read_payload(entry).has_value());
      REQUIRE(built.fs->damage(kLog + "/1", entry.offset).has_value());
      CHECK(reader->read_payload(entry).error().code == Errc::corrupt);
      return;
    }
  }
  FAIL("no entry");
}

}  // namespace
}  // namespace mote::erasure
