#include "tests/sim/fault_plan.h"

#include <algorithm>
#include <cerrno>
#include <thread>

namespace mote::sim {
namespace {

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/).
std::uint64_t hash_more(std::uint64_t hash, std::string_view text) {
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

bool is_below(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) {
    return false;
  }
  return root.empty() || root.ends_with('/') || path.size() == root.size() ||
         path[root.size()] == '/';
}

void FaultPlan::fail(Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}

void FaultPlan::clear_faults() {
  const std::lock_guard lock(mutex_);
  faults_.clear();
}

void FaultPlan::cut_at(std::uint64_t index, bool after_effect) {
  const std::lock_guard lock(mutex_);
  cut_in_ = index;
  cut_after_effect_ = after_effect;
}

void FaultPlan::power_on() {
  const std::lock_guard lock(mutex_);
  powered_ = true;
  cut_in_ = 0;
}

bool FaultPlan::powered() const {
  const std::lock_guard lock(mutex_);
  return powered_;
}

std::uint64_t FaultPlan::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::uint64_t FaultPlan::calls(VfsCall call) const {
  const std::lock_guard lock(mutex_);
  return calls_by_kind_[static_cast<std::size_t>(call)];
}

void FaultPlan::reset_calls() {
  const std::lock_guard lock(mutex_);
  calls_ = 0;
  calls_by_kind_.fill(0);
  trace_hash_ = 0;
}

std::uint64_t FaultPlan::trace_hash() const {
  const std::lock_guard lock(mutex_);
  return trace_hash_;
}

void FaultPlan::watch_root(const std::string& root) {
  const std::lock_guard lock(mutex_);
  roots_.emplace_back(root, SyncCount{});
}

SyncCount FaultPlan::syncs(const std::string& root) const {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(roots_.begin(), roots_.end(), [&](const auto& r) { return r.first == root; });
  return found == roots_.end() ? SyncCount{} : found->second;
}

void FaultPlan::delay_syncs(std::chrono::milliseconds delay) {
  const std::lock_guard lock(mutex_);
  sync_delay_ = delay;
}

void FaultPlan::hang_calls(const std::string& prefix) {
  const std::lock_guard lock(mutex_);
  hung_.push_back(prefix);
}

void FaultPlan::release_calls(const std::string& prefix) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(hung_, prefix);
  }
  released_.notify_all();
}

FaultPlan::Verdict FaultPlan::begin(VfsCall call, std::string_view path, std::string_view other) {
  const bool is_sync = call == VfsCall::sync_data || call == VfsCall::directory_sync;
  std::unique_lock lock(mutex_);
  wait_while_hung(lock, path);
  if (is_sync && sync_delay_.count() > 0 && powered_) {
    const std::chrono::milliseconds delay = sync_delay_;
    lock.unlock();
    std::this_thread::sleep_for(delay);
    lock.lock();
  }
  if (!powered_) {
    return {Error{Errc::io_error, EIO, "power is off"}, false, true};
  }
  count(call, path, other);
  if (cut_in_ > 0 && --cut_in_ == 0) {
    powered_ = false;
    return {Error{Errc::io_error, EIO, "power cut"}, cut_after_effect_, true};
  }
  return judge(call, path, other);
}

void FaultPlan::wait_while_hung(std::unique_lock<std::mutex>& lock, std::string_view path) {
  released_.wait(lock, [&] {
    return std::none_of(hung_.begin(), hung_.end(),
                        [&](const std::string& prefix) { return is_below(path, prefix); });
  });
}

void FaultPlan::count(VfsCall call, std::string_view path, std::string_view other) {
  ++calls_;
  ++calls_by_kind_[static_cast<std::size_t>(call)];
  const char kind = static_cast<char>(call);
  trace_hash_ = hash_more(hash_more(hash_more(trace_hash_, {&kind, 1}), path), other);
  for (auto& [root, syncs] : roots_) {
    if (is_below(path, root)) {
      syncs.data += call == VfsCall::sync_data ? 1 : 0;
      syncs.directory += call == VfsCall::directory_sync ? 1 : 0;
    }
  }
}

FaultPlan::Verdict FaultPlan::judge(VfsCall call, std::string_view path, std::string_view other) {
  Verdict verdict;
  for (Fault& fault : faults_) {
    const bool right_call = !fault.call || *fault.call == call;
    const bool right_path = path.starts_with(fault.path_prefix) ||
                            (!other.empty() && other.starts_with(fault.path_prefix));
    if (!right_call || !right_path || fault.nth == 0) {
      continue;
    }
    if (fault.nth > 1) {
      --fault.nth;
      continue;
    }
    fault.nth = fault.forever ? 1 : 0;
    if (!verdict.error) {
      verdict = {fault.error, fault.after_effect, false};
    }
  }
  std::erase_if(faults_, [](const Fault& fault) { return fault.nth == 0; });
  return verdict;
}

}  // namespace mote::sim
