#include "tests/sim/sim_fs_handles.h"

#include <algorithm>
#include <cerrno>

namespace mote::sim {

using erasure::FileInfo;
using erasure::FileKind;

SimFs::Handle::Handle(SimFs& owner, const Place& place, NodePtr opened, std::string name)
    : fs(owner),
      drive(place.drive),
      node(std::move(opened)),
      path(std::move(name)),
      generation(drive->generation) {
  ++node->handles;
}

void SimFs::Handle::close() {
  const std::lock_guard lock(fs.mutex_);
  if (!dead()) {
    --node->handles;
    drive->tree->discharge_if_gone(*node);
  }
}

std::optional<Error> SimFs::Handle::dead() const {
  if (drive->generation != generation) {
    return sim_error(EIO, "sim: opened before a power cut or removal");
  }
  return std::nullopt;
}

Result<std::size_t> SimFs::SimFile::pread(std::uint64_t offset, ByteSpan out) {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::pread, handle_.path);
  return judged(verdict, [&]() -> Result<std::size_t> {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto dead = handle_.dead()) {
      return *dead;
    }
    if (!options_.read) {
      return sim_error(EBADF, "sim.pread");
    }
    if (misaligned(offset, out)) {
      return sim_error(EINVAL, "sim.pread");
    }
    return handle_.node->content.read(offset, out);
  });
}

Status SimFs::SimFile::pwrite(std::uint64_t offset, ByteView data) {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::pwrite, handle_.path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto refused = refuse_write()) {
      return *refused;
    }
    if (misaligned(offset, data)) {
      return sim_error(EINVAL, "sim.pwrite");
    }
    Node& node = *handle_.node;
    Drive& drive = *handle_.drive;
    const std::uint64_t after =
        node.content.stored_bytes() + node.content.missing_pages(offset, data.size()) * kPageBytes;
    if (after > node.charged && !handle_.fs.has_room(drive, after - node.charged)) {
      return sim_error(ENOSPC, "sim.pwrite");
    }
    node.modified_ms = handle_.fs.tick();
    node.content.write(offset, data, static_cast<std::uint64_t>(node.modified_ms));
    drive.tree->charge(node);
    return ok();
  });
}

Status SimFs::SimFile::sync_data() {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::sync_data, handle_.path);
  const std::lock_guard lock(handle_.fs.mutex_);
  const auto dead = handle_.dead();
  if (verdict.refused() && !verdict.power_lost && !dead) {
    handle_.node->content.fail_sync(handle_.fs.evict_);
  }
  return judged(verdict, [&]() -> Status {
    if (dead) {
      return *dead;
    }
    handle_.node->content.sync();
    return ok();
  });
}

Status SimFs::SimFile::truncate(std::uint64_t bytes) {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::truncate, handle_.path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto refused = refuse_write()) {
      return *refused;
    }
    Node& node = *handle_.node;
    node.content.resize(bytes);
    node.reserved = std::min(node.reserved, bytes);
    node.modified_ms = handle_.fs.tick();
    handle_.drive->tree->charge(node);
    return ok();
  });
}

Status SimFs::SimFile::allocate(std::uint64_t bytes) {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::allocate, handle_.path);
  return judged(verdict, [&]() -> Status {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto refused = refuse_write()) {
      return *refused;
    }
    Node& node = *handle_.node;
    if (bytes > node.charged && !handle_.fs.has_room(*handle_.drive, bytes - node.charged)) {
      return sim_error(ENOSPC, "sim.allocate");
    }
    node.reserved = std::max(node.reserved, bytes);
    node.content.resize(std::max(node.content.size(), bytes));
    handle_.drive->tree->charge(node);
    return ok();
  });
}

Result<std::uint64_t> SimFs::SimFile::size() {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::size, handle_.path);
  return judged(verdict, [&]() -> Result<std::uint64_t> {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto dead = handle_.dead()) {
      return *dead;
    }
    return handle_.node->content.size();
  });
}

std::optional<Error> SimFs::SimFile::refuse_write() const {
  if (const auto dead = handle_.dead()) {
    return dead;
  }
  if (!options_.write) {
    return sim_error(EBADF, "sim: opened for reading");
  }
  return std::nullopt;
}

bool SimFs::SimFile::misaligned(std::uint64_t offset, ByteView bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return options_.direct && (offset | address | bytes.size()) % kSectorBytes != 0;
}

Status SimFs::SimDirectory::sync() {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::directory_sync, handle_.path);
  const std::lock_guard lock(handle_.fs.mutex_);
  const auto dead = handle_.dead();
  if (verdict.refused() && !verdict.power_lost && !dead) {
    handle_.drive->tree->fail_sync(handle_.node);
  }
  return judged(verdict, [&]() -> Status {
    if (dead) {
      return *dead;
    }
    handle_.drive->tree->sync(handle_.node);
    return ok();
  });
}

Result<FileInfo> SimFs::SimDirectory::info() {
  const auto verdict = handle_.fs.plan_.begin(VfsCall::directory_info, handle_.path);
  return judged(verdict, [&]() -> Result<FileInfo> {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (const auto dead = handle_.dead()) {
      return *dead;
    }
    return info_of(*handle_.node, handle_.drive->device);
  });
}

SimFs::SimLock::~SimLock() {
  {
    const std::lock_guard lock(handle_.fs.mutex_);
    if (!handle_.dead()) {
      handle_.node->locked = false;
    }
  }
  handle_.close();
}

Error sim_error(int os_errno, const char* where) {
  switch (os_errno) {
    case ENOENT:
    case ENOTDIR:
      return {Errc::no_such_file, os_errno, where};
    case EEXIST:
      return {Errc::already_exists, os_errno, where};
    case ENOSPC:
      return {Errc::no_space, os_errno, where};
    default:
      return {Errc::io_error, os_errno, where};
  }
}

FileInfo info_of(const Node& node, std::uint64_t device) {
  FileInfo info;
  info.kind = node.kind;
  info.bytes = node.kind == FileKind::file ? node.content.size() : kPageBytes;
  info.device = device;
  info.inode = node.number;
  info.modified_ms = node.modified_ms;
  return info;
}

}  // namespace mote::sim
