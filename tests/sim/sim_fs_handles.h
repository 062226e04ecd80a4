#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/sim_fs.h"

namespace mote::sim {

/// One simulated drive.
struct SimFs::Drive {
  std::string root;  // normal form
  std::uint64_t device = 0;
  std::unique_ptr<DriveTree> tree;
  bool mounted = true;           // is_mount_point() of the root
  bool gone = false;             // its paths are not there
  bool unmounted = false;        // its paths lead to the system drive
  std::uint64_t generation = 1;  // what was opened in an earlier one fails
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// What an open file, directory or lock holds on to. All of it is used under the lock of `fs`.
struct SimFs::Handle {
  SimFs& fs;
  std::shared_ptr<Drive> drive;
  NodePtr node;
  std::string path;
  std::uint64_t generation;

  Handle(SimFs& owner, const Place& place, NodePtr opened, std::string name);
  /// Counts as an open handle of the node from construction to here.
  void close();
  /// Nothing while the drive is there and was not cut since.
  [[nodiscard]] std::optional<Error> dead() const;
};

class SimFs::SimFile final : public erasure::File {
 public:
  SimFile(Handle handle, const erasure::OpenOptions& options)
      : handle_(std::move(handle)), options_(options) {}
  ~SimFile() override { handle_.close(); }
  SimFile(const SimFile&) = delete;
  SimFile& operator=(const SimFile&) = delete;

  Result<std::size_t> pread(std::uint64_t offset, ByteSpan out) override;
  Status pwrite(std::uint64_t offset, ByteView data) override;
  Status sync_data() override;
  Status truncate(std::uint64_t bytes) override;
  Status allocate(std::uint64_t bytes) override;
  Result<std::uint64_t> size() override;

 private:
  [[nodiscard]] std::optional<Error> refuse_write() const;
  [[nodiscard]] bool misaligned(std::uint64_t offset, ByteView bytes) const;

  Handle handle_;
  const erasure::OpenOptions options_;
};

class SimFs::SimDirectory final : public erasure::Directory {
 public:
  explicit SimDirectory(Handle handle) : handle_(std::move(handle)) {}
  ~SimDirectory() override { handle_.close(); }
  SimDirectory(const SimDirectory&) = delete;
  SimDirectory& operator=(const SimDirectory&) = delete;

  Status sync() override;
  Result<erasure::FileInfo> info() override;

 private:
  Handle handle_;
};

class SimFs::SimLock final : public erasure::FileLock {
 public:
  explicit SimLock(Handle handle) : handle_(std::move(handle)) {}
  ~SimLock() override;
  SimLock(const SimLock&) = delete;
  SimLock& operator=(const SimLock&) = delete;

 private:
  Handle handle_;
};

/// The Error for what a system call would have reported; as PosixVfs maps it.
Error sim_error(int os_errno, const char* where);
erasure::FileInfo info_of(const Node& node, std::uint64_t device);

}  // namespace mote::sim
