#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "erasure/log/recovery.h"

namespace mote::erasure::test {

/// An entry of a model log. Payloads do not matter here.
struct ModelEntry {
  EntryKind kind = EntryKind::commit;
  CommitSeq seq;
  Configuration configuration;  ///< kind cfg

  static ModelEntry commit(CommitSeq seq) { return {EntryKind::commit, seq, {}}; }
  static ModelEntry cfg(const Configuration& c) { return {EntryKind::cfg, c.seq, c}; }
  static ModelEntry promise(std::uint32_t epoch) { return {EntryKind::promise, {epoch, 0}, {}}; }
};

struct ModelGroup {
  std::vector<ModelEntry> entries;
  CommitSeq decided;
  bool begins = false;  ///< first group of a fresh log: what was there before stops counting
};

/// What survives on a drive.
struct ModelDisk {
  std::vector<ModelGroup> log;
  bool begins = true;                ///< nothing was recycled
  std::optional<Configuration> cfg;  ///< restated at the head of what was not recycled
  std::uint32_t promise = 0;
  CommitSeq applied;           ///< of the index
  std::set<CommitSeq> rows;    ///< commits whose shard the index has
  bool damaged = false;        ///< a group in the middle does not verify
  std::size_t damaged_at = 0;  ///< it and what follows are not seen

  [[nodiscard]] bool has_log() const { return !log.empty(); }
  void land(const ModelGroup& group);
  void recycle();
  [[nodiscard]] CommitSeq end() const;
  [[nodiscard]] CommitSeq mark() const;
  [[nodiscard]] bool logged(CommitSeq seq) const;
  [[nodiscard]] LogContents contents() const;
  /// Applies what counts and is above `applied`.
  template <class Counts>
  void replay(Counts counts, CommitSeq end);
};

inline void ModelDisk::land(const ModelGroup& group) {
  if (group.begins) {
    log.clear();
    begins = true;
    cfg.reset();
    promise = 0;
    damaged = false;
  }
  log.push_back(group);
}

/// Drops whole groups that the index has, but never all of them (the last segment stays).
inline void ModelDisk::recycle() {
  while (log.size() > 1) {
    for (const ModelEntry& entry : log.front().entries) {
      if (entry.kind != EntryKind::promise && entry.seq > applied) {
        return;
      }
    }
    for (const ModelEntry& entry : log.front().entries) {
      if (entry.kind == EntryKind::cfg) {
        cfg = entry.configuration;
      } else if (entry.kind == EntryKind::promise) {
        promise = std::max(promise, entry.seq.epoch);
      }
    }
    begins = false;
    log.erase(log.begin());
  }
}

inline CommitSeq ModelDisk::end() const {
  CommitSeq last = applied;
  for (const ModelGroup& group : log) {
    for (const ModelEntry& entry : group.entries) {
      last = entry.kind == EntryKind::promise ? last : std::max(last, entry.seq);
    }
  }
  return last;
}

inline CommitSeq ModelDisk::mark() const {
  CommitSeq mark = applied;
  for (const ModelGroup& group : log) {
    mark = std::max(mark, group.decided);
  }
  return mark;
}

inline bool ModelDisk::logged(CommitSeq seq) const {
  for (const ModelGroup& group : log) {
    for (const ModelEntry& entry : group.entries) {
      if (entry.kind == EntryKind::commit && entry.seq == seq) {
        return true;
      }
    }
  }
  return false;
}

inline LogContents ModelDisk::contents() const {
  LogContents out;
  out.begins = begins;
  out.groups = log.size();
  out.promise = promise;
  out.verdict = damaged ? LogVerdict::damaged : LogVerdict::clean;
  if (cfg) {
    out.configurations.push_back(*cfg);
    EntryRef restated;
    restated.kind = EntryKind::cfg;
    restated.restated = true;
    restated.seq = cfg->seq;
    out.entries.push_back(restated);
  }
  for (std::size_t i = 0; i < log.size() && !(damaged && i >= damaged_at); ++i) {
    out.decided = std::max(out.decided, log[i].decided);
    for (const ModelEntry& entry : log[i].entries) {
      EntryRef ref;
      ref.kind = entry.kind;
      ref.seq = entry.seq;
      out.entries.push_back(ref);
      if (entry.kind == EntryKind::cfg) {
        out.configurations.push_back(entry.configuration);
      } else if (entry.kind == EntryKind::promise) {
        out.promise = std::max(out.promise, entry.seq.epoch);
      }
    }
  }
  return out;
}

template <class Counts>
void ModelDisk::replay(Counts counts, CommitSeq end) {
  const CommitSeq from = applied;
  for (const EntryRef& entry : contents().entries) {
    if (entry.restated || entry.kind == EntryKind::promise || entry.seq <= from ||
        entry.seq > end || !counts(entry.seq)) {
      continue;
    }
    if (entry.kind == EntryKind::commit) {
      rows.insert(entry.seq);
    }
    applied = std::max(applied, entry.seq);
  }
}

/// A drive of the model: what is durable, and what only its process knows.
struct ModelDrive {
  ModelDisk disk;
  bool present = true;
  bool hung = false;   ///< answers nothing for now
  bool intact = true;  ///< nothing was taken from the disk since it was last complete
  std::optional<ModelGroup> written;  ///< not synced: may land or not
  std::vector<ModelEntry> queue;
  bool fresh = false;  ///< its next group begins a log
  CommitSeq applied;   ///< volatile index
  std::set<CommitSeq> rows;
  std::optional<ModelDisk> copy;  ///< taken earlier; may be put back

  void forget() {  // the process ends
    queue.clear();
    hung = false;
    fresh = false;
    applied = disk.applied;
    rows = disk.rows;
  }
  void flush() {
    disk.applied = applied;
    disk.rows = rows;
    disk.recycle();
  }
};

}  // namespace mote::erasure::test
