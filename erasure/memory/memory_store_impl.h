#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "erasure/memory/memory_state.h"
#include "erasure/memory/memory_store.h"

namespace mote {

/// memory_store.h's store. Locks, in this order: the bucket table, one bucket, one generation
/// stripe. No lock is held while a completion runs.
class MemoryStore final : public ObjectStore {
 public:
  explicit MemoryStore(const MemoryOptions& options);

  [[nodiscard]] StoreLimits limits() const override { return limits_; }
  [[nodiscard]] const GenerationTable& generations() const override { return generations_; }
  [[nodiscard]] StoreStatus status() const override;

  [[nodiscard]] std::shared_ptr<const BucketInfo> find_bucket(std::string_view name) const override;
  [[nodiscard]] std::vector<std::shared_ptr<const BucketInfo>> list_buckets() const override;
  void create_bucket(CreateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override;
  void delete_bucket(std::string name, Completion<void> done) override;
  void update_bucket(UpdateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override;

  void head(ObjectRef object, std::stop_token stop,
            Completion<std::shared_ptr<const ObjectHead>> done) override;
  void open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) override;
  void list(ListRequest request, Completion<ListPage> done) override;
  void list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) override;

  Result<std::unique_ptr<BodySink>> open_sink(std::string_view bucket, std::uint64_t bytes,
                                              std::stop_token stop) override;
  void put(PutRequest request, Body body, Completion<PutResult> done) override;
  void remove(DeleteRequest request, Completion<DeleteResult> done) override;
  void set_tags(ObjectRef object, std::string tags,
                Completion<std::shared_ptr<const ObjectHead>> done) override;

  void create_upload(CreateUploadRequest request, Completion<UploadInfo> done) override;
  void put_part(PutPartRequest request, Body body, Completion<PartInfo> done) override;
  void get_upload(UploadRef upload, Completion<UploadInfo> done) override;
  void complete_upload(CompleteUploadRequest request, Completion<PutResult> done) override;
  void abort_upload(UploadRef upload, Completion<void> done) override;
  void list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) override;

  void close() override;

 private:
  class WriteScope;
  using SharedLock = std::shared_lock<std::shared_mutex>;
  using UniqueLock = std::unique_lock<std::shared_mutex>;

  /// A bucket with its lock taken; the lock goes before the bucket.
  template <class Lock>
  struct Locked {
    std::shared_ptr<MemoryBucket> bucket;
    Lock lock;

    MemoryBucket* operator->() const { return bucket.get(); }
    MemoryBucket& operator*() const { return *bucket; }
  };

  /// shutting_down, cancelled, no_such_bucket, in this order.
  template <class Lock>
  [[nodiscard]] Result<Locked<Lock>> enter(std::string_view bucket,
                                           const std::stop_token& stop = {}) const;
  [[nodiscard]] std::shared_ptr<MemoryBucket> lookup(std::string_view name) const;

  [[nodiscard]] Result<std::shared_ptr<const BucketInfo>> create_bucket_now(
      CreateBucketRequest request);
  [[nodiscard]] Status delete_bucket_now(const std::string& name);
  [[nodiscard]] Result<std::shared_ptr<const BucketInfo>> update_bucket_now(
      UpdateBucketRequest request);

  [[nodiscard]] Result<OpenedObject> open_now(const ObjectRef& object, const std::stop_token& stop);
  [[nodiscard]] Result<std::shared_ptr<const StoredBytes>> take_body(Body body) const;
  [[nodiscard]] Result<PutResult> put_now(PutRequest request, Body body);
  [[nodiscard]] Result<DeleteResult> remove_now(const DeleteRequest& request);
  void remove_version(MemoryBucket& bucket, const std::string& key, VersionId version,
                      DeleteResult& result);
  [[nodiscard]] Status remove_current(MemoryBucket& bucket, const std::string& key,
                                      DeleteResult& result);
  [[nodiscard]] Result<std::shared_ptr<const ObjectHead>> set_tags_now(const ObjectRef& object,
                                                                       std::string tags);
  /// Stamps commit, time and version into `head` and makes it the newest version of `key`.
  [[nodiscard]] Result<std::shared_ptr<const ObjectHead>> add_version(
      MemoryBucket& bucket, const std::string& key, ObjectHead head,
      std::shared_ptr<const StoredBytes> bytes);

  [[nodiscard]] Result<UploadInfo> create_upload_now(CreateUploadRequest request);
  [[nodiscard]] Result<PartInfo> put_part_now(PutPartRequest request, Body body);
  [[nodiscard]] Result<UploadInfo> get_upload_now(const UploadRef& upload) const;
  [[nodiscard]] Result<PutResult> complete_upload_now(const CompleteUploadRequest& request);
  [[nodiscard]] Status abort_upload_now(const UploadRef& upload);

  const StoreLimits limits_;
  Clock& clock_;
  Rng& rng_;
  const std::shared_ptr<ByteBudget> budget_;
  GenerationTable generations_;
  std::array<std::mutex, 64> stripe_mutexes_;
  std::atomic<std::uint64_t> commits_{0};
  std::atomic<bool> closed_{false};

  mutable std::shared_mutex table_mutex_;
  std::map<std::string, std::shared_ptr<MemoryBucket>, std::less<>> buckets_;
};

/// One change of one key: the generation is odd from here until the end of the scope (INV-7).
/// REQUIRES the bucket's exclusive lock; takes the stripe's, as keys of other buckets may share it.
class MemoryStore::WriteScope {
 public:
  WriteScope(MemoryStore& store, const MemoryBucket& bucket, std::string_view key)
      : generations_(store.generations_),
        stripe_(generations_.stripe(GenerationTable::hash(bucket.info->id, key))),
        lock_(store.stripe_mutexes_[stripe_ % store.stripe_mutexes_.size()]) {
    generations_.begin_write(stripe_);
  }
  ~WriteScope() { generations_.end_write(stripe_); }
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;

 private:
  GenerationTable& generations_;
  const std::size_t stripe_;
  const std::lock_guard<std::mutex> lock_;
};

template <class Lock>
Result<MemoryStore::Locked<Lock>> MemoryStore::enter(std::string_view bucket,
                                                     const std::stop_token& stop) const {
  if (closed_.load(std::memory_order_acquire)) {
    return Errc::shutting_down;
  }
  if (stop.stop_requested()) {
    return Errc::cancelled;
  }
  std::shared_ptr<MemoryBucket> found = lookup(bucket);
  if (!found) {
    return Errc::no_such_bucket;
  }
  Lock lock(found->mutex);
  // close() and delete_bucket() set these under the exclusive lock.
  if (found->deleted) {
    return Errc::no_such_bucket;
  }
  if (closed_.load(std::memory_order_acquire)) {
    return Errc::shutting_down;
  }
  return Locked<Lock>{std::move(found), std::move(lock)};
}

/// no_such_key, no_such_version, delete_marker, or the version (nullopt: the newest).
[[nodiscard]] Result<const MemoryVersion*> resolve(const MemoryBucket& bucket, std::string_view key,
                                                   const std::optional<VersionId>& version);
/// precondition_failed, or success, against the current version of `key`.
[[nodiscard]] Status check(const Preconditions& preconditions, const MemoryBucket& bucket,
                           std::string_view key);
/// Bytes counted for one version of `key` besides its body.
[[nodiscard]] std::uint64_t accounted_bytes(std::string_view key, const ObjectHead& head);

}  // namespace mote
