#include <algorithm>
#include <array>

#include "erasure/drive/drive.h"
#include "erasure/drive/drive_paths.h"

namespace mote::erasure {
namespace {

constexpr std::uint64_t kLabelBytesMax = 8 * kKiB;
constexpr std::string_view kFormattingText =
    "mote: the first format of this drive is not finished\n";
constexpr std::array<std::string_view, 4> kSkeleton{"log", "db", "shards", "quarantine"};

Status make_if_absent(Vfs& vfs, const std::string& path) {
  const Status made = vfs.make_directory(path);
  return !made && made.error().code == Errc::already_exists ? ok() : made;
}

// A label from one of its two places. no_such_file where there is none.
Result<DriveLabel> read_label(Vfs& vfs, const std::string& path) {
  const Result<std::string> bytes = read_file(vfs, path, kLabelBytesMax);
  if (!bytes) {
    return bytes.error().code == Errc::too_large ? Error{Errc::corrupt, 0, "drive.label"}
                                                 : bytes.error();
  }
  return decode_label(as_bytes(*bytes));
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a directory without a label is.
Result<DriveContent> classify_unlabelled(Vfs& vfs, const std::string& path,
                                         const std::vector<std::string>& names) {
  if (!contains(names, ".sys")) {
    const bool empty = std::all_of(names.begin(), names.end(),
                                   [](const std::string& name) { return name == "lost+found"; });
    if (empty) {
      return DriveContent::blank;
    }
    return Error{Errc::wrong_drive, 0, "drive.not_empty"};
  }
  const Result<std::vector<std::string>> inside = vfs.list(path + "/.sys");
  if (!inside) {
    return inside.error();
  }
  if (contains(*inside, "formatting")) {
    return DriveContent::formatting;
  }
  // Cut off between the first directory and the mark: nothing else can be there.
  const bool only_started =
      std::all_of(
          inside->begin(), inside->end(),
          [](const std::string& name) { return name == "lock" || name == "formatting.tmp"; }) &&
      std::all_of(names.begin(), names.end(),
                  [](const std::string& name) { return name == ".sys" || name == "lost+found"; });
  if (only_started) {
    return DriveContent::formatting;
  }
  return Error{Errc::corrupt, 0, "drive.label_missing"};
}

// Removes what an interrupted format left of the index. Nothing in it was ever in use.
Status remove_files(Vfs& vfs, const std::string& directory) {
  const Result<std::vector<std::string>> names = vfs.list(directory);
  if (!names) {
    return names.error().code == Errc::no_such_file ? ok() : Status(names.error());
  }
  for (const std::string& name : *names) {
    const Status removed = vfs.unlink(std::string(directory).append("/").append(name));
    if (!removed) {
      return removed;
    }
  }
  return ok();
}

Status make_skeleton(Vfs& vfs, const std::string& path) {
  for (const std::string_view name : kSkeleton) {
    const Status made = make_if_absent(vfs, path + "/" + std::string(name));
    if (!made) {
      return made;
    }
  }
  return vfs.sync_directory(path);
}

Status make_index(const DriveContext& context, const std::string& path) {
  const std::string database = index_path(path);
  const Status cleared = remove_files(context.vfs, database);
  if (!cleared) {
    return cleared;
  }
  IndexOptions options;
  options.create = true;
  options.deterministic = context.deterministic_format;
  const auto index = open_index(context.vfs, database, context.resources, std::move(options));
  if (!index) {
    return index.error();
  }
  return context.vfs.sync_directory(database);
}

}  // namespace

Result<DriveProbe> Drive::probe(Vfs& vfs, const std::string& path) {
  const Result<FileInfo> info = vfs.stat(path);
  if (!info) {
    return info.error();
  }
  if (info->kind != FileKind::directory) {
    return Error{Errc::wrong_drive, 0, "drive.not_a_directory"};
  }
  const Result<std::vector<std::string>> names = vfs.list(path);
  if (!names) {
    return names.error();
  }
  const Result<bool> mounted = vfs.is_mount_point(path);
  if (!mounted) {
    return mounted.error();
  }
  DriveProbe probe;
  probe.is_mount_point = *mounted;

  Result<DriveLabel> label = read_label(vfs, label_path(path));
  const bool damaged = !label && label.error().code == Errc::corrupt;
  const bool absent = !label && label.error().code == Errc::no_such_file;
  if (absent) {
    const Result<DriveContent> content = classify_unlabelled(vfs, path, *names);
    if (content) {
      probe.content = *content;
      return probe;
    }
    if (content.error().code != Errc::corrupt) {
      return content.error();
    }
  }
  if (damaged || absent) {
    label = read_label(vfs, label_backup_path(path));
    probe.from_backup = true;
    if (!label && label.error().code == Errc::no_such_file) {
      return Error{Errc::corrupt, 0, "drive.label"};
    }
  }
  if (!label) {
    return label.error();
  }
  probe.content = DriveContent::formatted;
  probe.label = *label;
  probe.mount_missing = label->was_mount_point && !probe.is_mount_point;
  return probe;
}

Status Drive::format(const DriveContext& context, const std::string& path,
                     const DriveLabel& label) {
  Vfs& vfs = context.vfs;
  const Result<DriveProbe> found = probe(vfs, path);
  if (!found) {
    return found.error();
  }
  if (found->content == DriveContent::formatted) {
    return Error{Errc::wrong_drive, 0, "drive.already_formatted"};
  }
  Status done = make_if_absent(vfs, path + "/.sys");
  if (done) {
    done = vfs.sync_directory(path);
  }
  if (!done) {
    return done;
  }
  const auto lock = vfs.lock(lock_path(path));
  if (!lock) {
    return lock.error();
  }
  // Until this mark is gone or a label is there, the drive holds nothing: start again.
  done = write_file_atomically(vfs, formatting_path(path), as_bytes(kFormattingText));
  if (done) {
    done = make_skeleton(vfs, path);
  }
  if (done) {
    done = make_index(context, path);
  }
  const std::string bytes = encode_label(label);
  if (done) {
    done = write_file_atomically(vfs, label_backup_path(path), as_bytes(bytes));
  }
  if (done) {
    done = write_file_atomically(vfs, label_path(path), as_bytes(bytes));
  }
  if (done) {
    done = vfs.unlink(formatting_path(path));
  }
  return done ? vfs.sync_directory(path + "/.sys") : done;
}

}  // namespace mote::erasure
