#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/io/vfs.h"
#include "tests/sim/drive_tree.h"
#include "tests/sim/fault_plan.h"

namespace mote::sim {

/// A file system in memory that loses, at a power cut, whatever POSIX allows a real one to lose
/// (README.md has the rules). Paths belong to the drive with the longest root above them, and
/// drives are file systems of their own: a rename between them fails with EXDEV and each is cut by
/// itself. What is below no drive's root belongs to a system drive with the root "/".
///
/// Thread-safe; one lock. Outlives every file, directory and lock that it opened. Files opened with
/// `direct` demand 512-byte alignment of memory, offset and length, as Linux does.
class SimFs final : public erasure::Vfs {
 public:
  SimFs();
  ~SimFs() override;

  /// Adds a drive with an empty, durable root directory (and the directories above it). A mount
  /// point unless `mounted` is false. Watched by faults().syncs(root).
  void add_drive(const std::string& root, bool mounted = true);

  /// Cuts the power of all drives, each with its own choices from `seed`, or of one. What was open
  /// on them fails from then on, locks are gone, and the paths show what survived. The drives are
  /// on again at once; faults().cut_at() keeps them off until restart().
  void cut_power(std::uint64_t seed, CutMode mode);
  void cut_power(const std::string& root, std::uint64_t seed, CutMode mode);
  /// cut_power() of all drives, and the power on again after faults().cut_at().
  void restart(std::uint64_t seed, CutMode mode);

  FaultPlan& faults() { return plan_; }
  /// What readers see after a failed sync of a file: true, the old bytes at once; false (start
  /// value), the new bytes until the cut. Real file systems do either.
  void evict_on_failed_sync(bool evict) { evict_ = evict; }

  /// Takes a drive away: its paths give no_such_file and what is open on it fails, until and after
  /// it reappears.
  void disappear(const std::string& root);
  /// Unmounts a drive: what is open on it fails, and its path is an empty directory of the system
  /// drive.
  void unmount(const std::string& root);
  /// Brings a drive back with all that was on it.
  void reappear(const std::string& root);
  /// Puts a blank drive in the place of this one, whose bytes are gone.
  void replace_with_blank(const std::string& root);

  /// The drive holds at most `bytes` of file data (whole pages, reservations included).
  void limit_space(const std::string& root, std::uint64_t bytes);
  /// Flips the bits of `mask` in one byte of a file, on the medium.
  Status damage(const std::string& path, std::uint64_t offset, std::byte mask = std::byte{1});
  /// Bytes of file data on a drive.
  std::uint64_t used_bytes(const std::string& root);
  /// Makes all that is on the drive durable, names and bytes.
  void sync_all(const std::string& root);

  Result<std::unique_ptr<erasure::File>> open(const std::string& path,
                                              const erasure::OpenOptions& options) override;
  Result<std::unique_ptr<erasure::Directory>> open_directory(const std::string& path) override;
  Result<erasure::FileInfo> stat(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status make_directory(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status unlink(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Result<erasure::SpaceInfo> space(const std::string& path) override;
  Result<std::unique_ptr<erasure::FileLock>> lock(const std::string& path) override;
  Result<bool> is_mount_point(const std::string& path) override;

 private:
  class SimFile;
  class SimDirectory;
  class SimLock;
  struct Drive;
  struct Handle;
  /// Where a path leads: its drive, and what is there.
  struct Place {
    std::shared_ptr<Drive> drive;
    NodePtr directory;  // of the last name; null for a drive's root
    std::string name;
    NodePtr node;  // null if the name is free
  };

  Drive& drive_at(const std::string& root);
  /// no_such_file if the drive is away or a directory of the path is missing.
  Result<Place> locate(const std::string& path);
  Result<Place> locate_existing(const std::string& path);
  Result<NodePtr> open_node(const Place& place, const erasure::OpenOptions& options);
  Status check_rename(const Place& source, const Place& target) const;
  void cut_drive(Drive& drive, std::uint64_t seed, CutMode mode);
  void make_parents(const std::string& root);
  [[nodiscard]] bool has_room(const Drive& drive, std::uint64_t more) const;
  std::int64_t tick() { return static_cast<std::int64_t>(++sequence_); }

  FaultPlan plan_;
  std::atomic<bool> evict_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Drive>> drives_;  // the system drive first
  std::uint64_t next_device_ = 1;
  std::uint64_t sequence_ = 0;  // counts changes; orders writes, and is the time of last change
};

}  // namespace mote::sim
