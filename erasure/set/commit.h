#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "erasure/base/unique_function.h"
#include "erasure/meta/commit_seq.h"
#include "erasure/meta/row_batch.h"

namespace mote::erasure {

/// Position of a drive in its set, fixed at format: 0 .. k+m-1.
using Slot = std::uint8_t;
/// One bit per slot.
using SlotMask = std::uint16_t;

/// One atomic change of a set, as an operation hands it to the pipeline. Immutable once submitted.
class Commit {
 public:
  virtual ~Commit() = default;
  /// The redo rows for the drive in `slot`: records stamped with `seq`, that drive's shards. Pure;
  /// called at least once per member, on the drives' log threads, concurrently, after the sequence
  /// is known.
  virtual void render(CommitSeq seq, Slot slot, RowBatch& rows) const = 0;
  /// About how many bytes render() makes per drive: bounds the queues (INV-12).
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Drives that durably hold every shard file that the commit refers to (INV-2); all bits set when
  /// it refers to none. Members outside do not count to W.
  [[nodiscard]] virtual SlotMask holders() const { return static_cast<SlotMask>(~SlotMask{0}); }
  /// True for what gives space back (deletes, aborts, garbage): taken even when the set is full.
  [[nodiscard]] virtual bool frees_space() const { return false; }
};

/// The one commit function (INV-8): numbers, logs, decides and applies (storage.md 3.4).
class CommitSink {
 public:
  virtual ~CommitSink() = default;
  /// Queues the commit to all members' logs in one step. `done` runs once, on an engine thread,
  /// when the commit is decided and applied on all members (then it may be acknowledged and is
  /// visible), or with write_quorum (not queued: nothing will come of it), overloaded (queues full,
  /// not queued), no_space or shutting_down. While the set is frozen a queued commit waits; it is
  /// never reported as failed and then decided. Submitting order is sequence order; callers hold
  /// the key locks until `done`.
  virtual void submit(std::shared_ptr<const Commit> commit, Completion<CommitSeq> done) = 0;
};

}  // namespace mote::erasure
