#include "tests/sim/fault_vfs.h"

namespace mote::sim {
namespace {

using erasure::Directory;
using erasure::File;
using erasure::FileInfo;
using erasure::FileLock;
using erasure::OpenOptions;
using erasure::SpaceInfo;

class FaultFile final : public File {
 public:
  FaultFile(FaultPlan& plan, std::string path, std::unique_ptr<File> below)
      : plan_(plan), path_(std::move(path)), below_(std::move(below)) {}

  Result<std::size_t> pread(std::uint64_t offset, ByteSpan out) override {
    return judged(plan_.begin(VfsCall::pread, path_), [&] { return below_->pread(offset, out); });
  }
  Status pwrite(std::uint64_t offset, ByteView data) override {
    return judged(plan_.begin(VfsCall::pwrite, path_),
                  [&] { return below_->pwrite(offset, data); });
  }
  Status sync_data() override {
    return judged(plan_.begin(VfsCall::sync_data, path_), [&] { return below_->sync_data(); });
  }
  Status truncate(std::uint64_t bytes) override {
    return judged(plan_.begin(VfsCall::truncate, path_), [&] { return below_->truncate(bytes); });
  }
  Status allocate(std::uint64_t bytes) override {
    return judged(plan_.begin(VfsCall::allocate, path_), [&] { return below_->allocate(bytes); });
  }
  Result<std::uint64_t> size() override {
    return judged(plan_.begin(VfsCall::size, path_), [&] { return below_->size(); });
  }

 private:
  FaultPlan& plan_;
  std::string path_;
  std::unique_ptr<File> below_;
};

class FaultDirectory final : public Directory {
 public:
  FaultDirectory(FaultPlan& plan, std::string path, std::unique_ptr<Directory> below)
      : plan_(plan), path_(std::move(path)), below_(std::move(below)) {}

  Status sync() override {
    return judged(plan_.begin(VfsCall::directory_sync, path_), [&] { return below_->sync(); });
  }
  Result<FileInfo> info() override {
    return judged(plan_.begin(VfsCall::directory_info, path_), [&] { return below_->info(); });
  }

 private:
  FaultPlan& plan_;
  std::string path_;
  std::unique_ptr<Directory> below_;
};

}  // namespace

Result<std::unique_ptr<File>> FaultVfs::open(const std::string& path, const OpenOptions& options) {
  auto file = judged(plan_.begin(VfsCall::open, path), [&] { return below_.open(path, options); });
  if (!file) {
    return file.error();
  }
  return std::unique_ptr<File>(std::make_unique<FaultFile>(plan_, path, std::move(*file)));
}

Result<std::unique_ptr<Directory>> FaultVfs::open_directory(const std::string& path) {
  auto directory = judged(plan_.begin(VfsCall::open_directory, path),
                          [&] { return below_.open_directory(path); });
  if (!directory) {
    return directory.error();
  }
  return std::unique_ptr<Directory>(
      std::make_unique<FaultDirectory>(plan_, path, std::move(*directory)));
}

Result<FileInfo> FaultVfs::stat(const std::string& path) {
  return judged(plan_.begin(VfsCall::stat, path), [&] { return below_.stat(path); });
}

Result<std::vector<std::string>> FaultVfs::list(const std::string& path) {
  return judged(plan_.begin(VfsCall::list, path), [&] { return below_.list(path); });
}

Status FaultVfs::make_directory(const std::string& path) {
  return judged(plan_.begin(VfsCall::make_directory, path),
                [&] { return below_.make_directory(path); });
}

Status FaultVfs::rename(const std::string& from, const std::string& to) {
  return judged(plan_.begin(VfsCall::rename, from, to), [&] { return below_.rename(from, to); });
}

Status FaultVfs::link(const std::string& from, const std::string& to) {
  return judged(plan_.begin(VfsCall::link, from, to), [&] { return below_.link(from, to); });
}

Status FaultVfs::unlink(const std::string& path) {
  return judged(plan_.begin(VfsCall::unlink, path), [&] { return below_.unlink(path); });
}

Status FaultVfs::remove_directory(const std::string& path) {
  return judged(plan_.begin(VfsCall::remove_directory, path),
                [&] { return below_.remove_directory(path); });
}

Result<SpaceInfo> FaultVfs::space(const std::string& path) {
  return judged(plan_.begin(VfsCall::space, path), [&] { return below_.space(path); });
}

Result<std::unique_ptr<FileLock>> FaultVfs::lock(const std::string& path) {
  return judged(plan_.begin(VfsCall::lock, path), [&] { return below_.lock(path); });
}

Result<bool> FaultVfs::is_mount_point(const std::string& path) {
  return judged(plan_.begin(VfsCall::is_mount_point, path),
                [&] { return below_.is_mount_point(path); });
}

}  // namespace mote::sim
