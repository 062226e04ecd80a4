#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "erasure/set/object_rows.h"
#include "erasure/set/shard_gather.h"
#include "erasure/store.h"

namespace mote::erasure {

/// The shard files of one object version, held open for reading: pinned against garbage removal
/// until destroyed. Shared by the reads in flight. Thread-safe.
class ObjectFiles {
 public:
  ObjectFiles(std::shared_ptr<SetContext> context, std::shared_ptr<const Members> members,
              std::shared_ptr<const ObjectRows> rows);

  [[nodiscard]] const ObjectRecord& record() const noexcept { return rows_->record; }
  [[nodiscard]] const Geometry& geometry() const noexcept { return rows_->record.layout.geometry; }
  [[nodiscard]] SetContext& context() const noexcept { return *context_; }
  [[nodiscard]] const std::shared_ptr<const Members>& members() const noexcept { return members_; }
  [[nodiscard]] const ObjectRows& rows() const noexcept { return *rows_; }

  /// The verified shard of one stripe on one drive. Runs on that drive's read thread; answers
  /// there.
  void fetch(std::size_t extent, std::uint64_t stripe, Slot slot, Completion<Slice> done);

 private:
  struct OpenFile {
    std::shared_ptr<ShardFileReader> reader;
    std::vector<Sum128> sums;  ///< verified
  };
  Result<Slice> read_shard(Drive& drive, std::size_t extent, std::uint64_t stripe, Slot slot);
  Result<std::shared_ptr<const OpenFile>> open_file(Drive& drive, std::size_t extent, Slot slot);

  const std::shared_ptr<SetContext> context_;
  const std::shared_ptr<const Members> members_;
  const std::shared_ptr<const ObjectRows> rows_;
  PinTable::Pin pin_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, Slot>, std::shared_ptr<const OpenFile>> files_;
};

/// Reads ranges of a large object, stripe by stripe.
class ErasureReader final : public ObjectReader {
 public:
  ErasureReader(std::shared_ptr<ObjectFiles> files, std::stop_token stop);
  void read(std::uint64_t offset, std::size_t count, Completion<Slice> done) override;

 private:
  /// Shards of the stripe that was read last, for callers that read in small steps.
  struct LastStripe {
    std::mutex mutex;
    std::size_t extent = ~std::size_t{0};
    std::uint64_t stripe = 0;
    ShardArray shards;
  };
  class RangeRead;

  const std::shared_ptr<ObjectFiles> files_;
  const std::stop_token stop_;
  const std::shared_ptr<LastStripe> last_;
};

}  // namespace mote::erasure
