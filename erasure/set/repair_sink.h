#pragma once

#include <string>

#include "erasure/meta/row_batch.h"

namespace mote::erasure {

/// A row of which some drive's copy or shard is missing or does not verify.
struct DamagedRow {
  Family family = Family::obj;
  std::string row;  ///< its key in the index
};

/// Where reads and commits leave what they found damaged (storage.md 3.6): it is repaired later, in
/// the background; nothing waits for it and nothing fails because of it.
class RepairSink {
 public:
  virtual ~RepairSink() = default;
  /// Thread-safe, quick; a row that is queued already is not queued twice, and beyond a bound rows
  /// are dropped (the next read or heal finds them again).
  virtual void enqueue(DamagedRow row) = 0;
};

}  // namespace mote::erasure
