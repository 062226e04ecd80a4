#include "erasure/set/bucket_table.h"

#include <mutex>
#include <utility>

namespace mote::erasure {

std::shared_ptr<const BucketInfo> BucketTable::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = buckets_.find(name);
  return found == buckets_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<const BucketInfo>> BucketTable::list() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<const BucketInfo>> all;
  all.reserve(buckets_.size());
  for (const auto& [name, bucket] : buckets_) {
    all.push_back(bucket);
  }
  return all;
}

void BucketTable::put(std::shared_ptr<const BucketInfo> bucket) {
  const std::unique_lock lock(mutex_);
  std::string name = bucket->name;
  buckets_.insert_or_assign(std::move(name), std::move(bucket));
}

void BucketTable::erase(std::string_view name) {
  const std::unique_lock lock(mutex_);
  if (const auto found = buckets_.find(name); found != buckets_.end()) {
    buckets_.erase(found);
  }
}

void BucketTable::assign(std::vector<std::shared_ptr<const BucketInfo>> buckets) {
  decltype(buckets_) all;
  for (std::shared_ptr<const BucketInfo>& bucket : buckets) {
    std::string name = bucket->name;
    all.insert_or_assign(std::move(name), std::move(bucket));
  }
  const std::unique_lock lock(mutex_);
  buckets_.swap(all);
}

}  // namespace mote::erasure
