#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "erasure/meta/record.h"
#include "erasure/set/set_context.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Shard files of one body, durable by name on the drives in `holders` (INV-2) and referred to by
/// nothing yet. Unless kept, its destruction removes them.
class StoredFiles {
 public:
  StoredFiles() = default;
  ~StoredFiles();
  StoredFiles(const StoredFiles&) = delete;
  StoredFiles& operator=(const StoredFiles&) = delete;

  /// A commit refers to the files (or may): they stay.
  void keep() noexcept;

  std::uint64_t bytes = 0;
  Layout layout;
  std::vector<LocalExtent> locals;  ///< by slot; absent where the drive is no holder
  SlotMask holders = 0;

 private:
  friend class ShardStream;
  struct Written {
    std::shared_ptr<Drive> drive;
    std::unique_ptr<ShardFileWriter> writer;
  };
  std::vector<Written> files_;
};

/// Spreads a body over one shard file per drive, stripe by stripe, on the drives' write threads. A
/// drive that fails or hangs is reported and left behind as long as W others go on.
class ShardStream final : public Abandonable, public std::enable_shared_from_this<ShardStream> {
 public:
  ShardStream(std::shared_ptr<SetContext> context, std::shared_ptr<const Members> members,
              const ShardFileHeader& header, std::uint16_t set_id);

  /// Encodes and queues one stripe; `done` when there is room for the next. One at a time.
  void push(Buffer stripe, Completion<void> done);
  /// After the last stripe: everything synced, the names too. Errors: write_quorum, no_space.
  void finish(Completion<std::shared_ptr<StoredFiles>> done);
  /// Nobody wants the body any more: what is written is removed, and who waits gets `cancelled`.
  void abandon() override;

 private:
  struct Lane {
    std::shared_ptr<Drive> drive;  ///< null: not asked, or given up
    std::unique_ptr<ShardFileWriter> writer;
    std::deque<Slice> queue;
    bool busy = false;     ///< a task of this lane is posted or runs
    bool running = false;  ///< ... runs
    Clock::Steady since;   ///< when it was posted, then when it started
    bool finished = false;
  };
  static constexpr std::size_t kQueuedStripesMax = 4;  // per drive; bounds the memory of a body
  static constexpr std::uint64_t kEarlySyncStripes =
      16;  // so that finish() has little left to sync

  void kick(Slot slot);
  void run(Slot slot);
  Status work_on(Lane& lane, Drive& drive, Slot slot, const Slice& shard);
  void step_done(Slot slot, const Status& status, bool finished);
  void lane_failed(Slot slot, Error error);
  void settle();
  void watch();
  void look_after_lanes();
  [[nodiscard]] std::vector<Slot> hung_lanes();
  [[nodiscard]] unsigned live() const;
  [[nodiscard]] Error verdict() const;
  [[nodiscard]] std::shared_ptr<StoredFiles> collect();
  static void drop(Lane& lane);

  const std::shared_ptr<SetContext> context_;
  const std::shared_ptr<const Members> members_;
  const ShardFileHeader header_;
  const Layout layout_;

  std::mutex mutex_;
  std::vector<Lane> lanes_;
  std::uint64_t stripes_ = 0;
  unsigned full_ = 0;  ///< lanes that ended for lack of space
  bool finishing_ = false;
  bool abandoned_ = false;
  bool watching_ = false;
  Completion<void> room_;
  Completion<std::shared_ptr<StoredFiles>> done_;
};

/// The BodySink of an erasure set. `stream` is null for an empty body.
class ShardSink final : public BodySink {
 public:
  ShardSink(std::shared_ptr<ShardStream> stream, std::uint64_t bytes, std::uint32_t stripe_bytes,
            std::stop_token stop);
  ~ShardSink() override;
  void append(Buffer bytes, Completion<void> done) override;
  [[nodiscard]] std::uint64_t bytes() const override;
  /// The files of all announced bytes. Errors: invalid_argument (bytes are missing), and
  /// ShardStream's.
  void finish(Completion<std::shared_ptr<StoredFiles>> done);

 private:
  class Feed;
  const std::shared_ptr<Feed> feed_;
};

/// Opens a sink for an object or part of `bucket`; for no bytes, one that stores nothing. Errors:
/// write_quorum, no_space.
Result<std::unique_ptr<ShardSink>> open_shard_sink(const std::shared_ptr<SetContext>& context,
                                                   const BucketInfo& bucket, std::uint64_t bytes,
                                                   std::stop_token stop);

}  // namespace mote::erasure
