#include <algorithm>
#include <optional>

#include "erasure/log/log_reader.h"
#include "erasure/log/log_writer.h"
#include "erasure/set/drive_opener.h"
#include "erasure/set/drive_set.h"

namespace mote::erasure {
namespace {

/// How far a first format came on one drive.
enum class Progress : std::uint8_t { blank, labelled, begun, used };

struct Site {
  std::string path;
  Progress progress = Progress::blank;
  std::optional<DriveLabel> label;
};

/// A first format works in two phases: labels on all drives, then the first configuration in all
/// logs. So a log that has begun proves that all labels were there.
class Formatter {
 public:
  Formatter(const SetEnvironment& environment, const SetOptions& options)
      : environment_(environment), options_(options) {}

  Status run(const std::vector<std::string>& paths);

 private:
  Result<Site> look(const std::string& path);
  Result<Progress> log_progress(const std::string& path, const DriveLabel& label);
  Status settle_identity();
  Status write_labels();
  Status begin_logs();

  const SetEnvironment& environment_;
  const SetOptions& options_;
  std::vector<Site> sites_;
};

Result<Progress> Formatter::log_progress(const std::string& path, const DriveLabel& label) {
  const auto log =
      LogReader::open(environment_.vfs, path + "/log", log_options_of(options_, label));
  if (!log) {
    return log.error();
  }
  const LogContents& contents = log->contents();
  if (contents.groups == 0) {
    return contents.verdict == LogVerdict::damaged ? Progress::used : Progress::labelled;
  }
  const Configuration first = first_configuration({options_.k, options_.m});
  const bool only_first =
      contents.verdict != LogVerdict::damaged && contents.configurations.size() == 1 &&
      contents.configurations.front() == first &&
      std::all_of(contents.entries.begin(), contents.entries.end(),
                  [](const EntryRef& entry) { return entry.kind != EntryKind::commit; });
  return only_first ? Progress::begun : Progress::used;
}

Result<Site> Formatter::look(const std::string& path) {
  Status made = environment_.vfs.make_directory(path);
  if (!made && made.error().code != Errc::already_exists) {
    return made.error();
  }
  const auto probe = Drive::probe(environment_.vfs, path);
  if (!probe) {
    return probe.error();
  }
  Site site{path, Progress::blank, std::nullopt};
  if (probe->content != DriveContent::formatted) {
    return site;
  }
  site.label = probe->label;
  site.progress = Progress::used;
  if (probe->label.k == options_.k && probe->label.m == options_.m &&
      probe->label.set_id == options_.set && !probe->mount_missing) {
    const auto progress = log_progress(path, probe->label);
    if (!progress) {
      return progress.error();
    }
    site.progress = *progress;
  }
  return site;
}

/// Deployment and slots: those of the labels that are there, else new ones in the order of the
/// paths.
Status Formatter::settle_identity() {
  Uuid deployment{};
  std::vector<bool> taken(sites_.size());
  for (const Site& site : sites_) {
    if (!site.label) {
      continue;
    }
    const bool first = deployment == Uuid{};
    if (site.label->slot >= sites_.size() || taken[site.label->slot] ||
        (!first && deployment != site.label->deployment)) {
      return Error{Errc::wrong_drive, 0, "format.identity"};
    }
    deployment = site.label->deployment;
    taken[site.label->slot] = true;
  }
  if (deployment == Uuid{}) {
    deployment = environment_.rng.uuid();
  }
  for (Site& site : sites_) {
    if (site.label) {
      continue;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    *free = true;
    DriveLabel label;
    label.deployment = deployment;
    label.drive = environment_.rng.uuid();
    label.set_id = options_.set;
    label.slot = static_cast<std::uint8_t>(free - taken.begin());
    label.k = options_.k;
    label.m = options_.m;
    label.formatted_ms = environment_.clock.wall_ms();
    const auto mounted = environment_.vfs.is_mount_point(site.path);
    label.was_mount_point = mounted && *mounted;
    site.label = label;
  }
  return ok();
}

Status Formatter::write_labels() {
  for (const Site& site : sites_) {
    if (site.progress != Progress::blank) {
      continue;
    }
    if (Status formatted = Drive::format(drive_context(environment_), site.path, *site.label);
        !formatted) {
      return formatted;
    }
  }
  return ok();
}

Status Formatter::begin_logs() {
  const std::string record = encode(first_configuration({options_.k, options_.m}));
  const std::array<Entry, 2> first{Entry{EntryKind::promise, {1, 0}, {}},
                                   Entry{EntryKind::cfg, {1, 1}, as_bytes(record)}};
  for (const Site& site : sites_) {
    if (site.progress == Progress::begun) {
      continue;
    }
    const auto lock = environment_.vfs.lock(site.path + "/.sys/lock");
    if (!lock) {
      return lock.error();
    }
    const auto begun = LogWriter::begin(environment_.vfs, environment_.rng, site.path + "/log",
                                        log_options_of(options_, *site.label), first);
    if (!begun) {
      return begun.error();
    }
  }
  return ok();
}

Status Formatter::run(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    auto site = look(path);
    if (!site) {
      return site.error();
    }
    sites_.push_back(std::move(*site));
  }
  const auto count = [this](Progress progress) {
    return std::count_if(sites_.begin(), sites_.end(),
                         [progress](const Site& site) { return site.progress == progress; });
  };
  const auto all = static_cast<std::ptrdiff_t>(sites_.size());
  if (count(Progress::used) > 0 || count(Progress::begun) == all ||
      (count(Progress::begun) > 0 && count(Progress::blank) > 0)) {
    return Error{Errc::already_exists, 0, "format"};
  }
  if (Status settled = settle_identity(); !settled) {
    return settled;
  }
  if (Status labelled = write_labels(); !labelled) {
    return labelled;
  }
  return begin_logs();
}

}  // namespace

Status DriveSet::format(const SetEnvironment& environment, const SetOptions& options,
                        const std::vector<std::string>& paths) {
  if (!is_valid(SetGeometry{options.k, options.m}) || paths.size() != options.drives()) {
    return Error{Errc::invalid_argument, 0, "format.shape"};
  }
  return Formatter(environment, options).run(paths);
}

}  // namespace mote::erasure
