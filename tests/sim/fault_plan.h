#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/error.h"

namespace mote::sim {

/// Every call that a Vfs, an open file or an open directory has.
enum class VfsCall : std::uint8_t {
  open,
  open_directory,
  stat,
  list,
  make_directory,
  rename,
  link,
  unlink,
  remove_directory,
  space,
  lock,
  is_mount_point,
  pread,
  pwrite,
  sync_data,
  truncate,
  allocate,
  size,
  directory_sync,
  directory_info,
};
inline constexpr std::size_t kVfsCalls = static_cast<std::size_t>(VfsCall::directory_info) + 1;

/// "The nth `call` (any call if empty) on a path that starts with `path_prefix` fails with
/// `error`." A rename or link matches by either path; calls on an open file or directory by the
/// path it was opened with.
struct Fault {
  std::optional<VfsCall> call{};
  std::string path_prefix{};
  std::uint64_t nth = 1;      ///< counted from when the fault is added; 1 = the next
  bool forever = false;       ///< the nth and all later ones
  bool after_effect = false;  ///< the call does its work and its success is not reported
  Error error{Errc::io_error, 5 /* EIO */, "fault"};
};

struct SyncCount {
  std::uint64_t data = 0;
  std::uint64_t directory = 0;
};

/// What is to go wrong, asked before every call by SimFs and FaultVfs. Thread-safe.
class FaultPlan {
 public:
  void fail(Fault fault);
  void clear_faults();

  /// Switches the power off at the `index`th call from now (1 = the next one): it and all later
  /// calls fail with EIO until power_on(). With `after_effect` that call still does its work.
  void cut_at(std::uint64_t index, bool after_effect = false);
  void power_on();
  [[nodiscard]] bool powered() const;

  /// Calls since the start or reset_calls(); calls made without power are not counted.
  [[nodiscard]] std::uint64_t calls() const;
  [[nodiscard]] std::uint64_t calls(VfsCall call) const;
  void reset_calls();
  /// A hash over the kind and path of every counted call, to compare two runs.
  [[nodiscard]] std::uint64_t trace_hash() const;

  /// Counts syncs below `root` from now on. A sync is counted for every watched root above it.
  void watch_root(const std::string& root);
  [[nodiscard]] SyncCount syncs(const std::string& root) const;
  /// Every sync sleeps this long, outside any lock, before it does its work. Real threads only.
  void delay_syncs(std::chrono::milliseconds delay);

  /// Calls below `prefix` hang until release_calls(prefix). Real threads only.
  void hang_calls(const std::string& prefix);
  void release_calls(const std::string& prefix);

  /// What the next call must do.
  struct Verdict {
    std::optional<Error> error;  ///< to be returned
    bool after_effect = false;   ///< having done the work first
    bool power_lost = false;     ///< `error` is the power cut
    [[nodiscard]] bool refused() const { return error.has_value() && !after_effect; }
  };
  /// For implementations of Vfs: announces a call. May sleep or hang, so hold no lock.
  Verdict begin(VfsCall call, std::string_view path, std::string_view other = {});

 private:
  void wait_while_hung(std::unique_lock<std::mutex>& lock, std::string_view path);
  void count(VfsCall call, std::string_view path, std::string_view other);
  Verdict judge(VfsCall call, std::string_view path, std::string_view other);

  mutable std::mutex mutex_;
  std::condition_variable released_;
  std::vector<Fault> faults_;  // `nth` counts down
  bool powered_ = true;
  std::uint64_t cut_in_ = 0;  // calls until the cut, 0 = none planned
  bool cut_after_effect_ = false;
  std::uint64_t calls_ = 0;
  std::array<std::uint64_t, kVfsCalls> calls_by_kind_{};
  std::uint64_t trace_hash_ = 0;
  std::vector<std::pair<std::string, SyncCount>> roots_;
  std::chrono::milliseconds sync_delay_{0};
  std::vector<std::string> hung_;
};

/// Runs `body` as the plan allows: not at all, or with its success hidden.
template <class Body>
auto judged(const FaultPlan::Verdict& verdict, Body body) -> decltype(body()) {
  if (verdict.refused()) {
    return *verdict.error;
  }
  auto result = body();
  if (verdict.error) {
    return *verdict.error;
  }
  return result;
}

/// True if `path` is `root` or below it.
bool is_below(std::string_view path, std::string_view root);

}  // namespace mote::sim
