#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "erasure/log/decision.h"
#include "tests/erasure/log/model_drive.h"

namespace mote::erasure::test {

/// A rule that is broken on purpose, to see that the model notices.
enum class Broken : std::uint8_t {
  nothing,
  quorum_off_by_one,     ///< a drive may be expelled although only W remain
  expel_without_cfg,     ///< the others go on without it and write no record
  ack_before_synced,     ///< a written group counts as synced
  late_mark_in_doubt,    ///< groups claim that everything numbered is decided
  recovery_marks_end,    ///< the new configuration's group claims that `end` is decided
  apply_before_decided,  ///< a start applies above the floor before the configuration is synced
  forward_voided,        ///< replay takes everything that is in the log
  ignore_marks,          ///< marks and `applied` of others are not asked
  ignore_epoch,          ///< configurations of failed and finished recoveries are not seen
  no_promise,            ///< the epoch is not promised before it is used
  serve_before_synced,   ///< serving begins before all members have the configuration
  rejoin_as_current,     ///< who was away comes back trusted
  rejoin_in_old_log,     ///< who was away goes on in the log it has
  damage_is_torn_tail,   ///< a damaged log passes for a short one
  count_
};

/// One step of a history. What does not apply in the state that it meets does nothing, so that any
/// part of a history is a history.
struct Step {
  enum class Op : std::uint8_t {
    submit,
    write,
    sync,
    hang,
    answer_late,
    mark,
    flush,
    join,
    heal,
    copy,
    settle,
    crash,
    count_
  };
  Op op = Op::submit;
  std::uint64_t arg = 0;
};

/// A set of abstract drives driven by the real rules, with an oracle beside it.
class ModelSet {
 public:
  ModelSet(SetGeometry geometry, Broken broken);
  void step(const Step& step);
  /// What went wrong first, if anything.
  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }
  /// One line: whether it serves, and each drive's log, index and faults.
  [[nodiscard]] std::string describe() const;
  struct Tally {
    std::uint64_t acknowledged = 0, served = 0, read_only = 0, refused = 0, expelled = 0,
                  rolled_forward = 0, voided = 0, crashed_inside = 0, healed = 0, frozen = 0;
  };
  [[nodiscard]] const Tally& tally() const { return tally_; }

 private:
  /// Takes choices out of a step's argument.
  class Choice {
   public:
    explicit Choice(std::uint64_t arg) : state_(arg) {}
    std::uint64_t below(std::uint64_t bound) {
      state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
      return (state_ >> 33) % bound;
    }
    Slot slot(const ModelSet& set) { return static_cast<Slot>(below(set.drives_.size())); }

   private:
    std::uint64_t state_;
  };

  // While serving.
  void submit(Choice choice);
  void write(Slot slot, Choice choice);
  void sync(Slot slot);
  void hang(Slot slot, Choice choice);
  void answer_late(Slot slot);
  void mark(Slot slot);
  void join(Slot slot);
  void heal(Slot slot);
  void settle();
  void enqueue(const ModelEntry& entry);
  void report_synced(Slot slot, const ModelGroup& group);
  void acknowledge();

  // Stops and starts.
  void crash(Choice choice);
  void take_faults(Choice choice);
  void take_fault(Slot slot, Choice choice);
  [[nodiscard]] bool copy_is_detectable(Slot slot) const;
  void recover(Choice choice);
  [[nodiscard]] RecoveryInput make_input() const;
  bool check_outcome(const RecoveryPlan& plan);
  bool carry_out(const RecoveryPlan& plan, Choice choice);
  bool sync_promises(const RecoveryPlan& plan, Choice& choice);
  bool sync_configuration(const RecoveryPlan& plan, const Configuration& configuration,
                          Choice& choice);
  bool land_or_crash(Slot slot, const ModelGroup& group, Choice& choice);
  void replay(const RecoveryPlan& plan, CommitSeq up_to, Choice& choice);
  void check_content(SlotSet current, bool settles);
  void start_serving(const RecoveryPlan& plan, const Configuration& configuration);
  [[nodiscard]] Configuration configuration_of(const RecoveryPlan& plan) const;
  void crash_inside(Choice& choice);

  [[nodiscard]] SetGeometry tracker_geometry() const;
  [[nodiscard]] SlotSet intact_slots() const;
  [[nodiscard]] CommitSeq mark_now() const;
  [[nodiscard]] bool in_bounds() const;
  [[nodiscard]] std::set<CommitSeq> visible() const;
  [[nodiscard]] unsigned shards_of(CommitSeq seq) const;
  void fail(const std::string& what);

  const SetGeometry geometry_;
  const Broken broken_;
  std::vector<ModelDrive> drives_;
  std::unique_ptr<DecisionTracker> tracker_;  ///< null while down
  SlotSet trusted_;    ///< current in every configuration that can be in force, for fault counting
  SlotSet ghosts_;     ///< expelled without a record (Broken::expel_without_cfg)
  bool over_ = false;  ///< more was lost than can be told: numbers may come twice, stop judging
  std::uint64_t crash_bound_ = 10;  ///< a step of a start ends in a crash in two of so many cases
  bool old_copy_ = false;           ///< a copy was put back since the last start

  std::set<CommitSeq> commits_;  ///< all that were ever numbered
  std::set<CommitSeq> acknowledged_;
  std::map<CommitSeq, bool> settled_;  ///< seen after a start: there, or void
  CommitSeq acknowledged_up_to_;
  std::optional<std::string> violation_;
  Tally tally_;
};

}  // namespace mote::erasure::test
