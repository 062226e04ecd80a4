#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "erasure/store.h"
#include "metacache/bucket_table.h"
#include "metacache/flights.h"
#include "metacache/image.h"
#include "metacache/object_cache.h"

namespace mote::metacache {

struct CacheOptions {
  std::uint64_t bytes_max =
      0;                 ///< budget of the object cache; 0: none, every call goes to the store
  RenderHeaders render;  ///< makes Image::wire_headers; may be empty
  /// Bodies at hand of up to this size are copied into the cache when they are put; 0: never.
  std::uint64_t write_through_bytes_max = 0;
  std::size_t shards = 0;  ///< a power of two; 0: chosen by the budget
};

/// An ObjectStore that answers from memory what it can. Its answers are those of the store under it
/// at some moment during the call (INV-7); it never decides anything. Thread-safe.
///
/// Objects up to StoreLimits::inline_bytes_max are kept whole, larger ones by their heads, missing
/// keys and current delete markers as such. The first read of what is not cached reads for all who
/// come meanwhile.
class CachedStore final : public ObjectStore {
 public:
  /// `store` outlives the cache and is closed by close().
  CachedStore(ObjectStore& store, CacheOptions options);
  CachedStore(std::unique_ptr<ObjectStore> store, CacheOptions options);
  /// REQUIRES that no operation is in flight: after close(), or when all completions have run.
  ~CachedStore() override = default;

  /// What the cache knows now of an object, or null. Never blocks, never allocates, no I/O.
  /// `bucket` as find_bucket() returned it for this request.
  [[nodiscard]] std::shared_ptr<const Image> lookup(const BucketInfo& bucket, std::string_view key,
                                                    const std::optional<VersionId>& version = {});
  [[nodiscard]] CacheStats stats() const { return cache_.stats(); }

  [[nodiscard]] StoreLimits limits() const override { return store_.limits(); }
  [[nodiscard]] const GenerationTable& generations() const override { return generations_; }
  [[nodiscard]] StoreStatus status() const override { return store_.status(); }
  [[nodiscard]] std::shared_ptr<const BucketInfo> find_bucket(
      std::string_view name) const override {
    return buckets_.find(name);
  }
  [[nodiscard]] std::vector<std::shared_ptr<const BucketInfo>> list_buckets() const override {
    return store_.list_buckets();
  }

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

  void replace_drive(std::string path, Completion<void> done) override;
  void close() override;

 private:
  using Head = std::shared_ptr<const ObjectHead>;

  /// The bucket, if this read may be answered from the cache at all.
  [[nodiscard]] std::shared_ptr<const BucketInfo> cacheable(std::string_view bucket,
                                                            const std::stop_token& stop) const;
  /// What a read about to start is to be known by; nullopt while a write of the key is under way.
  [[nodiscard]] std::optional<Flights::Flight> plan(Flights::What what, const BucketInfo& bucket,
                                                    const ObjectRef& object) const;
  [[nodiscard]] std::shared_ptr<Image> new_image(const Flights::Flight& flight) const;
  [[nodiscard]] Flights::Outcome arrive_head(const Flights::Flight& flight,
                                             const Result<Head>& result);
  [[nodiscard]] Flights::Outcome arrive_whole(const Flights::Flight& flight,
                                              const Result<OpenedObject>& result);
  [[nodiscard]] Flights::Outcome outcome_of(const Flights::Flight& flight, const Error& error);
  void land(const std::shared_ptr<const Flights::Flight>& flight, const Flights::Outcome& outcome);
  void read_head(const BucketInfo& bucket, ObjectRef object, std::stop_token stop,
                 Completion<Head> done);
  void read_whole(const BucketInfo& bucket, ObjectRef object, std::stop_token stop,
                  Completion<OpenedObject> done);
  /// A completion that frees the key's image first.
  template <class T>
  [[nodiscard]] Completion<T> dropping(std::string_view bucket, std::string key,
                                       Completion<T> done);

  std::unique_ptr<ObjectStore> owned_;
  ObjectStore& store_;
  const GenerationTable& generations_;
  const RenderHeaders render_;
  const std::uint64_t inline_bytes_max_;
  const std::uint64_t write_through_bytes_max_;
  BucketTable buckets_;
  ObjectCache cache_;
  Flights flights_;
  std::atomic<bool> closed_{false};
};

}  // namespace mote::metacache
