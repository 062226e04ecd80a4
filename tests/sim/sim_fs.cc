#include "tests/sim/sim_fs.h"

#include <algorithm>
#include <cerrno>

#include "erasure/base/check.h"
#include "tests/sim/sim_fs_handles.h"

namespace mote::sim {

using erasure::Directory;
using erasure::File;
using erasure::FileInfo;
using erasure::FileKind;
using erasure::FileLock;
using erasure::OpenOptions;
using erasure::SpaceInfo;

namespace {

/// Numbers of nodes on different drives differ, as a help when reading a failed test.
constexpr std::uint64_t kNumbersPerDrive = 1'000'000'000;
/// What space() reports for a drive without a limit.
constexpr std::uint64_t kUnlimitedBytes = std::uint64_t{1} << 50U;

/// "/a//b/./c/" and "a/b/c" become "/a/b/c"; the top is "/".
std::string normal(std::string_view path) {
  std::string clean;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
    if (!name.empty() && name != ".") {
      clean.append("/").append(name);
    }
  }
  return clean.empty() ? "/" : clean;
}

/// `path` without `root` in front; both normal.
std::string_view below_root(std::string_view path, std::string_view root) {
  std::string_view rest = root == "/" ? path : path.substr(root.size());
  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
  }
  return rest;
}

}  // namespace

SimFs::SimFs() {
  auto system = std::make_shared<Drive>();
  system->root = "/";
  system->device = next_device_++;
  system->tree = std::make_unique<DriveTree>(system->device * kNumbersPerDrive);
  drives_.push_back(std::move(system));
}

SimFs::~SimFs() = default;

void SimFs::add_drive(const std::string& root, bool mounted) {
  plan_.watch_root(root);
  const std::lock_guard lock(mutex_);
  auto drive = std::make_shared<Drive>();
  drive->root = normal(root);
  drive->device = next_device_++;
  drive->tree = std::make_unique<DriveTree>(drive->device * kNumbersPerDrive);
  drive->mounted = mounted;
  make_parents(drive->root);
  drives_.push_back(std::move(drive));
}

void SimFs::make_parents(const std::string& root) {
  DriveTree& tree = *drives_.front()->tree;
  NodePtr directory = tree.top();
  std::string_view rest = below_root(root, "/");
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const std::string name(rest.substr(0, slash));
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    const auto found = directory->names.find(name);
    directory = found != directory->names.end() ? found->second
                                                : tree.create(directory, name, FileKind::directory);
  }
  tree.sync_all();
}

void SimFs::cut_power(std::uint64_t seed, CutMode mode) {
  const std::lock_guard lock(mutex_);
  for (const auto& drive : drives_) {
    cut_drive(*drive, seed, mode);
  }
}

void SimFs::cut_power(const std::string& root, std::uint64_t seed, CutMode mode) {
  const std::lock_guard lock(mutex_);
  cut_drive(drive_at(root), seed, mode);
}

void SimFs::cut_drive(Drive& drive, std::uint64_t seed, CutMode mode) {
  SeededRng rng(seed ^ (drive.device * 0x9e3779b97f4a7c15U));
  ++drive.generation;
  drive.tree->cut(rng, mode);
}

void SimFs::restart(std::uint64_t seed, CutMode mode) {
  cut_power(seed, mode);
  plan_.power_on();
}

void SimFs::disappear(const std::string& root) {
  const std::lock_guard lock(mutex_);
  Drive& drive = drive_at(root);
  drive.gone = true;
  ++drive.generation;
  drive.tree->forget_handles();
}

void SimFs::unmount(const std::string& root) {
  const std::lock_guard lock(mutex_);
  Drive& drive = drive_at(root);
  drive.unmounted = true;
  ++drive.generation;
  drive.tree->forget_handles();
}

void SimFs::reappear(const std::string& root) {
  const std::lock_guard lock(mutex_);
  Drive& drive = drive_at(root);
  drive.gone = false;
  drive.unmounted = false;
}

void SimFs::replace_with_blank(const std::string& root) {
  const std::lock_guard lock(mutex_);
  Drive& drive = drive_at(root);
  ++drive.generation;
  drive.device = next_device_++;
  drive.tree = std::make_unique<DriveTree>(drive.device * kNumbersPerDrive);
  drive.gone = false;
  drive.unmounted = false;
}

void SimFs::limit_space(const std::string& root, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  drive_at(root).limit_bytes = bytes;
}

Status SimFs::damage(const std::string& path, std::uint64_t offset, std::byte mask) {
  const std::lock_guard lock(mutex_);
  const auto place = locate_existing(path);
  if (!place) {
    return place.error();
  }
  if (offset >= place->node->content.size()) {
    return sim_error(EINVAL, "sim.damage");
  }
  place->node->content.damage(offset, mask);
  return ok();
}

std::uint64_t SimFs::used_bytes(const std::string& root) {
  const std::lock_guard lock(mutex_);
  return drive_at(root).tree->used_bytes();
}

void SimFs::sync_all(const std::string& root) {
  const std::lock_guard lock(mutex_);
  drive_at(root).tree->sync_all();
}

Result<std::unique_ptr<File>> SimFs::open(const std::string& path, const OpenOptions& options) {
  const auto verdict = plan_.begin(VfsCall::open, path);
  return judged(verdict, [&]() -> Result<std::unique_ptr<File>> {
    const std::lock_guard lock(mutex_);
    const auto place = locate(path);
    if (!place) {
      return place.error();
    }
    auto node = open_node(*place, options);
    if (!node) {
      return node.error();
    }
    return std::unique_ptr<File>(
        std::make_unique<SimFile>(Handle(*this, *place, *node, path), options));
  });
}

Result<NodePtr> SimFs::open_node(const Place& place, const OpenOptions& options) {
  if (!place.node) {
    if (!options.create) {
      return sim_error(ENOENT, "sim.open");
    }
    return place.drive->tree->create(place.directory, place.name, FileKind::file);
  }
  if (options.create && options.exclusive) {
    return sim_error(EEXIST, "sim.open");
  }
  if (place.node->kind != FileKind::file) {
    return sim_error(EISDIR, "sim.open");
  }
  if (options.truncate) {
    place.node->content.resize(0);
    place.node->reserved = 0;
    place.drive->tree->charge(*place.node);
  }
  return place.node;
}

Result<std::unique_ptr<Directory>> SimFs::open_directory(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::open_directory, path);
  return judged(verdict, [&]() -> Result<std::unique_ptr<Directory>> {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    if (place->node->kind != FileKind::directory) {
      return sim_error(ENOTDIR, "sim.open_directory");
    }
    return std::unique_ptr<Directory>(
        std::make_unique<SimDirectory>(Handle(*this, *place, place->node, path)));
  });
}

Result<FileInfo> SimFs::stat(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::stat, path);
  return judged(verdict, [&]() -> Result<FileInfo> {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    return info_of(*place->node, place->drive->device);
  });
}

Result<std::vector<std::string>> SimFs::list(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::list, path);
  return judged(verdict, [&]() -> Result<std::vector<std::string>> {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    if (place->node->kind != FileKind::directory) {
      return sim_error(ENOTDIR, "sim.list");
    }
    std::vector<std::string> names;
    // Backwards, so that nobody comes to rely on sorted names.
    for (auto at = place->node->names.rbegin(); at != place->node->names.rend(); ++at) {
      names.push_back(at->first);
    }
    return names;
  });
}

Status SimFs::make_directory(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::make_directory, path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto place = locate(path);
    if (!place) {
      return place.error();
    }
    if (place->node) {
      return sim_error(EEXIST, "sim.make_directory");
    }
    place->drive->tree->create(place->directory, place->name, FileKind::directory);
    return ok();
  });
}

Status SimFs::rename(const std::string& from, const std::string& to) {
  const auto verdict = plan_.begin(VfsCall::rename, from, to);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto source = locate_existing(from);
    if (!source) {
      return source.error();
    }
    const auto target = locate(to);
    if (!target) {
      return target.error();
    }
    if (source->node->kind == FileKind::directory && is_below(normal(to), normal(from) + "/")) {
      return sim_error(EINVAL, "sim.rename");
    }
    if (const Status checked = check_rename(*source, *target); !checked) {
      return checked.error();
    }
    if (source->node != target->node) {
      source->drive->tree->rename(source->directory, source->name, target->directory, target->name);
    }
    return ok();
  });
}

Status SimFs::check_rename(const Place& source, const Place& target) const {
  if (source.drive != target.drive) {
    return sim_error(EXDEV, "sim.rename");
  }
  if (!source.directory || !target.directory) {
    return sim_error(EBUSY, "sim.rename");
  }
  if (!target.node || target.node == source.node) {
    return ok();
  }
  const bool source_is_file = source.node->kind == FileKind::file;
  const bool target_is_file = target.node->kind == FileKind::file;
  if (source_is_file != target_is_file) {
    return sim_error(source_is_file ? EISDIR : ENOTDIR, "sim.rename");
  }
  if (!target.node->names.empty()) {
    return sim_error(ENOTEMPTY, "sim.rename");
  }
  return ok();
}

Status SimFs::link(const std::string& from, const std::string& to) {
  const auto verdict = plan_.begin(VfsCall::link, from, to);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto source = locate_existing(from);
    if (!source) {
      return source.error();
    }
    const auto target = locate(to);
    if (!target) {
      return target.error();
    }
    if (target->node) {
      return sim_error(EEXIST, "sim.link");
    }
    if (source->drive != target->drive) {
      return sim_error(EXDEV, "sim.link");
    }
    if (source->node->kind != FileKind::file) {
      return sim_error(EPERM, "sim.link");
    }
    target->drive->tree->link(target->directory, target->name, source->node);
    return ok();
  });
}

Status SimFs::unlink(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::unlink, path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    if (place->node->kind != FileKind::file) {
      return sim_error(EISDIR, "sim.unlink");
    }
    place->drive->tree->remove(place->directory, place->name);
    return ok();
  });
}

Status SimFs::remove_directory(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::remove_directory, path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    if (place->node->kind != FileKind::directory) {
      return sim_error(ENOTDIR, "sim.remove_directory");
    }
    if (!place->directory) {
      return sim_error(EBUSY, "sim.remove_directory");
    }
    if (!place->node->names.empty()) {
      return sim_error(ENOTEMPTY, "sim.remove_directory");
    }
    place->drive->tree->remove(place->directory, place->name);
    return ok();
  });
}

Result<SpaceInfo> SimFs::space(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::space, path);
  return judged(verdict, [&]() -> Result<SpaceInfo> {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    const std::uint64_t used = place->drive->tree->used_bytes();
    SpaceInfo info;
    info.total_bytes = std::min(place->drive->limit_bytes, kUnlimitedBytes);
    info.free_bytes = info.total_bytes - std::min(used, info.total_bytes);
    return info;
  });
}

Result<std::unique_ptr<FileLock>> SimFs::lock(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::lock, path);
  return judged(verdict, [&]() -> Result<std::unique_ptr<FileLock>> {
    const std::lock_guard lock(mutex_);
    const auto place = locate(path);
    if (!place) {
      return place.error();
    }
    OpenOptions options;
    options.create = true;
    const auto node = open_node(*place, options);
    if (!node) {
      return node.error();
    }
    if ((*node)->locked) {
      return Error{Errc::drive_locked, EWOULDBLOCK, "sim.lock"};
    }
    (*node)->locked = true;
    return std::unique_ptr<FileLock>(std::make_unique<SimLock>(Handle(*this, *place, *node, path)));
  });
}

Result<bool> SimFs::is_mount_point(const std::string& path) {
  const auto verdict = plan_.begin(VfsCall::is_mount_point, path);
  return judged(verdict, [&]() -> Result<bool> {
    const std::lock_guard lock(mutex_);
    const auto place = locate_existing(path);
    if (!place) {
      return place.error();
    }
    return !place->directory && place->drive->mounted;
  });
}

SimFs::Drive& SimFs::drive_at(const std::string& root) {
  const std::string wanted = normal(root);
  const auto found = std::find_if(drives_.begin(), drives_.end(),
                                  [&](const auto& drive) { return drive->root == wanted; });
  MOTE_CHECK(found != drives_.end());
  return **found;
}

Result<SimFs::Place> SimFs::locate(const std::string& path) {
  const std::string clean = normal(path);
  std::shared_ptr<Drive> drive = drives_.front();
  for (const auto& each : drives_) {
    if (!each->unmounted && is_below(clean, each->root) &&
        each->root.size() >= drive->root.size()) {
      drive = each;
    }
  }
  if (drive->gone) {
    return sim_error(ENOENT, "sim: the drive is away");
  }
  const std::string_view rest = below_root(clean, drive->root);
  if (rest.empty()) {
    return Place{drive, nullptr, {}, drive->tree->top()};
  }
  const std::size_t slash = rest.rfind('/');
  const std::string_view parent =
      slash == std::string_view::npos ? std::string_view{} : rest.substr(0, slash);
  NodePtr directory = drive->tree->find(parent);
  if (!directory || directory->kind != FileKind::directory) {
    return sim_error(directory ? ENOTDIR : ENOENT, "sim: no such directory");
  }
  Place place{drive, directory,
              std::string(slash == std::string_view::npos ? rest : rest.substr(slash + 1)),
              nullptr};
  const auto found = directory->names.find(place.name);
  if (found != directory->names.end()) {
    place.node = found->second;
  }
  return place;
}

Result<SimFs::Place> SimFs::locate_existing(const std::string& path) {
  auto place = locate(path);
  if (place && !place->node) {
    return sim_error(ENOENT, "sim: no such name");
  }
  return place;
}

bool SimFs::has_room(const Drive& drive, std::uint64_t more) const {
  return more <= drive.limit_bytes && drive.tree->used_bytes() <= drive.limit_bytes - more;
}

}  // namespace mote::sim
