#include "erasure/log/recovery.h"

#include <optional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace mote::erasure {
namespace {

/// One drive in a row. `last` is the last number of epoch 1 in its log, `mark` the decided mark in
/// it, `cfgs` how many of the row's configurations it holds, `from` the first of them (a fresh
/// log).
struct Disk {
  SlotCondition condition = SlotCondition::readable;
  std::uint64_t last = 0;
  std::uint64_t mark = 0;
  std::uint64_t cfgs = 1;
  std::uint64_t from = 0;
};

constexpr Disk kAbsent = {SlotCondition::absent};
constexpr Disk kBlank = {SlotCondition::blank};

Disk log(std::uint64_t last, std::uint64_t mark, std::uint64_t cfgs = 1, std::uint64_t from = 0) {
  return {SlotCondition::readable, last, mark, cfgs, from};
}
Disk damaged(std::uint64_t last, std::uint64_t mark) {
  return {SlotCondition::damaged, last, mark, 1, 0};
}

struct Row {
  std::string_view name;
  SetGeometry geometry;
  std::vector<Configuration> later;  ///< configurations of epoch 1 after the first
  std::vector<Disk> disks;
  std::string_view outcome;  ///< serve, read_only, or the refusal
  std::uint64_t end;
  SlotSet current, healing;  ///< serve: of the new configuration. Else: current = missing
};

SlotInput make_slot(const Disk& disk, const std::vector<Configuration>& all) {
  SlotInput in;
  in.condition = disk.condition;
  if (disk.last == 0) {
    return in;
  }
  in.configurations.assign(all.begin() + static_cast<std::ptrdiff_t>(disk.from),
                           all.begin() + static_cast<std::ptrdiff_t>(disk.from + disk.cfgs));
  in.entries = {{1, in.configurations.front().seq.n, disk.last}};
  in.decided = {1, disk.mark};
  return in;
}

std::string_view outcome_of(const RecoveryPlan& plan) {
  switch (plan.outcome) {
    case RecoveryOutcome::serve:
      return "serve";
    case RecoveryOutcome::read_only:
      return "read_only";
    case RecoveryOutcome::refuse:
      return to_string(plan.refusal);
  }
  return "?";
}

void check(const Row& row) {
  const std::string name(row.name);
  CAPTURE(name);
  std::vector<Configuration> all = {first_configuration(row.geometry)};
  all.insert(all.end(), row.later.begin(), row.later.end());
  RecoveryInput input;
  input.geometry = row.geometry;
  for (const Disk& disk : row.disks) {
    input.slots.push_back(make_slot(disk, all));
  }
  const RecoveryPlan plan = plan_recovery(input);
  CHECK(std::string(outcome_of(plan)) == std::string(row.outcome));
  if (plan.outcome == RecoveryOutcome::serve) {
    CHECK(plan.new_epoch == 2);
    CHECK(plan.end == CommitSeq{1, row.end});
    CHECK(plan.configuration.end == plan.end);
    CHECK(to_string(plan.configuration.current) == to_string(row.current));
    CHECK(to_string(plan.configuration.healing) == to_string(row.healing));
    CHECK(plan.configuration.away ==
          SlotSet::first(row.geometry.drives()) - row.current - row.healing);
    CHECK(plan.counts(plan.end));
    CHECK_FALSE(plan.counts(plan.end.next()));
  } else {
    CHECK(to_string(plan.missing) == to_string(row.current));
  }
}

// Expels slot 2 as number 6; admits it again as number 8; both of a set of three.
const Configuration kWithout2 = {{1, 6}, {}, {0, 1}, {}, {2}};
const Configuration kHealing2 = {{1, 8}, {}, {0, 1}, {2}, {}};
// Expels slot 3 of four as number 6.
const Configuration kWithout3 = {{1, 6}, {}, {0, 1, 2}, {}, {3}};

TEST_CASE("recovery: the rules row by row") {
  const Row rows[] = {
      // clang-format off
      // name                              k  m   later         disks                                                      outcome           end  current    healing
      {"all the same",                    {2, 1}, {},           {log(5, 5), log(5, 5), log(5, 5)},                         "serve",            5, {0, 1, 2}, {}},
      {"on all, no mark says so",         {2, 1}, {},           {log(5, 1), log(5, 1), log(5, 1)},                         "serve",            5, {0, 1, 2}, {}},
      {"one is short: never acknowledged",{2, 1}, {},           {log(9, 4), log(9, 4), log(5, 4)},                         "serve",            5, {0, 1, 2}, {}},
      {"one away: may be acknowledged",   {2, 1}, {},           {log(9, 4), log(9, 4), kAbsent},                           "serve",            9, {0, 1},    {}},
      {"away, and one short",             {2, 1}, {},           {log(9, 4), log(7, 4), kAbsent},                           "serve",            7, {0, 1},    {}},
      {"two of three away",               {2, 1}, {},           {log(9, 4), kAbsent, kAbsent},                             "undecodable",      0, {1, 2},    {}},
      {"two away, nothing in doubt",      {2, 1}, {},           {log(9, 9), kAbsent, kAbsent},                             "too_few_drives",   0, {1, 2},    {}},
      {"ends below a mark: lost it",      {2, 1}, {},           {log(9, 8), log(9, 8), log(5, 4)},                         "serve",            9, {0, 1},    {2}},
      {"a blank one proves nothing",      {2, 1}, {},           {log(9, 4), log(9, 4), kBlank},                            "serve",            9, {0, 1},    {2}},
      {"a damaged one proves nothing",    {2, 1}, {},           {log(9, 4), log(9, 4), damaged(5, 4)},                     "serve",            9, {0, 1},    {2}},
      {"the mark in a damaged log counts",{2, 1}, {},           {log(9, 4), log(5, 4), damaged(9, 9)},                     "too_few_drives",   0, {1, 2},    {}},
      {"expelled, and all others know",   {2, 1}, {kWithout2},  {log(9, 1, 2), log(9, 1, 2), log(5, 1)},                   "serve",            9, {0, 1},    {2}},
      {"expelled, and one does not know", {2, 1}, {kWithout2},  {log(9, 1, 2), log(5, 1), log(4, 1)},                      "serve",            4, {0, 1, 2}, {}},
      {"expelled, only one who knows",    {2, 1}, {kWithout2},  {log(9, 1, 2), kAbsent, log(5, 1)},                        "undecodable",      0, {1},       {}},
      {"expelled, nobody here who knows", {2, 1}, {kWithout2},  {kAbsent, log(5, 1), log(5, 1)},                           "serve",            5, {1, 2},    {}},
      {"joined, before it had anything",  {2, 1}, {kWithout2, kHealing2}, {log(8, 7, 3), log(8, 7, 3), log(5, 1)},         "serve",            8, {0, 1},    {2}},
      {"joined, and it has less",         {2, 1}, {kWithout2, kHealing2}, {log(9, 7, 3), log(9, 7, 3), log(8, 7, 1, 2)},   "serve",            8, {0, 1},    {2}},
      {"joined, one current away",        {2, 1}, {kWithout2, kHealing2}, {log(9, 7, 3), kAbsent, log(9, 7, 1, 2)},        "serve",            9, {0},       {2}},
      {"joined, no current one left",     {2, 1}, {kWithout2, kHealing2}, {kAbsent, kAbsent, log(9, 7, 1, 2)},             "undecodable",      0, {0, 1},    {}},
      {"1+0",                             {1, 0}, {},           {log(9, 4)},                                               "serve",            9, {0},       {}},
      {"1+0 damaged",                     {1, 0}, {},           {damaged(9, 4)},                                           "log_damaged",      0, {0},       {}},
      {"1+1 whole",                       {1, 1}, {},           {log(9, 4), log(8, 4)},                                    "serve",            8, {0, 1},    {}},
      {"1+1 half: read only",             {1, 1}, {},           {log(9, 4), kAbsent},                                      "read_only",        0, {1},       {}},
      {"1+1 replaced: the other leads",   {1, 1}, {},           {log(9, 4), kBlank},                                       "serve",            9, {0},       {1}},
      {"2+2 two away: read only",         {2, 2}, {},           {log(9, 4), kAbsent, kAbsent, log(9, 4)},                  "read_only",        0, {1, 2},    {}},
      {"2+2 one expelled, one away",      {2, 2}, {kWithout3},  {log(9, 4, 2), log(9, 4, 2), kAbsent, log(5, 4)},          "serve",            9, {0, 1},    {3}},
      {"2+2 three away",                  {2, 2}, {},           {log(9, 4), kAbsent, kAbsent, kAbsent},                    "undecodable",      0, {1, 2, 3}, {}},
      {"all blank, one absent",           {2, 1}, {},           {kBlank, kBlank, kAbsent},                                 "no_configuration", 0, {2},       {}},
      {"all absent",                      {2, 1}, {},           {kAbsent, kAbsent, kAbsent},                               "no_configuration", 0, {0, 1, 2}, {}},
      // clang-format on
  };
  for (const Row& row : rows) {
    check(row);
  }
}

/// A drive of 2+1 that went through epoch 1 up to `last` and holds `next`, too, if that is given.
SlotInput after_restart(std::uint64_t last, const Configuration* next, std::uint64_t next_last) {
  SlotInput in;
  in.condition = SlotCondition::readable;
  in.configurations = {first_configuration({2, 1})};
  in.entries = {{1, 1, last}};
  in.decided = {1, 3};
  in.promise = 2;
  if (next != nullptr) {
    in.configurations.push_back(*next);
    in.entries.push_back({2, 1, next_last});
  }
  return in;
}

TEST_CASE("recovery: the newest epoch that all its present members hold is in force") {
  const Configuration next = {{2, 1}, {1, 7}, {0, 1}, {}, {2}};
  struct Case {
    const char* name;
    SlotInput slots[3];
    CommitSeq end;
    SlotSet current, healing;
  };
  const Case cases[] = {
      {"all members hold it: what epoch 1 has beyond its end is void",
       {after_restart(9, &next, 4), after_restart(7, &next, 4), after_restart(9, nullptr, 0)},
       {2, 4},
       {0, 1},
       {2}},
      {"one member does not: that start never came to serve",
       {after_restart(9, &next, 1), after_restart(9, nullptr, 0), after_restart(9, nullptr, 0)},
       {1, 9},
       {0, 1, 2},
       {}},
      {"the member that does not is away: it may have",
       {after_restart(9, &next, 1), {}, after_restart(9, nullptr, 0)},
       {},
       {},
       {}},
  };
  for (const Case& c : cases) {
    const std::string name(c.name);
    CAPTURE(name);
    const RecoveryPlan plan = plan_recovery({{2, 1}, {c.slots[0], c.slots[1], c.slots[2]}});
    CHECK(plan.new_epoch == 3);
    if (c.current.empty()) {
      CHECK(plan.outcome == RecoveryOutcome::refuse);
      CHECK(to_string(plan.missing) == "{1}");
      continue;
    }
    REQUIRE(plan.outcome == RecoveryOutcome::serve);
    CHECK(plan.end == c.end);
    CHECK(to_string(plan.configuration.current) == to_string(c.current));
    CHECK(to_string(plan.configuration.healing) == to_string(c.healing));
    CHECK(plan.counts({1, 7}));
    CHECK(plan.counts({1, 8}) == (c.end.epoch == 1));
    CHECK(plan.counts({2, 1}) == (c.end.epoch == 2));
  }
}

TEST_CASE("recovery: a first format that was cut off behind its labels is carried out") {
  SlotInput blank;
  blank.condition = SlotCondition::blank;
  for (const SetGeometry geometry :
       {SetGeometry{1, 0}, SetGeometry{1, 1}, SetGeometry{2, 1}, SetGeometry{4, 2}}) {
    const std::string drives = to_string(SlotSet::first(geometry.drives()));
    CAPTURE(drives);
    const std::vector<SlotInput> slots(geometry.drives(), blank);
    const RecoveryPlan plan = plan_recovery({geometry, slots});
    REQUIRE(plan.outcome == RecoveryOutcome::serve);
    CHECK(plan.configuration == first_configuration(geometry));
    CHECK(plan.new_epoch == 1);
    CHECK(plan.floor.is_zero());
    for (const SlotPlan& slot : plan.slots) {
      CHECK(slot.state == DriveState::current);
      CHECK(slot.fresh_log);
    }
    // Some logs were begun.
    std::vector<SlotInput> begun = slots;
    for (Slot slot = 0; slot + 1U < geometry.drives(); ++slot) {
      CAPTURE(slot);
      begun[slot].condition = SlotCondition::readable;
      begun[slot].configurations = {first_configuration(geometry)};
      begun[slot].entries = {{1, 1, 1}};
      begun[slot].promise = 1;
      const RecoveryPlan rest = plan_recovery({geometry, begun});
      REQUIRE(rest.outcome == RecoveryOutcome::serve);
      CHECK(rest.configuration == first_configuration(geometry));
      // Not if one of them went on: then the blank ones were replaced and are healed.
      std::vector<SlotInput> used = begun;
      used[slot].entries = {{1, 1, 2}};
      CHECK_FALSE(plan_recovery({geometry, used}).configuration == first_configuration(geometry));
      used = begun;
      used[slot].decided = {1, 1};
      CHECK_FALSE(plan_recovery({geometry, used}).configuration == first_configuration(geometry));
    }
    // Anything that a set in use leaves behind, on any drive, forbids it.
    for (const Slot slot : {Slot{0}, static_cast<Slot>(geometry.drives() - 1)}) {
      CAPTURE(slot);
      std::vector<SlotInput> used = slots;
      used[slot].applied = {1, 1};
      CHECK(plan_recovery({geometry, used}).refusal == Refusal::no_configuration);
      used = slots;
      used[slot].promise = 1;
      CHECK(plan_recovery({geometry, used}).refusal == Refusal::no_configuration);
      used = slots;
      used[slot].condition = SlotCondition::damaged;
      CHECK(plan_recovery({geometry, used}).outcome == RecoveryOutcome::refuse);
      used[slot].condition = SlotCondition::absent;
      CHECK(plan_recovery({geometry, used}).refusal == Refusal::no_configuration);
    }
  }
}

TEST_CASE("recovery: a promise is passed over, wherever it was seen") {
  SlotInput promised = after_restart(5, nullptr, 0);
  promised.promise = 9;
  const SlotInput other = after_restart(5, nullptr, 0);
  CHECK(plan_recovery({{2, 1}, {other, promised, other}}).new_epoch == 10);
  promised.condition = SlotCondition::damaged;
  CHECK(plan_recovery({{2, 1}, {other, promised, other}}).new_epoch == 10);
  promised.condition = SlotCondition::absent;
  CHECK(plan_recovery({{2, 1}, {other, promised, other}}).new_epoch == 3);
}

TEST_CASE("recovery: a fresh log of a start that failed proves nothing about what was before") {
  // Slot 2 was away; a start began its log anew with epoch 2 and died before slots 0 and 1 had it.
  const Configuration next = {{2, 1}, {1, 9}, {0, 1}, {2}, {}};
  SlotInput fresh;
  fresh.condition = SlotCondition::readable;
  fresh.configurations = {next};
  fresh.entries = {{2, 1, 1}};
  fresh.promise = 2;
  const SlotInput old = after_restart(9, nullptr, 0);
  const RecoveryPlan plan = plan_recovery({{2, 1}, {old, old, fresh}});
  REQUIRE(plan.outcome == RecoveryOutcome::serve);
  CHECK(plan.end == CommitSeq{1, 9});
  CHECK(to_string(plan.configuration.current) == "{0,1}");
  CHECK(to_string(plan.configuration.healing) == "{2}");
  CHECK(plan.slots[2].fresh_log);
}

TEST_CASE("recovery: 1+0 goes on behind a damaged log only when told to") {
  SlotInput in = after_restart(5, nullptr, 0);
  in.condition = SlotCondition::damaged;
  RecoveryInput input{{1, 0}, {in}};
  input.slots[0].configurations = {first_configuration({1, 0})};
  CHECK(plan_recovery(input).refusal == Refusal::log_damaged);
  input.accept_log_loss = true;
  const RecoveryPlan plan = plan_recovery(input);
  REQUIRE(plan.outcome == RecoveryOutcome::serve);
  CHECK(plan.end == CommitSeq{1, 5});
  CHECK(plan.slots[0].state == DriveState::current);
  CHECK(plan.slots[0].fresh_log);
}

TEST_CASE("recovery: an index that is not the one of its log makes the drive damaged") {
  const auto cfg_entry = [](CommitSeq seq, bool restated) {
    EntryRef ref;
    ref.kind = EntryKind::cfg;
    ref.seq = seq;
    ref.restated = restated;
    return ref;
  };
  const auto commit_entry = [](CommitSeq seq) {
    EntryRef ref;
    ref.seq = seq;
    return ref;
  };
  LogContents log;
  log.groups = 1;
  log.configurations = {first_configuration({2, 1})};
  SUBCASE("from the beginning: anything will do") {
    log.begins = true;
    log.entries = {cfg_entry({1, 1}, false), commit_entry({1, 2})};
    CHECK(summarize(log, {}, 0).condition == SlotCondition::readable);
    CHECK(summarize(log, {}, 0).entries == std::vector<EpochRange>{{1, 1, 2}});
  }
  SUBCASE("recycled: what was recycled must be applied") {
    log.entries = {cfg_entry({1, 1}, true), commit_entry({1, 7})};
    CHECK(summarize(log, {1, 5}, 0).condition == SlotCondition::damaged);
    CHECK(summarize(log, {1, 6}, 0).condition == SlotCondition::readable);
  }
  SUBCASE("became current: what was healed must be there") {
    log.begins = true;
    log.configurations = {kHealing2, {{1, 9}, {}, {0, 1, 2}, {}, {}}};
    log.entries = {cfg_entry({1, 8}, false), cfg_entry({1, 9}, false)};
    CHECK(summarize(log, {1, 7}, 2).condition == SlotCondition::damaged);
    CHECK(summarize(log, {1, 8}, 2).condition == SlotCondition::readable);
  }
  SUBCASE("a hole") {
    log.begins = true;
    log.entries = {cfg_entry({1, 1}, false), commit_entry({1, 3})};
    CHECK(summarize(log, {}, 0).condition == SlotCondition::damaged);
  }
  SUBCASE("nothing") {
    CHECK(summarize(LogContents{}, {}, 0).condition == SlotCondition::blank);
  }
  SUBCASE("rows and no log") {
    CHECK(summarize(LogContents{}, {1, 5}, 0).condition == SlotCondition::damaged);
  }
  SUBCASE("no group is intact and a later one was: not a drive that never had a log") {
    LogContents lost;
    lost.verdict = LogVerdict::damaged;
    CHECK(summarize(lost, {}, 0).condition == SlotCondition::damaged);
  }
}

}  // namespace
}  // namespace mote::erasure
