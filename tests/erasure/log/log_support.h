#pragma once

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/rng.h"
#include "erasure/log/log_reader.h"
#include "erasure/log/log_writer.h"
#include "tests/sim/sim_fs.h"

namespace mote::erasure::test {

inline const std::string kRoot = "/d";
inline const std::string kLog = "/d/log";

inline std::unique_ptr<sim::SimFs> make_drive() {
  auto fs = std::make_unique<sim::SimFs>();
  fs->add_drive(kRoot);
  return fs;
}

inline LogOptions small_options() {
  LogOptions options;
  options.segment_bytes = kSegmentBytesMin;
  options.drive_uuid[0] = std::byte{7};
  return options;
}

/// What a test appended: the payloads, by number.
struct Written {
  CommitSeq seq;
  std::string payload;
};

inline Entry commit(const Written& written) {
  return {EntryKind::commit, written.seq, as_bytes(written.payload)};
}

/// A log begun with the first configuration of a set of one.
inline std::unique_ptr<LogWriter> begin_log(Vfs& vfs, Rng& rng, const LogOptions& options) {
  const std::string cfg = encode(first_configuration({1, 0}));
  const std::vector<Entry> first = {{EntryKind::cfg, {1, 1}, as_bytes(cfg)}};
  auto writer = LogWriter::begin(vfs, rng, kLog, options, first);
  REQUIRE(writer.has_value());
  return std::move(*writer);
}

inline void append(LogWriter& writer, const std::vector<Written>& group, CommitSeq decided = {}) {
  std::vector<Entry> entries;
  for (const Written& written : group) {
    entries.push_back(commit(written));
  }
  REQUIRE(writer.append_group(entries, decided).has_value());
  REQUIRE(writer.sync().has_value());
}

/// The commits that a reader finds, payloads and all.
inline std::vector<Written> read_commits(LogReader& reader) {
  std::vector<Written> found;
  for (const EntryRef& entry : reader.contents().entries) {
    if (entry.kind == EntryKind::commit) {
      auto payload = reader.read_payload(entry);
      REQUIRE(payload.has_value());
      found.push_back({entry.seq, std::string(as_text(payload->view()))});
    }
  }
  return found;
}

}  // namespace mote::erasure::test
