#pragma once

#include <vector>

#include "erasure/store.h"
#include "server/async/engine_call.h"
#include "server/async/task.h"

/// The engine's operations as coroutines: one named function each, so that no coroutine is a lambda
/// and no request is a temporary across a suspension (GCC 12). `store` outlives the call.
namespace mote::s3::engine {

using HeadPtr = std::shared_ptr<const ObjectHead>;
using BucketPtr = std::shared_ptr<const BucketInfo>;

Async<Result<HeadPtr>> head(ObjectStore& store, ObjectRef object);
Async<Result<OpenedObject>> open(ObjectStore& store, ObjectRef object);
Async<Result<Slice>> read(ObjectReader& reader, std::uint64_t offset, std::size_t count);
Async<Status> append(BodySink& sink, Buffer bytes);
Async<Result<PutResult>> put(ObjectStore& store, PutRequest request, Body body);
Async<Result<DeleteResult>> remove(ObjectStore& store, DeleteRequest request);
/// All at once; results in the order of the requests. The engine groups their commits.
Async<std::vector<Result<DeleteResult>>> remove_all(ObjectStore& store,
                                                    std::vector<DeleteRequest> requests);
Async<Result<HeadPtr>> set_tags(ObjectStore& store, ObjectRef object, std::string tags);

Async<Result<ListPage>> list(ObjectStore& store, ListRequest request);
Async<Result<ListVersionsPage>> list_versions(ObjectStore& store, ListVersionsRequest request);
Async<Result<ListUploadsPage>> list_uploads(ObjectStore& store, ListUploadsRequest request);

Async<Result<BucketPtr>> create_bucket(ObjectStore& store, CreateBucketRequest request);
Async<Status> delete_bucket(ObjectStore& store, std::string name);
Async<Result<BucketPtr>> update_bucket(ObjectStore& store, UpdateBucketRequest request);

Async<Result<UploadInfo>> create_upload(ObjectStore& store, CreateUploadRequest request);
Async<Result<PartInfo>> put_part(ObjectStore& store, PutPartRequest request, Body body);
Async<Result<UploadInfo>> get_upload(ObjectStore& store, UploadRef upload);
Async<Result<PutResult>> complete_upload(ObjectStore& store, CompleteUploadRequest request);
Async<Status> abort_upload(ObjectStore& store, UploadRef upload);

}  // namespace mote::s3::engine
