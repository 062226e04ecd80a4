#pragma once

#include <memory>

#include "erasure/base/event.h"
#include "erasure/base/scheduler.h"
#include "erasure/drive/drive.h"
#include "erasure/log/log_format.h"

namespace mote::erasure {

/// A drive as a set uses it: the drive, and threads for what may block long and must hold up
/// neither log nor reads (flush, next log segment, root and space checks).
struct OpenDrive {
  OpenDrive(std::unique_ptr<Drive> opened, std::unique_ptr<Executor> background_executor,
            const LogOptions& options)
      : drive(std::move(opened)),
        background(std::move(background_executor)),
        log_options(options) {}

  std::unique_ptr<Drive> drive;
  std::unique_ptr<Executor> background;  ///< a pool, stopped before the drive is closed
  LogOptions log_options;
  /// Set when the drive is closed and its locks are free.
  std::shared_ptr<Event> closed = std::make_shared<Event>();
};

/// Shares an open drive between the set, its readers and its own tasks. The last user may be a task
/// on one of the drive's threads, which cannot end its own thread: so closing is a task of
/// `reaper`. After the reaper was shut down a drive is leaked, with its hung threads: that is what
/// giving a drive up means.
std::shared_ptr<OpenDrive> share_drive(std::unique_ptr<OpenDrive> drive,
                                       std::shared_ptr<Executor> reaper);

/// The drive alone, keeping all of it alive.
inline std::shared_ptr<Drive> drive_of(const std::shared_ptr<OpenDrive>& open) {
  return open ? std::shared_ptr<Drive>(open, open->drive.get()) : nullptr;
}

}  // namespace mote::erasure
