#pragma once

#include "erasure/io/vfs.h"
#include "tests/sim/fault_plan.h"

namespace mote::sim {

/// Puts a FaultPlan before any Vfs: for runs with real threads on a real disk. It can fail, count,
/// delay and hang calls; it cannot lose what was written, because the kernel below it has it.
/// `below` outlives this, and this outlives every file it opened.
class FaultVfs final : public erasure::Vfs {
 public:
  explicit FaultVfs(erasure::Vfs& below) : below_(below) {}

  FaultPlan& faults() { return plan_; }

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
  erasure::Vfs& below_;
  FaultPlan plan_;
};

}  // namespace mote::sim
