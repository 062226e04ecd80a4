#include "erasure/memory/memory_store.h"

#include <algorithm>

#include "erasure/memory/memory_store_impl.h"

namespace mote {
namespace {

std::uint64_t accounted_bytes(const BucketInfo& info) {
  std::uint64_t bytes = kBucketOverheadBytes + info.name.size() + info.owner.size();
  for (const auto& [name, content] : info.documents) {
    bytes += name.size() + content.size();
  }
  return bytes;
}

void set_document(BucketInfo& info, const std::string& name, std::optional<std::string> content) {
  auto& documents = info.documents;
  const auto place = std::lower_bound(
      documents.begin(), documents.end(), name,
      [](const auto& document, const std::string& wanted) { return document.first < wanted; });
  const bool present = place != documents.end() && place->first == name;
  if (!content) {
    if (present) {
      documents.erase(place);
    }
  } else if (present) {
    place->second = *std::move(content);
  } else {
    documents.emplace(place, name, *std::move(content));
  }
}

}  // namespace

MemoryStore::MemoryStore(const MemoryOptions& options)
    : limits_(options.limits),
      clock_(options.clock),
      rng_(options.rng),
      budget_(std::make_shared<ByteBudget>(options.bytes_max)),
      generations_(options.generation_stripes) {}

std::unique_ptr<ObjectStore> make_memory_store(const MemoryOptions& options) {
  return std::make_unique<MemoryStore>(options);
}

StoreStatus MemoryStore::status() const {
  StoreStatus status;
  status.ready = status.readable = !closed_.load(std::memory_order_acquire);
  status.commits = commits_.load(std::memory_order_relaxed);
  return status;
}

std::shared_ptr<MemoryBucket> MemoryStore::lookup(std::string_view name) const {
  const SharedLock lock(table_mutex_);
  const auto found = buckets_.find(name);
  return found == buckets_.end() ? nullptr : found->second;
}

std::shared_ptr<const BucketInfo> MemoryStore::find_bucket(std::string_view name) const {
  const std::shared_ptr<MemoryBucket> bucket = lookup(name);
  if (!bucket) {
    return nullptr;
  }
  const SharedLock lock(bucket->mutex);
  return bucket->deleted ? nullptr : bucket->info;
}

std::vector<std::shared_ptr<const BucketInfo>> MemoryStore::list_buckets() const {
  std::vector<std::shared_ptr<const BucketInfo>> result;
  const SharedLock lock(table_mutex_);
  result.reserve(buckets_.size());
  for (const auto& [name, bucket] : buckets_) {
    const SharedLock inner(bucket->mutex);
    result.push_back(bucket->info);
  }
  return result;
}

Result<std::shared_ptr<const BucketInfo>> MemoryStore::create_bucket_now(
    CreateBucketRequest request) {
  if (request.name.empty()) {
    return {Errc::invalid_argument, "memory.create_bucket"};
  }
  BucketInfo info;
  info.name = request.name;
  info.revision = 1;
  info.created_ms = clock_.wall_ms();
  info.owner = std::move(request.owner);
  info.region = std::move(request.region);
  do {
    info.id = rng_.next();
  } while (info.id == 0);

  const UniqueLock lock(table_mutex_);
  if (closed_.load(std::memory_order_acquire)) {
    return Errc::shutting_down;
  }
  if (buckets_.contains(request.name)) {
    return Errc::bucket_exists;
  }
  Result<Charge> charge = Charge::take(budget_, accounted_bytes(info));
  if (!charge) {
    return charge.error();
  }
  auto bucket = std::make_shared<MemoryBucket>();
  bucket->charge = *std::move(charge);
  std::shared_ptr<const BucketInfo> result = std::make_shared<const BucketInfo>(std::move(info));
  bucket->info = result;
  buckets_.emplace(std::move(request.name), std::move(bucket));
  commits_.fetch_add(1, std::memory_order_relaxed);
  return result;
}

void MemoryStore::create_bucket(CreateBucketRequest request,
                                Completion<std::shared_ptr<const BucketInfo>> done) {
  done(create_bucket_now(std::move(request)));
}

Status MemoryStore::delete_bucket_now(const std::string& name) {
  if (closed_.load(std::memory_order_acquire)) {
    return Errc::shutting_down;
  }
  std::map<std::pair<std::string, UploadId>, MemoryUpload> uploads;  // freed after the locks
  const UniqueLock lock(table_mutex_);
  const auto found = buckets_.find(name);
  if (found == buckets_.end()) {
    return Errc::no_such_bucket;
  }
  MemoryBucket& bucket = *found->second;
  {
    const UniqueLock inner(bucket.mutex);
    if (!bucket.keys.empty()) {
      return Errc::bucket_not_empty;
    }
    bucket.deleted = true;
    uploads.swap(bucket.uploads);
    bucket.charge = Charge();
  }
  buckets_.erase(found);
  commits_.fetch_add(1, std::memory_order_relaxed);
  return ok();
}

void MemoryStore::delete_bucket(std::string name, Completion<void> done) {
  done(delete_bucket_now(name));
}

Result<std::shared_ptr<const BucketInfo>> MemoryStore::update_bucket_now(
    UpdateBucketRequest request) {
  Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(request.name);
  if (!bucket) {
    return bucket.error();
  }
  MemoryBucket& state = **bucket;
  BucketInfo info = *state.info;
  if (request.versioning) {
    if (*request.versioning == Versioning::off && info.versioning != Versioning::off) {
      return {Errc::invalid_argument, "memory.update_bucket"};  // once versioned, never unversioned
    }
    info.versioning = *request.versioning;
  }
  if (!request.document.empty()) {
    set_document(info, request.document, std::move(request.content));
  }
  ++info.revision;
  if (const Status resized = state.charge.resize(budget_, accounted_bytes(info)); !resized) {
    return resized.error();
  }
  state.info = std::make_shared<const BucketInfo>(std::move(info));
  commits_.fetch_add(1, std::memory_order_relaxed);
  return state.info;
}

void MemoryStore::update_bucket(UpdateBucketRequest request,
                                Completion<std::shared_ptr<const BucketInfo>> done) {
  done(update_bucket_now(std::move(request)));
}

void MemoryStore::close() {
  closed_.store(true, std::memory_order_release);
  // Whoever got past the flag holds one of these locks: when all were taken once, nothing is in
  // flight.
  const UniqueLock lock(table_mutex_);
  for (const auto& [name, bucket] : buckets_) {
    const UniqueLock inner(bucket->mutex);
  }
}

}  // namespace mote
