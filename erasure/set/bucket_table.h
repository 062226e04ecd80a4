#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/meta/object.h"

namespace mote::erasure {

/// All buckets of the store, in memory: what the `b/` rows of the sys family say. Read by every
/// operation, changed only by the holder of a bucket's exclusive lock after its commit was applied,
/// and at open. Thread-safe.
class BucketTable {
 public:
  /// Null if there is none of that name.
  [[nodiscard]] std::shared_ptr<const BucketInfo> find(std::string_view name) const;
  /// By name, in byte order.
  [[nodiscard]] std::vector<std::shared_ptr<const BucketInfo>> list() const;
  void put(std::shared_ptr<const BucketInfo> bucket);
  void erase(std::string_view name);
  /// These and no others.
  void assign(std::vector<std::shared_ptr<const BucketInfo>> buckets);

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const BucketInfo>, std::less<>> buckets_;
};

}  // namespace mote::erasure
