#pragma once

#include <optional>
#include <string>
#include <vector>

#include "erasure/io/vfs.h"
#include "erasure/meta/drive_label.h"
#include "erasure/set/set_options.h"

namespace mote::erasure {

/// What was found at one of the paths that were given.
struct Candidate {
  std::string path;
  std::optional<DriveLabel> label;  ///< of a drive of this set; none: absent, for `reason`
  Error reason;
};

/// Reads the labels at `paths` and makes sure that they are one set (storage.md 3.1): a majority of
/// them agrees on deployment, set and shape, and that is the shape of `options`; no slot and no
/// drive is there twice. Blank, missing and unreadable drives, and drives whose mount is missing,
/// are absent. Blocks. Errors, each with a sentence in `problem` that names the drive: wrong_drive,
/// unsupported, no_such_file (not one formatted drive).
Result<std::vector<Candidate>> identify_drives(Vfs& vfs, const SetOptions& options,
                                               const std::vector<std::string>& paths,
                                               std::string& problem);

}  // namespace mote::erasure
