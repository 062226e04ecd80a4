#include "erasure/drive/drive.h"

#include <utility>

#include "erasure/drive/drive_paths.h"

namespace mote::erasure {
namespace {

bool same_place(const FileInfo& a, const FileInfo& b) {
  return a.kind == b.kind && a.device == b.device && a.inode == b.inode;
}

Error lost(const char* where, std::int32_t os_errno) {
  return {Errc::drive_failed, os_errno, where};
}

std::string executor_name(const DriveLabel& label, const char* what) {
  return "s" + std::to_string(label.set_id) + "d" + std::to_string(label.slot) + "-" + what;
}

}  // namespace

Drive::Drive(const DriveContext& context, std::string path, const DriveLabel& label)
    : context_(context), path_(std::move(path)), label_(label) {}

Drive::~Drive() {
  close();
}

Result<std::unique_ptr<Drive>> Drive::open(const DriveContext& context, const std::string& path,
                                           DriveOptions options) {
  const Result<DriveProbe> found = probe(context.vfs, path);
  if (!found) {
    return found.error();
  }
  if (found->content != DriveContent::formatted) {
    return Error{Errc::wrong_drive, 0, "drive.not_formatted"};
  }
  if (found->mount_missing) {
    return Error{Errc::drive_failed, 0, "drive.mount_missing"};
  }
  std::unique_ptr<Drive> drive(new Drive(context, path, found->label));
  const Status opened = drive->open_files(found->from_backup, std::move(options.index));
  if (!opened) {
    return opened.error();
  }
  Scheduler& scheduler = context.scheduler;
  drive->log_ = scheduler.make_serial(executor_name(found->label, "log"));
  drive->apply_ = scheduler.make_serial(executor_name(found->label, "apply"));
  drive->reads_ = scheduler.make_pool(executor_name(found->label, "read"), options.read_threads);
  drive->writes_ = scheduler.make_pool(executor_name(found->label, "write"), options.write_threads);
  return drive;
}

Status Drive::open_files(bool restore_label, IndexOptions index_options) {
  Vfs& vfs = context_.vfs;
  auto lock = vfs.lock(lock_path(path_));
  if (!lock) {
    return lock.error();
  }
  lock_ = std::move(*lock);
  auto root = vfs.open_directory(path_);
  if (!root) {
    return root.error();
  }
  root_ = std::move(*root);
  const Result<FileInfo> info = root_->info();
  if (!info) {
    return info.error();
  }
  root_info_ = *info;
  if (restore_label) {
    const std::string bytes = encode_label(label_);
    const Status restored = write_file_atomically(vfs, label_path(path_), as_bytes(bytes));
    if (!restored) {
      return restored;
    }
  }
  index_options.create = false;
  auto index = open_index(vfs, index_path(path_), context_.resources, std::move(index_options));
  if (!index) {
    return index.error();
  }
  index_ = std::move(*index);
  auto files = ShardFiles::open(vfs, shards_path(path_), quarantine_directory(), context_.rng,
                                context_.crash);
  if (!files) {
    return files.error();
  }
  shard_files_ = std::move(*files);
  return ok();
}

Status Drive::check_root() const {
  const Result<FileInfo> now = context_.vfs.stat(path_);
  if (!now) {
    return lost("drive.root_gone", now.error().os_errno);
  }
  if (!same_place(*now, root_info_)) {
    return lost("drive.root_replaced", 0);
  }
  // Emptied in place: the directory is the same and its content is not.
  const Result<FileInfo> label = context_.vfs.stat(label_path(path_));
  if (!label) {
    return lost("drive.label_gone", label.error().os_errno);
  }
  return ok();
}

Result<SpaceInfo> Drive::space() const {
  return context_.vfs.space(path_);
}

void Drive::close() {
  for (std::unique_ptr<Executor>* executor : {&writes_, &reads_, &log_, &apply_}) {
    if (*executor != nullptr) {
      (*executor)->shutdown();
      executor->reset();
    }
  }
  shard_files_.reset();
  index_.reset();
  root_.reset();
  lock_.reset();
}

}  // namespace mote::erasure
