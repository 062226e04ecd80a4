#pragma once

#include <memory>
#include <string>

#include "erasure/set/drive_set.h"
#include "erasure/set/open_drive.h"

namespace mote::erasure {

/// Size and identity of a drive's log.
LogOptions log_options_of(const SetOptions& options, const DriveLabel& label);

DriveContext drive_context(const SetEnvironment& environment);

/// Opens one formatted drive for use in a set. `on_error` is called, on a thread of the index, when
/// the index turns read-only. Blocks. Errors: as Drive::open.
Result<std::shared_ptr<OpenDrive>> open_drive(const SetEnvironment& environment,
                                              const SetOptions& options, const std::string& path,
                                              std::shared_ptr<Executor> reaper,
                                              UniqueFunction<void(Error)> on_error);

/// Writes, syncs, reads and removes a small file: whether a drive that failed works again. Blocks.
Status try_drive(Vfs& vfs, const std::string& path);

}  // namespace mote::erasure
