#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "erasure/set/drive_opener.h"
#include "erasure/set/drive_set.h"
#include "erasure/set/pipeline_impl.h"
#include "erasure/set/recovery.h"
#include "erasure/set/set_identity.h"

namespace mote::erasure {

/// A path where a drive of the set is, was or may come to be.
struct Place {
  std::string path;
  std::optional<Slot> slot;           ///< known once a label was read there
  std::unique_ptr<Executor> visitor;  ///< its own thread: a path that hangs holds up no other
  bool visiting = false;
  Clock::Steady next_visit;
  std::uint32_t failures = 0;  ///< in a row; visits become rarer
};

/// The parts of a DriveSet. Tasks and timers hold it weakly or are ended by close().
class DriveSet::Impl : public std::enable_shared_from_this<DriveSet::Impl> {
 public:
  Impl(const SetEnvironment& environment, const SetOptions& options, SetHooks hooks);

  // drive_set.cc
  Status open(const std::vector<std::string>& paths, std::string& problem);
  void close();
  void release();
  void add_status(StoreStatus& status) const;
  [[nodiscard]] const SetOptions& options() const noexcept { return options_; }
  [[nodiscard]] CommitPipeline& pipeline() noexcept { return *pipeline_; }
  [[nodiscard]] const CommitPipeline& pipeline() const noexcept { return *pipeline_; }
  [[nodiscard]] const Uuid& deployment() const noexcept { return deployment_; }

  // drive_return.cc: drives that come back or are replaced.
  void replace(const std::string& path, Completion<void> done);

 private:
  Result<std::vector<Arrival>> arrive(const std::vector<Candidate>& candidates,
                                      std::string& problem);
  Result<std::shared_ptr<OpenDrive>> open_at(const std::string& path, Slot slot);
  void on_index_error(Slot slot, Error error);
  void start_heal(Slot slot);
  void note_shape(Slot slot, const OpenDrive& drive);
  [[nodiscard]] std::string path_of_locked(Slot slot) const;
  bool drain(Executor& executor, std::chrono::milliseconds limit);
  [[nodiscard]] std::shared_ptr<CommitPipeline::Impl> make_core(PipelineStart start);
  [[nodiscard]] std::shared_ptr<CommitPipeline::Impl> core() const;
  void set_core(std::shared_ptr<CommitPipeline::Impl> core);
  void begin_serving();
  void await_drives();

  // drive_watch.cc: what is checked every second.
  struct Health {
    std::atomic<bool> checking{false};
    std::atomic<std::uint64_t> total_bytes{0};
    std::atomic<std::uint64_t> free_bytes{0};
    std::atomic<bool> short_before{false};  ///< the last check found it short of space
    Clock::Steady since;                    ///< of the running check; only the watch timer uses it
  };
  void arm_watch();
  void on_watch();
  void watch_drive(Slot slot);
  void check_drive(Slot slot, const std::shared_ptr<OpenDrive>& drive);
  void judge_space(Slot slot, DriveState state);
  [[nodiscard]] bool is_short(Slot slot, std::uint32_t permille) const;

  // drive_return.cc
  void visit_places();
  void visit(Place& place);
  void revive(Place& place, Slot slot, const std::shared_ptr<OpenDrive>& drive);
  void take_back(Place& place);
  void admit(Place& place, Slot slot, std::shared_ptr<OpenDrive> drive, Completion<void> done);
  void left(Place& place, bool success);
  Place& place_at(const std::string& path);
  [[nodiscard]] bool is_ours(const Result<DriveProbe>& probe) const;
  [[nodiscard]] std::optional<Slot> slot_to_replace(const std::string& path);
  void format_and_admit(Place& place, Completion<void> done);
  Result<std::shared_ptr<OpenDrive>> format_at(const std::string& path, Slot slot);

  // drive_restart.cc: a set below W that gets its drives back.
  struct Adoption {
    std::string path;
    Completion<void> done;
    unsigned attempts = 0;
  };
  void post_restart(Adoption adoption);
  struct Census;
  void consider_restart();
  void restart(Adoption adoption);
  Status try_restart(const std::string& adopted);
  Census take_census();
  Status recover_with(const Census& census, const std::string& adopted, std::optional<Slot> blank);
  void follow(PipelineStart start);

  const SetEnvironment environment_;
  const SetOptions options_;
  Uuid deployment_{};
  std::shared_ptr<Executor> reaper_;
  std::unique_ptr<Executor> restarter_;
  const std::shared_ptr<LiveMembers> live_ = std::make_shared<LiveMembers>();
  mutable std::mutex core_mutex_;
  std::shared_ptr<CommitPipeline::Impl> core_;
  std::unique_ptr<CommitPipeline> pipeline_;

  std::mutex heal_mutex_;
  SetHooks hooks_;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::shared_ptr<Event>> open_drives_;  ///< to wait for when the set is closed
  bool restarting_ = false;
  Clock::Steady next_restart_;
  bool closing_ = false;
  bool released_ = false;
  Scheduler::TimerId watch_timer_ = 0;

  std::array<Health, kSlotsMax> health_;
};

}  // namespace mote::erasure
