#include "erasure/set/set_identity.h"

#include <algorithm>
#include <tuple>

#include "erasure/drive/drive.h"

namespace mote::erasure {
namespace {

auto shape(const DriveLabel& label) {
  return std::tuple(label.deployment, label.set_id, label.k, label.m);
}

Result<Candidate> look(Vfs& vfs, const std::string& path, std::string& problem) {
  Candidate candidate{path, std::nullopt, {}};
  const auto probe = Drive::probe(vfs, path);
  if (!probe) {
    const Errc code = probe.error().code;
    if (code == Errc::wrong_drive || code == Errc::unsupported) {
      problem = path + (code == Errc::wrong_drive
                            ? ": the directory is not empty and not a drive of this store"
                            : ": the drive was formatted by a newer version");
      return probe.error();
    }
    candidate.reason = probe.error();
  } else if (probe->content != DriveContent::formatted) {
    candidate.reason = {Errc::no_such_file, 0, "drive.blank"};
  } else if (probe->mount_missing) {
    candidate.reason = {Errc::drive_failed, 0, "drive.not_mounted"};
  } else {
    candidate.label = probe->label;
  }
  return candidate;
}

/// The shape that more than half of the labels have; null if there is none.
const DriveLabel* majority(const std::vector<Candidate>& candidates) {
  const auto labels = std::count_if(candidates.begin(), candidates.end(),
                                    [](const Candidate& c) { return c.label.has_value(); });
  for (const Candidate& candidate : candidates) {
    if (!candidate.label) {
      continue;
    }
    const auto agree = std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.label && shape(*c.label) == shape(*candidate.label);
    });
    if (agree * 2 > labels) {
      return &*candidate.label;
    }
  }
  return nullptr;
}

Status check(const std::vector<Candidate>& candidates, const DriveLabel& elected,
             std::string& problem) {
  for (auto at = candidates.begin(); at != candidates.end(); ++at) {
    if (!at->label) {
      continue;
    }
    if (shape(*at->label) != shape(elected)) {
      problem = at->path + ": the drive belongs to another deployment or set";
      return Error{Errc::wrong_drive, 0, "set.deployment"};
    }
    if (at->label->slot >= elected.k + elected.m) {
      problem = at->path + ": the drive's slot is none of this set's";
      return Error{Errc::wrong_drive, 0, "set.slot"};
    }
    const auto twin = std::find_if(candidates.begin(), at, [&](const Candidate& c) {
      return c.label && c.label->slot == at->label->slot;
    });
    if (twin != at) {
      const bool same = twin->label->drive == at->label->drive;
      problem =
          at->path + " and " + twin->path +
          (same ? " are the same drive" : " are both slot " + std::to_string(at->label->slot));
      return Error{Errc::wrong_drive, 0, "set.duplicate"};
    }
  }
  return ok();
}

}  // namespace

Result<std::vector<Candidate>> identify_drives(Vfs& vfs, const SetOptions& options,
                                               const std::vector<std::string>& paths,
                                               std::string& problem) {
  std::vector<Candidate> candidates;
  for (const std::string& path : paths) {
    auto candidate = look(vfs, path, problem);
    if (!candidate) {
      return candidate.error();
    }
    candidates.push_back(std::move(*candidate));
  }
  if (std::none_of(candidates.begin(), candidates.end(),
                   [](const Candidate& c) { return c.label.has_value(); })) {
    problem = "none of the drives is formatted and readable";
    return Error{Errc::no_such_file, 0, "set.unformatted"};
  }
  const DriveLabel* elected = majority(candidates);
  if (elected == nullptr) {
    problem = "the drives belong to several deployments and none has the majority";
    return Error{Errc::wrong_drive, 0, "set.majority"};
  }
  const DriveLabel agreed = *elected;
  if (const Status checked = check(candidates, agreed, problem); !checked) {
    return checked.error();
  }
  if (agreed.k != options.k || agreed.m != options.m || agreed.set_id != options.set) {
    problem = "the drives are formatted as set " + std::to_string(agreed.set_id) + " of " +
              std::to_string(agreed.k) + "+" + std::to_string(agreed.m) + ", not as set " +
              std::to_string(options.set) + " of " + std::to_string(options.k) + "+" +
              std::to_string(options.m);
    return Error{Errc::wrong_drive, 0, "set.shape"};
  }
  return candidates;
}

}  // namespace mote::erasure
