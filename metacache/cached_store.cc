#include "metacache/cached_store.h"

#include <utility>

namespace mote::metacache {

CachedStore::CachedStore(ObjectStore& store, CacheOptions options)
    : store_(store),
      generations_(store.generations()),
      render_(std::move(options.render)),
      inline_bytes_max_(store.limits().inline_bytes_max),
      write_through_bytes_max_(options.write_through_bytes_max),
      buckets_(store),
      cache_(generations_, options.bytes_max, options.shards) {}

CachedStore::CachedStore(std::unique_ptr<ObjectStore> store, CacheOptions options)
    : CachedStore(*store, std::move(options)) {
  owned_ = std::move(store);
}

std::shared_ptr<const Image> CachedStore::lookup(const BucketInfo& bucket, std::string_view key,
                                                 const std::optional<VersionId>& version) {
  if (closed_.load(std::memory_order_acquire)) {
    return nullptr;
  }
  return cache_.find({bucket.id, key, version ? &*version : nullptr}, bucket.revision);
}

void CachedStore::close() {
  closed_.store(true, std::memory_order_release);
  store_.close();
  cache_.clear();
}

void CachedStore::create_bucket(CreateBucketRequest request,
                                Completion<std::shared_ptr<const BucketInfo>> done) {
  store_.create_bucket(std::move(request), std::move(done));
}

void CachedStore::delete_bucket(std::string name, Completion<void> done) {
  store_.delete_bucket(std::move(name), std::move(done));
}

void CachedStore::update_bucket(UpdateBucketRequest request,
                                Completion<std::shared_ptr<const BucketInfo>> done) {
  store_.update_bucket(std::move(request), std::move(done));
}

void CachedStore::list(ListRequest request, Completion<ListPage> done) {
  store_.list(std::move(request), std::move(done));
}

void CachedStore::list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) {
  store_.list_versions(std::move(request), std::move(done));
}

Result<std::unique_ptr<BodySink>> CachedStore::open_sink(std::string_view bucket,
                                                         std::uint64_t bytes,
                                                         std::stop_token stop) {
  return store_.open_sink(bucket, bytes, std::move(stop));
}

void CachedStore::create_upload(CreateUploadRequest request, Completion<UploadInfo> done) {
  store_.create_upload(std::move(request), std::move(done));
}

void CachedStore::put_part(PutPartRequest request, Body body, Completion<PartInfo> done) {
  store_.put_part(std::move(request), std::move(body), std::move(done));
}

void CachedStore::get_upload(UploadRef upload, Completion<UploadInfo> done) {
  store_.get_upload(std::move(upload), std::move(done));
}

void CachedStore::abort_upload(UploadRef upload, Completion<void> done) {
  store_.abort_upload(std::move(upload), std::move(done));
}

void CachedStore::list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) {
  store_.list_uploads(std::move(request), std::move(done));
}

void CachedStore::replace_drive(std::string path, Completion<void> done) {
  store_.replace_drive(std::move(path), std::move(done));
}

// Writes. The store moves the generation, which is all that coherence needs; what is done here
// frees memory early and, where asked for, puts a new image in place of the old one.

template <class T>
Completion<T> CachedStore::dropping(std::string_view bucket, std::string key, Completion<T> done) {
  const std::shared_ptr<const BucketInfo> info = cache_.enabled() ? buckets_.find(bucket) : nullptr;
  if (!info) {
    return done;
  }
  return [this, id = info->id, key = std::move(key),
          done = std::move(done)](Result<T> result) mutable {
    cache_.drop_stale({id, key, nullptr});
    done(std::move(result));
  };
}

void CachedStore::put(PutRequest request, Body body, Completion<PutResult> done) {
  const bool small = !body.sink && body.bytes.size() <= write_through_bytes_max_;
  const std::shared_ptr<const BucketInfo> bucket =
      small ? cacheable(request.bucket, request.stop) : nullptr;
  std::optional<Flights::Flight> before;
  if (bucket) {
    before = plan(Flights::What::whole, *bucket, {request.bucket, request.key, std::nullopt});
  }
  if (!before) {
    Completion<PutResult> dropping_done = dropping(request.bucket, request.key, std::move(done));
    store_.put(std::move(request), std::move(body), std::move(dropping_done));
    return;
  }
  std::shared_ptr<Image> image = new_image(*before);
  image->kind = Image::Kind::object;
  image->body = Slice::copy(body.bytes.view());
  // Two steps of the stripe's generation from an even number on are one write: this one. If there
  // was another, the image does not say what is current, and publishing it fails or is not tried.
  image->generation += 2;
  store_.put(
      std::move(request), std::move(body),
      [this, image = std::move(image), done = std::move(done)](Result<PutResult> result) mutable {
        if (result && generations_.load(image->stripe) == image->generation) {
          image->head = result->head;
          image->wire_headers = render_ ? render_(*result->head) : std::string();
          cache_.publish(std::move(image));
        } else {
          cache_.drop_stale({image->bucket_id, image->key, nullptr});
        }
        done(std::move(result));
      });
}

void CachedStore::remove(DeleteRequest request, Completion<DeleteResult> done) {
  Completion<DeleteResult> dropping_done =
      dropping(request.object.bucket, request.object.key, std::move(done));
  store_.remove(std::move(request), std::move(dropping_done));
}

void CachedStore::set_tags(ObjectRef object, std::string tags, Completion<Head> done) {
  Completion<Head> dropping_done = dropping(object.bucket, object.key, std::move(done));
  store_.set_tags(std::move(object), std::move(tags), std::move(dropping_done));
}

void CachedStore::complete_upload(CompleteUploadRequest request, Completion<PutResult> done) {
  Completion<PutResult> dropping_done =
      dropping(request.upload.bucket, request.upload.key, std::move(done));
  store_.complete_upload(std::move(request), std::move(dropping_done));
}

}  // namespace mote::metacache
