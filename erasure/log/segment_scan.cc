#include "erasure/log/segment_scan.h"

#include <algorithm>
#include <charconv>

namespace mote::erasure {
namespace {

template <class T>
ByteSpan bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Reads a T at `offset`; nothing where the file is too short.
template <class T>
Result<std::optional<T>> read_struct(File& file, std::uint64_t offset) {
  T value;
  const Result<std::size_t> got = file.pread(offset, bytes_of(value));
  if (!got) {
    return got.error();
  }
  return *got == sizeof value ? std::optional<T>(value) : std::nullopt;
}

/// The group at its header's place: true and the body if it is intact.
Result<bool> read_body(const SegmentFile& segment, const GroupHeader& header, std::string& body) {
  if (header.offset + sizeof header > segment.bytes ||
      header.body_bytes > segment.bytes - header.offset - sizeof header) {
    return false;
  }
  body.resize(header.body_bytes);
  const Result<std::size_t> got = segment.file->pread(
      header.offset + sizeof header, std::as_writable_bytes(std::span(body.data(), body.size())));
  if (!got) {
    return got.error();
  }
  return *got == body.size() &&
         log_checksum(as_bytes(body), header.generation) == header.body_checksum;
}

Status read_header(SegmentFile& segment, const LogOptions& options) {
  for (const std::uint64_t offset : {std::uint64_t{0}, kSegmentHeaderCopy}) {
    const auto header = read_struct<SegmentHeader>(*segment.file, offset);
    if (!header) {
      return header.error();
    }
    if (!*header || (*header)->magic != kSegmentMagic) {
      continue;
    }
    // Asked before the checksum, whose place a later version may have moved: never write over it.
    if ((*header)->version > kLogFormatVersion) {
      return Error{Errc::unsupported, 0, "log.segment_version"};
    }
    if (!is_sealed(**header)) {
      continue;
    }
    if (((*header)->features & ~kLogFeaturesKnown) != 0) {
      return Error{Errc::unsupported, 0, "log.segment_features"};
    }
    if ((*header)->drive_uuid != options.drive_uuid) {
      return Error{Errc::wrong_drive, 0, "log.segment_uuid"};
    }
    segment.header = **header;
    return ok();
  }
  return ok();
}

/// Adds the entries of an intact group; false, with some of them added, if they do not parse.
bool parse_entries(const GroupHeader& header, std::uint64_t ordinal, const std::string& body,
                   SegmentScan& scan) {
  const std::uint64_t base = header.offset + sizeof header;
  ByteReader reader(as_bytes(body));
  for (std::uint32_t i = 0; i < header.entry_count; ++i) {
    EntryHeader entry;
    const ByteView raw = reader.take_bytes(sizeof entry);
    if (!reader.ok()) {
      return false;
    }
    std::memcpy(&entry, raw.data(), sizeof entry);
    EntryRef ref;
    ref.kind = static_cast<EntryKind>(entry.kind);
    ref.restated = (entry.flags & kEntryRestated) != 0;
    ref.seq = {entry.epoch, entry.n};
    ref.ordinal = ordinal;
    ref.offset = base + (body.size() - reader.remaining());
    ref.payload_bytes = entry.payload_bytes;
    ref.payload_checksum = entry.payload_checksum;
    const ByteView payload = reader.take_bytes(entry.payload_bytes);
    reader.take_bytes((8 - entry.payload_bytes % 8) % 8);
    if (!reader.ok()) {
      return false;
    }
    if (ref.kind == EntryKind::cfg) {
      const Result<Configuration> configuration = decode_configuration(payload);
      if (!configuration) {
        return false;
      }
      scan.configurations.push_back(*configuration);
    } else if (ref.kind == EntryKind::promise) {
      scan.promise = std::max(scan.promise, entry.epoch);
    } else if (ref.kind != EntryKind::commit) {
      return false;
    }
    if (!ref.restated && ref.kind != EntryKind::promise) {
      scan.last = std::max(scan.last, ref.seq);
    }
    scan.entries.push_back(ref);
  }
  return reader.done();
}

/// Calls visit(header, body) for each intact group on a page of [from, end); `visit` returns true
/// to stop. `generation` 0: whatever the header says.
template <class Visit>
Status visit_groups(const SegmentFile& segment, std::uint64_t from, std::uint64_t generation,
                    Visit&& visit) {
  std::string window(kMiB, '\0');
  std::string body;
  for (std::uint64_t at = from; at < segment.bytes; at += window.size()) {
    const Result<std::size_t> got =
        segment.file->pread(at, std::as_writable_bytes(std::span(window.data(), window.size())));
    if (!got) {
      return got.error();
    }
    for (std::uint64_t page = 0; page + sizeof(GroupHeader) <= *got; page += kLogPageBytes) {
      GroupHeader header;
      std::memcpy(&header, window.data() + page, sizeof header);
      const std::uint64_t seed = generation == 0 ? header.generation : generation;
      if (!is_group_header(header, seed, at + page)) {
        continue;
      }
      const Result<bool> intact = read_body(segment, header, body);
      if (!intact) {
        return intact.error();
      }
      if (*intact && visit(header)) {
        return ok();
      }
    }
  }
  return ok();
}

}  // namespace

Result<std::vector<SegmentFile>> list_segment_files(Vfs& vfs, const std::string& directory,
                                                    const LogOptions& options) {
  std::vector<SegmentFile> files;
  const Result<std::vector<std::string>> names = vfs.list(directory);
  if (!names) {
    if (names.error().code == Errc::no_such_file) {
      return files;
    }
    return names.error();
  }
  for (const std::string& name : *names) {
    SegmentFile segment;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, segment.name);
    if (parsed.ec != std::errc{} || parsed.ptr != end || std::to_string(segment.name) != name) {
      continue;
    }
    segment.path = directory;
    segment.path.append("/").append(name);
    Result<std::unique_ptr<File>> file = vfs.open(segment.path, {.read = true});
    if (!file) {
      return file.error();
    }
    segment.file = std::move(*file);
    const Result<std::uint64_t> bytes = segment.file->size();
    if (!bytes) {
      return bytes.error();
    }
    segment.bytes = *bytes;
    if (const Status status = read_header(segment, options); !status) {
      return status.error();
    }
    files.push_back(std::move(segment));
  }
  std::sort(files.begin(), files.end(),
            [](const SegmentFile& a, const SegmentFile& b) { return a.name < b.name; });
  return files;
}

Result<SegmentScan> scan_segment(const SegmentFile& segment, std::uint64_t expected_end) {
  SegmentScan scan;
  scan.checksum = segment.header->predecessor_checksum;
  std::string body;
  while (scan.end_offset != expected_end) {
    const auto header = read_struct<GroupHeader>(*segment.file, scan.end_offset);
    if (!header) {
      return header.error();
    }
    if (!*header) {
      break;
    }
    const GroupHeader& group = **header;
    scan.remnants = group.magic == kGroupMagic && group.generation == segment.header->generation;
    if (!is_group_header(group, segment.header->generation, scan.end_offset) ||
        group.previous != scan.checksum || group.ordinal != segment.header->ordinal) {
      break;
    }
    const Result<bool> intact = read_body(segment, group, body);
    if (!intact) {
      return intact.error();
    }
    if (!*intact) {
      break;
    }
    if (!parse_entries(group, segment.header->ordinal, body, scan)) {
      scan.unreadable = true;
      break;
    }
    scan.remnants = false;
    ++scan.groups;
    scan.decided = std::max(scan.decided, CommitSeq{group.decided_epoch, group.decided_n});
    scan.first_ordinal = group.first_ordinal;
    scan.last_group_offset = scan.end_offset;
    scan.checksum = group.checksum;
    scan.end_offset += padded_group_bytes(group.body_bytes);
  }
  return scan;
}

Result<bool> has_group_after(const SegmentFile& segment, std::uint64_t generation,
                             std::uint64_t offset) {
  bool found = false;
  const Status status = visit_groups(segment, offset + kLogPageBytes, generation,
                                     [&found](const GroupHeader&) { return found = true; });
  if (!status) {
    return status.error();
  }
  return found;
}

Result<std::uint64_t> highest_group_ordinal(const SegmentFile& segment) {
  std::uint64_t highest = 0;
  const Status status =
      visit_groups(segment, kLogPageBytes, 0, [&highest](const GroupHeader& header) {
        highest = std::max(highest, header.ordinal);
        return false;
      });
  if (!status) {
    return status.error();
  }
  return highest;
}

}  // namespace mote::erasure
