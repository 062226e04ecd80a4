#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "erasure/base/rng.h"
#include "erasure/io/vfs.h"
#include "erasure/log/log_format.h"
#include "erasure/log/log_reader.h"
#include "erasure/log/page_buffer.h"
#include "erasure/log/segment_pool.h"

namespace mote::erasure {

struct SegmentFile;

/// Appends to the commit log of one drive.
///
///     writer->append_group(entries, tracker.decided());   // one write
///     writer->sync();                                     // one fdatasync; ok: the group is
///     durable
///
/// At most one unsynced group at a time: append_group REQUIRES that the group before was synced.
/// After any error of the device the writer is broken and answers drive_failed to everything;
/// nothing is retried (INV-5) and the drive leaves the set. Blocking. One thread at a time, except
/// prepare_next(), which may run on one other thread meanwhile. Names are synced when a segment
/// file is created, never by append_group or sync. Destruction writes nothing: append a decided
/// mark before a clean stop.
class LogWriter {
 public:
  /// Begins a log anew with `first` as its first group, durable on return: at format, and when a
  /// drive joins (`first` = promise and the cfg that admits it). Whatever log is in `directory`
  /// stops counting in the same instant as the new one begins to. Creates the directory. Errors:
  /// io_error, no_space, too_large.
  // NOLINTNEXTLINE(readability-function-size): six things make a log
  static Result<std::unique_ptr<LogWriter>> begin(Vfs& vfs, Rng& rng, const std::string& directory,
                                                  const LogOptions& options,
                                                  std::span<const Entry> first,
                                                  CommitSeq decided = {});
  /// Goes on behind a log as read, in a fresh segment. Everything in `contents` is durable on
  /// return, also what was only in the page cache: the last group is written again and synced.
  /// REQUIRES a verdict other than damaged, and groups > 0. Errors: io_error, no_space.
  static Result<std::unique_ptr<LogWriter>> resume(Vfs& vfs, Rng& rng, const std::string& directory,
                                                   const LogOptions& options,
                                                   const LogContents& contents);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Writes one group; durable only after sync(). Goes to the next segment if this one has no room:
  /// then the new segment's header is written and synced too, and if prepare_next() had not been
  /// called in time also a file created. Each segment begins with the last cfg and promise,
  /// restated, so that recycling loses neither. Entries of one epoch come in rising order. Errors:
  /// too_large (see group_bytes_max; the writer stays good), io_error, no_space, drive_failed.
  Status append_group(std::span<const Entry> entries, CommitSeq decided);
  /// A group without entries: idleness and a clean stop, so that damage to the last entries shows.
  Status append_decided_mark(CommitSeq decided) { return append_group({}, decided); }
  /// fdatasync. When ok, the group is durable. Without an unsynced group does nothing.
  Status sync();

  /// True if prepare_next() has something to do.
  [[nodiscard]] bool wants_next() const;
  /// Gets the next segment ready: a recycled file, or a new one, zeroed and synced with its name.
  /// May run beside append_group and sync on one other thread. Does nothing if one is ready.
  Status prepare_next();
  /// Frees segments all of whose entries are <= `up_to`: what the index has persisted. They are
  /// written over only after a later group that says so was synced. Returns how many were freed.
  std::size_t recycle(CommitSeq up_to);

  /// Bytes in segments that count; compare with the flush threshold.
  [[nodiscard]] std::uint64_t live_bytes() const;
  /// Everything appended is durable.
  [[nodiscard]] bool synced() const noexcept { return !unsynced_; }

 private:
  struct Segment {
    std::string path;
    std::uint64_t ordinal = 0;
    CommitSeq last;
  };
  LogWriter(Vfs& vfs, Rng& rng, std::string directory, const LogOptions& options);

  Status start_segment(std::uint32_t flags, std::uint64_t ordinal, std::uint64_t predecessor_end);
  Status write_group(std::span<const Entry> entries, CommitSeq decided);
  void remember(std::span<const Entry> entries);
  Status make_durable(const LogContents& contents);
  Status adopt_files(const std::vector<SegmentFile>& files, const LogContents& contents);
  Status retire(const std::string& path, bool complete);
  Error fail(const Error& error);

  Vfs& vfs_;
  Rng& rng_;
  const std::string directory_;
  const LogOptions options_;
  std::vector<Segment> segments_;  ///< that count, oldest first; the last one is being written
  std::unique_ptr<File> file_;     ///< of the last segment
  std::uint64_t generation_ = 0;
  std::uint64_t end_ = 0;       ///< offset of the next group
  std::uint64_t previous_ = 0;  ///< checksum of the last group
  bool unsynced_ = false;
  bool broken_ = false;
  CommitSeq cfg_seq_;  ///< last configuration, to restate; zero: none yet
  std::string cfg_payload_;
  std::uint32_t promise_ = 0;  ///< to restate; zero: none
  std::string buffer_;
  PageBuffer pages_;                    ///< what is written comes from here
  std::vector<std::string> retired_;    ///< freed, no group says so yet
  std::vector<std::string> announced_;  ///< freed, the unsynced group says so
  std::unique_ptr<SegmentPool> pool_;
};

}  // namespace mote::erasure
