#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"
#include "erasure/meta/commit_seq.h"
#include "erasure/meta/row_batch.h"

namespace mote::erasure {

/// A point-in-time view of one drive's index: several reads that belong together (head and
/// payload). Cheap; hold it briefly. Must not outlive the Index.
class IndexSnapshot {
 public:
  virtual ~IndexSnapshot() = default;
};

/// Whether a read may wait for the device.
enum class ReadTier : std::uint8_t {
  memory,  ///< only what is in memory; anything else answers Errc::timed_out at once ("would
           ///< block")
  device,
};

/// Walks rows in key order. Not thread-safe; holds its own snapshot.
class IndexCursor {
 public:
  virtual ~IndexCursor() = default;
  /// First row with key >= `key` (within the bounds given at creation).
  virtual void seek(std::string_view key) = 0;
  virtual void next() = 0;
  [[nodiscard]] virtual bool valid() const = 0;
  /// Views that live until the cursor moves. REQUIRES valid().
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  /// ok at the end of the range; corrupt or io_error where the walk had to stop early. Check after
  /// !valid().
  [[nodiscard]] virtual Status status() const = 0;
};

/// The ordered tables of one drive. No durability of its own between flushes: the commit log is in
/// front of it (storage.md 2.6). All calls are thread-safe; device-tier calls block.
/// Errors: corrupt, io_error; "not there" is an empty optional, never an error.
class Index {
 public:
  virtual ~Index() = default;

  [[nodiscard]] virtual std::unique_ptr<IndexSnapshot> snapshot() const = 0;
  /// The value at `key`, pinned without a copy where possible. `at` null: latest.
  virtual Result<std::optional<Slice>> get(Family family, std::string_view key, ReadTier tier,
                                           const IndexSnapshot* at = nullptr) const = 0;
  /// Rows in [lower, upper); empty `upper`: to the end. `scan` marks long background walks that
  /// must not displace the block cache.
  [[nodiscard]] virtual std::unique_ptr<IndexCursor> cursor(
      Family family, std::string_view lower, std::string_view upper, bool scan,
      const IndexSnapshot* at = nullptr) const = 0;
  /// Applies encoded row batches in order as one atomic write and moves `applied` to `last` in
  /// every family.
  virtual Status apply(const std::vector<ByteView>& batches, CommitSeq last) = 0;
  /// Everything applied becomes durable in all families. Blocks long.
  virtual Status flush() = 0;
  /// Highest sequence applied (volatile), and the minimum over all families of what is persisted:
  /// replay starts and the log may be recycled there.
  [[nodiscard]] virtual CommitSeq applied() const = 0;
  [[nodiscard]] virtual CommitSeq persisted() const = 0;
  /// A background error that made the index read-only, if any; reads go on.
  [[nodiscard]] virtual Status health() const = 0;
};

}  // namespace mote::erasure
