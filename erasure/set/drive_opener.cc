#include "erasure/set/drive_opener.h"

namespace mote::erasure {

LogOptions log_options_of(const SetOptions& options, const DriveLabel& label) {
  LogOptions log;
  log.segment_bytes = options.segment_bytes;
  log.drive_uuid = label.drive;
  return log;
}

DriveContext drive_context(const SetEnvironment& environment) {
  return {environment.vfs, environment.scheduler, environment.rng, environment.index_resources,
          environment.crash_points};
}

Result<std::shared_ptr<OpenDrive>> open_drive(const SetEnvironment& environment,
                                              const SetOptions& options, const std::string& path,
                                              std::shared_ptr<Executor> reaper,
                                              UniqueFunction<void(Error)> on_error) {
  DriveOptions drive_options;
  drive_options.index.deterministic = options.deterministic;
  drive_options.index.on_background_error = std::move(on_error);
  auto drive = Drive::open(drive_context(environment), path, std::move(drive_options));
  if (!drive) {
    return drive.error();
  }
  const LogOptions log = log_options_of(options, (*drive)->label());
  const std::string name = "mote-bg-" + std::to_string((*drive)->label().slot);
  // Two threads: a flush takes long, and the next log segment is wanted meanwhile.
  auto background = environment.scheduler.make_pool(name, 2);
  return share_drive(std::make_unique<OpenDrive>(std::move(*drive), std::move(background), log),
                     std::move(reaper));
}

Status try_drive(Vfs& vfs, const std::string& path) {
  const std::string file = path + "/.sys/probe";
  const std::string_view text = "probe";
  if (Status written = write_file_atomically(vfs, file, as_bytes(text)); !written) {
    return written;
  }
  const auto read = read_file(vfs, file, kKiB);
  if (!read) {
    return read.error();
  }
  if (*read != text) {
    return Error{Errc::corrupt, 0, "drive.probe"};
  }
  return vfs.unlink(file);
}

}  // namespace mote::erasure
