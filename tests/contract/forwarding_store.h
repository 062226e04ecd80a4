#pragma once

#include <utility>

#include "erasure/store.h"

namespace mote::contract {

/// Passes every call on. Tests override what they want to see, delay or disturb.
class ForwardingStore : public ObjectStore {
 public:
  explicit ForwardingStore(ObjectStore& inner) : inner_(inner) {}

  StoreLimits limits() const override { return inner_.limits(); }
  const GenerationTable& generations() const override { return inner_.generations(); }
  StoreStatus status() const override { return inner_.status(); }
  std::shared_ptr<const BucketInfo> find_bucket(std::string_view name) const override {
    return inner_.find_bucket(name);
  }
  std::vector<std::shared_ptr<const BucketInfo>> list_buckets() const override {
    return inner_.list_buckets();
  }
  void create_bucket(CreateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override {
    inner_.create_bucket(std::move(request), std::move(done));
  }
  void delete_bucket(std::string name, Completion<void> done) override {
    inner_.delete_bucket(std::move(name), std::move(done));
  }
  void update_bucket(UpdateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override {
    inner_.update_bucket(std::move(request), std::move(done));
  }
  void head(ObjectRef object, std::stop_token stop,
            Completion<std::shared_ptr<const ObjectHead>> done) override {
    inner_.head(std::move(object), std::move(stop), std::move(done));
  }
  void open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) override {
    inner_.open(std::move(object), std::move(stop), std::move(done));
  }
  void list(ListRequest request, Completion<ListPage> done) override {
    inner_.list(std::move(request), std::move(done));
  }
  void list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) override {
    inner_.list_versions(std::move(request), std::move(done));
  }
  Result<std::unique_ptr<BodySink>> open_sink(std::string_view bucket, std::uint64_t bytes,
                                              std::stop_token stop) override {
    return inner_.open_sink(bucket, bytes, std::move(stop));
  }
  void put(PutRequest request, Body body, Completion<PutResult> done) override {
    inner_.put(std::move(request), std::move(body), std::move(done));
  }
  void remove(DeleteRequest request, Completion<DeleteResult> done) override {
    inner_.remove(std::move(request), std::move(done));
  }
  void set_tags(ObjectRef object, std::string tags,
                Completion<std::shared_ptr<const ObjectHead>> done) override {
    inner_.set_tags(std::move(object), std::move(tags), std::move(done));
  }
  void create_upload(CreateUploadRequest request, Completion<UploadInfo> done) override {
    inner_.create_upload(std::move(request), std::move(done));
  }
  void put_part(PutPartRequest request, Body body, Completion<PartInfo> done) override {
    inner_.put_part(std::move(request), std::move(body), std::move(done));
  }
  void get_upload(UploadRef upload, Completion<UploadInfo> done) override {
    inner_.get_upload(std::move(upload), std::move(done));
  }
  void complete_upload(CompleteUploadRequest request, Completion<PutResult> done) override {
    inner_.complete_upload(std::move(request), std::move(done));
  }
  void abort_upload(UploadRef upload, Completion<void> done) override {
    inner_.abort_upload(std::move(upload), std::move(done));
  }
  void list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) override {
    inner_.list_uploads(std::move(request), std::move(done));
  }
  void close() override { inner_.close(); }

 protected:
  ObjectStore& inner() const { return inner_; }

 private:
  ObjectStore& inner_;
};

}  // namespace mote::contract
