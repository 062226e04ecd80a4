#pragma once

#include <memory>
#include <string>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/io/vfs.h"
#include "erasure/log/log_format.h"
#include "erasure/log/membership.h"

namespace mote::erasure {

/// What a log says about itself (storage.md 3.5).
enum class LogVerdict : std::uint8_t {
  clean,      ///< nothing follows the last group
  torn_tail,  ///< remnants of a group that was never synced follow: nobody was promised anything
  damaged,    ///< a valid group follows an invalid one, or a segment is missing or ends too early:
              ///< acknowledged bytes are damaged, the drive proves nothing and is rebuilt
};

/// Where one entry is.
struct EntryRef {
  EntryKind kind = EntryKind::commit;
  bool restated = false;  ///< a repetition at the head of a segment; not a new entry
  CommitSeq seq;
  std::uint64_t ordinal = 0;  ///< of the segment
  std::uint64_t offset = 0;   ///< of the payload in the file
  std::uint32_t payload_bytes = 0;
  std::uint64_t payload_checksum = 0;
};

struct SegmentInfo {
  std::string path;
  std::uint64_t ordinal = 0;
  std::uint64_t generation = 0;
  CommitSeq last;  ///< highest sequence in it, restated entries not counted
};

/// A log as read. Entries are in log order, sequences of one epoch are dense and rising.
struct LogContents {
  LogVerdict verdict = LogVerdict::clean;
  std::string damaged_file;  ///< verdict damaged: where
  std::uint64_t damaged_offset = 0;
  std::vector<EntryRef> entries;              ///< up to the end or to the damage
  std::vector<Configuration> configurations;  ///< distinct, in log order
  CommitSeq decided;                          ///< last decided mark
  std::uint32_t promise = 0;                  ///< highest promised epoch
  bool begins = false;       ///< nothing was recycled: the log is here from its first group
  std::uint64_t groups = 0;  ///< 0: no log was ever begun here (a blank drive)
  std::vector<SegmentInfo> segments;  ///< that count, oldest first
  // Where a writer goes on.
  std::uint64_t last_group_offset = 0;  ///< in the last segment; 0 if that one has no group yet
  std::uint64_t end_offset = 0;         ///< first byte after the last group
  std::uint64_t last_group_checksum = 0;
};

/// Reads all segments of a drive's log once, verifies every byte and keeps an index of the entries;
/// the payloads stay on the drive. Memory: one group, and about 56 bytes an entry. Blocking, one
/// thread.
///
///     auto log = LogReader::open(vfs, drive + "/log", options);
///     if (!log) { an I/O error is never "nothing there" }
///     for (const EntryRef& entry : log->contents().entries) {
///       if (entry.kind == EntryKind::commit && plan.counts(entry.seq) && entry.seq > persisted) {
///         apply(log->read_payload(entry));
///       }
///     }
class LogReader {
 public:
  /// `vfs` outlives the reader. An absent or empty directory is a blank log (groups == 0).
  /// Damage is a verdict, not an error. Errors: io_error (the drive refused), wrong_drive (header
  /// of another drive), unsupported (newer version, unknown feature bit).
  static Result<LogReader> open(Vfs& vfs, const std::string& directory, const LogOptions& options);

  [[nodiscard]] const LogContents& contents() const noexcept { return contents_; }
  /// The payload of an entry of contents(), verified again. Errors: io_error, corrupt.
  Result<Buffer> read_payload(const EntryRef& entry);

 private:
  LogReader() = default;

  LogContents contents_;
  std::vector<std::unique_ptr<File>> files_;  ///< of contents_.segments, opened on first use
};

}  // namespace mote::erasure
