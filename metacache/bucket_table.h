#pragma once

#include <memory>
#include <string_view>

#include "erasure/store.h"

namespace mote::metacache {

/// Buckets as requests see them. The store under it keeps all buckets in memory and is their
/// authority, so a look-up asks it: creation, deletion and configuration show at once and nothing
/// is kept that could be old.
class BucketTable {
 public:
  /// `store` outlives the table.
  explicit BucketTable(const ObjectStore& store) : store_(store) {}

  /// Null if there is none. No I/O.
  [[nodiscard]] std::shared_ptr<const BucketInfo> find(std::string_view name) const {
    return store_.find_bucket(name);
  }
  /// Is `seen` still that bucket, in that configuration? A bucket created again has another id.
  [[nodiscard]] bool is_current(const BucketInfo& seen) const {
    const std::shared_ptr<const BucketInfo> now = find(seen.name);
    return now && now->id == seen.id && now->revision == seen.revision;
  }

 private:
  const ObjectStore& store_;
};

}  // namespace mote::metacache
