#include "erasure/log/log_reader.h"

#include <algorithm>

#include "erasure/base/check.h"
#include "erasure/log/segment_scan.h"

namespace mote::erasure {
namespace {

/// Reads the segments from the newest back to the oldest that counts, then joins what they hold.
class Assembler {
 public:
  Assembler(std::vector<SegmentFile>& files, LogContents& out) : out_(out) {
    for (SegmentFile& file : files) {
      (file.in_use() ? used_ : unused_).push_back(&file);
    }
    std::sort(used_.begin(), used_.end(), [](const SegmentFile* a, const SegmentFile* b) {
      return a->header->ordinal > b->header->ordinal;
    });
  }

  Status run();

 private:
  struct Part {
    const SegmentFile* file = nullptr;
    SegmentScan scan;
  };
  Status scan_newest_first();
  Status check_last(const Part& last);
  Status check_lost_headers();
  void damage(const std::string& path, std::uint64_t offset, std::uint64_t last_usable);
  void join();

  LogContents& out_;
  std::vector<SegmentFile*> used_;  ///< newest first
  std::vector<SegmentFile*> unused_;
  std::vector<Part> parts_;  ///< newest first
  std::uint64_t first_ordinal_ = 0;
  std::uint64_t last_usable_ = UINT64_MAX;  ///< newest segment whose entries may be used
};

/// Nothing after the oldest damage is used: entries of segments up to `last_usable` are.
void Assembler::damage(const std::string& path, std::uint64_t offset, std::uint64_t last_usable) {
  if (out_.verdict == LogVerdict::damaged && last_usable >= last_usable_) {
    return;
  }
  out_.verdict = LogVerdict::damaged;
  out_.damaged_file = path;
  out_.damaged_offset = offset;
  last_usable_ = last_usable;
}

Status Assembler::scan_newest_first() {
  bool complete = false;
  for (std::size_t i = 0; i < used_.size() && !complete; ++i) {
    const SegmentFile& file = *used_[i];
    const SegmentHeader& header = *file.header;
    if (header.ordinal < first_ordinal_) {
      break;
    }
    const SegmentHeader* const next = parts_.empty() ? nullptr : &*parts_.back().file->header;
    if (next != nullptr && header.ordinal + 1 != next->ordinal) {
      break;  // a segment is missing; run() says so
    }
    Result<SegmentScan> scan = scan_segment(file, next == nullptr ? 0 : next->predecessor_end);
    if (!scan) {
      return scan.error();
    }
    const bool begins = (header.flags & kSegmentBeginsLog) != 0;
    if (begins && next == nullptr && scan->groups == 0) {
      // Never came to its first group, unless a later one is there: the log before still counts.
      const Result<bool> later = has_group_after(file, header.generation, kLogPageBytes);
      if (!later) {
        return later.error();
      }
      if (!*later) {
        continue;
      }
    }
    if (next != nullptr && (scan->end_offset != next->predecessor_end ||
                            scan->checksum != next->predecessor_checksum)) {
      damage(file.path, scan->end_offset, header.ordinal);
    }
    if (scan->unreadable || file.bytes < header.segment_bytes) {
      damage(file.path, scan->end_offset, header.ordinal);
    }
    first_ordinal_ = std::max(first_ordinal_, scan->first_ordinal);
    complete = begins;
    parts_.push_back({&file, std::move(*scan)});
  }
  out_.begins = complete;
  return ok();
}

/// Torn tail or damage, in the segment that was written last.
Status Assembler::check_last(const Part& last) {
  const Result<bool> later =
      has_group_after(*last.file, last.file->header->generation, last.scan.end_offset);
  if (!later) {
    return later.error();
  }
  if (*later) {
    damage(last.file->path, last.scan.end_offset, last.file->header->ordinal);
  } else if (last.scan.remnants && out_.verdict == LogVerdict::clean) {
    out_.verdict = LogVerdict::torn_tail;
  }
  return ok();
}

/// A file without any intact header that holds groups of a segment that should count.
Status Assembler::check_lost_headers() {
  const std::uint64_t oldest = parts_.empty() ? 0 : parts_.back().file->header->ordinal;
  for (const SegmentFile* file : unused_) {
    if (file->header) {
      continue;
    }
    const Result<std::uint64_t> ordinal = highest_group_ordinal(*file);
    if (!ordinal) {
      return ordinal.error();
    }
    if (*ordinal > 0 && *ordinal >= std::max(oldest, first_ordinal_)) {
      damage(file->path, 0, *ordinal - 1);
      ++out_.groups;  // not a blank drive
    }
  }
  return ok();
}

/// Marks and promises count even behind damage: they are true wherever they are intact.
void Assembler::join() {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    const SegmentScan& scan = part->scan;
    const SegmentHeader& header = *part->file->header;
    out_.segments.push_back({part->file->path, header.ordinal, header.generation, scan.last});
    out_.decided = std::max(out_.decided, scan.decided);
    out_.promise = std::max(out_.promise, scan.promise);
    out_.groups += scan.groups;
    out_.last_group_offset = scan.last_group_offset;
    out_.end_offset = scan.end_offset;
    out_.last_group_checksum = scan.checksum;
    if (header.ordinal > last_usable_) {
      continue;
    }
    out_.entries.insert(out_.entries.end(), scan.entries.begin(), scan.entries.end());
    for (const Configuration& c : scan.configurations) {
      const bool known = std::any_of(out_.configurations.begin(), out_.configurations.end(),
                                     [&c](const Configuration& k) { return k.seq == c.seq; });
      if (!known) {
        out_.configurations.push_back(c);
      }
    }
  }
}

Status Assembler::run() {
  if (Status status = scan_newest_first(); !status) {
    return status;
  }
  if (!parts_.empty()) {
    if (Status status = check_last(parts_.front()); !status) {
      return status;
    }
    // The segment scanned last is the oldest one found; is it the oldest one that counts?
    const SegmentHeader& oldest = *parts_.back().file->header;
    if (!out_.begins && (first_ordinal_ == 0 || oldest.ordinal > first_ordinal_)) {
      damage(parts_.back().file->path, 0, 0);
    }
  }
  Status status = check_lost_headers();
  join();
  return status;
}

}  // namespace

Result<LogReader> LogReader::open(Vfs& vfs, const std::string& directory,
                                  const LogOptions& options) {
  LogReader reader;
  Result<std::vector<SegmentFile>> files = list_segment_files(vfs, directory, options);
  if (!files) {
    return files.error();
  }
  if (const Status status = Assembler(*files, reader.contents_).run(); !status) {
    return status.error();
  }
  for (const SegmentInfo& segment : reader.contents_.segments) {
    const auto file = std::find_if(files->begin(), files->end(), [&segment](const SegmentFile& f) {
      return f.path == segment.path;
    });
    reader.files_.push_back(std::move(file->file));
  }
  return reader;
}

Result<Buffer> LogReader::read_payload(const EntryRef& entry) {
  const auto segment =
      std::find_if(contents_.segments.begin(), contents_.segments.end(),
                   [&entry](const SegmentInfo& s) { return s.ordinal == entry.ordinal; });
  MOTE_CHECK(segment != contents_.segments.end());
  const auto index = static_cast<std::size_t>(segment - contents_.segments.begin());
  Buffer buffer(entry.payload_bytes);
  const Result<std::size_t> got = files_[index]->pread(entry.offset, buffer.span());
  if (!got) {
    return got.error();
  }
  if (*got != buffer.size() ||
      log_checksum(buffer.view(), payload_seed(segment->generation, entry.offset)) !=
          entry.payload_checksum) {
    return Error{Errc::corrupt, 0, "log.payload"};
  }
  return buffer;
}

}  // namespace mote::erasure
