#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/io/vfs.h"
#include "erasure/log/log_reader.h"

namespace mote::erasure {

/// One file of a log directory. Internal to erasure/log.
struct SegmentFile {
  std::string path;
  std::uint64_t name = 0;
  std::uint64_t bytes = 0;
  std::unique_ptr<File> file;
  /// The first intact copy of the header; nothing if there is none.
  std::optional<SegmentHeader> header;

  [[nodiscard]] bool in_use() const { return header && header->ordinal != 0; }
  [[nodiscard]] bool complete(const LogOptions& options) const {
    return header && bytes == options.segment_bytes;
  }
};

/// Every file with a number for a name, ordered by that. An absent directory is empty.
/// Errors: io_error, wrong_drive, unsupported.
Result<std::vector<SegmentFile>> list_segment_files(Vfs& vfs, const std::string& directory,
                                                    const LogOptions& options);

/// What one segment holds.
struct SegmentScan {
  std::vector<EntryRef> entries;
  std::vector<Configuration> configurations;
  std::uint64_t groups = 0;
  std::uint64_t last_group_offset = 0;
  std::uint64_t end_offset = kLogPageBytes;  ///< where the intact groups end
  std::uint64_t checksum = 0;  ///< of the last group, or what the header says of the one before
  std::uint64_t first_ordinal = 0;  ///< as the last group has it
  CommitSeq decided;
  CommitSeq last;
  std::uint32_t promise = 0;
  bool unreadable = false;  ///< a group is intact but its entries make no sense
  bool remnants = false;    ///< something of this generation follows that is no intact group
};

/// Reads the groups of a segment in use, up to `expected_end` (0: as far as they go).
/// Errors: io_error.
Result<SegmentScan> scan_segment(const SegmentFile& segment, std::uint64_t expected_end);

/// True if an intact group of `generation` lies at some page after `offset`: then what is at
/// `offset` was synced once. Errors: io_error.
Result<bool> has_group_after(const SegmentFile& segment, std::uint64_t generation,
                             std::uint64_t offset);

/// Highest segment ordinal that an intact group of any generation in the file names, 0 if none: for
/// a file whose header is lost. Errors: io_error.
Result<std::uint64_t> highest_group_ordinal(const SegmentFile& segment);

}  // namespace mote::erasure
