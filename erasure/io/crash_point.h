#pragma once

#include <cstdint>

namespace mote::erasure {

/// The named steps of the commit, start, heal and clean-up protocols at which a test may end the
/// process. Enumerated so that a test can prove that it reached every one.
enum class CrashPoint : std::uint8_t {
  shard_written,        ///< shard bytes written, not synced
  shard_synced,         ///< shard file synced, its name not
  shard_name_synced,    ///< arrival directory synced
  commit_queued,        ///< in the queues of all members
  log_written,          ///< a group is written, not synced
  log_synced,           ///< a group is synced on one drive
  commit_decided,       ///< synced on all members
  commit_applied,       ///< in the index of one drive
  commit_acknowledged,  ///< completion called
  segment_created,      ///< new log segment header synced
  cfg_queued,           ///< a configuration record is in the queues
  recovery_promised,    ///< a higher epoch is promised on all present drives
  recovery_forwarded,   ///< what may have been acknowledged is complete
  recovery_configured,  ///< the new configuration is synced
  heal_key_done,        ///< one key rebuilt
  heal_finished,        ///< second pass clean, the drive not yet current
  garbage_unlinked,     ///< a replaced shard file is gone, its gc row is not
  count_                // number of points
};

/// Called at each point; the product does nothing.
class CrashPoints {
 public:
  virtual ~CrashPoints() = default;
  virtual void reach(CrashPoint point) = 0;
};

}  // namespace mote::erasure
