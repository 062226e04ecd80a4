#pragma once

#include <cstdint>
#include <functional>

#include "erasure/drive/index.h"
#include "erasure/log/log_reader.h"

namespace mote::erasure {

/// Applies to `index` what `log` has above its `persisted` and for which `counts(seq)` holds, in
/// order, in batches of about `batch_bytes`. Blocks. Complete and physical rows, so applying again
/// is harmless. Errors: corrupt, io_error.
Status replay_log(LogReader& log, Index& index, std::uint64_t batch_bytes,
                  const std::function<bool(CommitSeq)>& counts);

}  // namespace mote::erasure
