#pragma once

#include <span>
#include <utility>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/meta/commit_seq.h"
#include "erasure/meta/row_batch.h"
#include "erasure/set/commit.h"

namespace mote::erasure {

/// Makes one drive's redo rows of a commit out of other drives' rows of the same commit. Start-up
/// needs it to complete a commit that some drives logged and others did not (storage.md 3.5 step
/// 3).
class RowRebuilder {
 public:
  virtual ~RowRebuilder() = default;
  /// `rows`: encoded RowBatches by slot, at least k of them, each as read from that drive's log
  /// (verified). Returns what Commit::render(seq, target, ...) gave or would have given. Pure;
  /// thread-safe. Errors: corrupt (rows do not agree or do not decode), read_quorum (too few inline
  /// shards, or a shard file that the target lacks: the drive is then opened as healing instead).
  virtual Result<RowBatch> rebuild(CommitSeq seq, Slot target,
                                   std::span<const std::pair<Slot, ByteView>> rows) const = 0;
};

}  // namespace mote::erasure
