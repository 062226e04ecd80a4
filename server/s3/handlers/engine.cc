#include "server/s3/handlers/engine.h"

#include <atomic>
#include <optional>

namespace mote::s3::engine {

// Each function keeps its request in its own frame and lends it to a lambda that captures
// references only: trivially copyable, so that nothing is destroyed twice.

Async<Result<HeadPtr>> head(ObjectStore& store, ObjectRef object) {
  const auto start = [&store, &object](Completion<HeadPtr> done) {
    store.head(std::move(object), {}, std::move(done));
  };
  co_return co_await engine_call<HeadPtr>(start);
}

Async<Result<OpenedObject>> open(ObjectStore& store, ObjectRef object) {
  const auto start = [&store, &object](Completion<OpenedObject> done) {
    store.open(std::move(object), {}, std::move(done));
  };
  co_return co_await engine_call<OpenedObject>(start);
}

Async<Result<Slice>> read(ObjectReader& reader, std::uint64_t offset, std::size_t count) {
  const auto start = [&reader, offset, count](Completion<Slice> done) {
    reader.read(offset, count, std::move(done));
  };
  co_return co_await engine_call<Slice>(start);
}

Async<Status> append(BodySink& sink, Buffer bytes) {
  const auto start = [&sink, &bytes](Completion<void> done) {
    sink.append(std::move(bytes), std::move(done));
  };
  co_return co_await engine_call<void>(start);
}

Async<Result<PutResult>> put(ObjectStore& store, PutRequest request, Body body) {
  const auto start = [&store, &request, &body](Completion<PutResult> done) {
    store.put(std::move(request), std::move(body), std::move(done));
  };
  co_return co_await engine_call<PutResult>(start);
}

Async<Result<DeleteResult>> remove(ObjectStore& store, DeleteRequest request) {
  const auto start = [&store, &request](Completion<DeleteResult> done) {
    store.remove(std::move(request), std::move(done));
  };
  co_return co_await engine_call<DeleteResult>(start);
}

namespace {

/// Counts many completions down to one.
struct Gathering {
  explicit Gathering(std::size_t count) : results(count), left(count) {}
  std::vector<std::optional<Result<DeleteResult>>> results;  // each written by one completion
  std::atomic<std::size_t> left;
  Completion<void> done;

  void finish(std::size_t index, Result<DeleteResult> result) {
    results[index].emplace(std::move(result));
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      done(ok());
    }
  }
};

}  // namespace

Async<std::vector<Result<DeleteResult>>> remove_all(ObjectStore& store,
                                                    std::vector<DeleteRequest> requests) {
  std::vector<Result<DeleteResult>> out;
  if (requests.empty()) {
    co_return out;
  }
  auto gathering = std::make_shared<Gathering>(requests.size());
  const auto start = [&store, &requests, &gathering](Completion<void> done) {
    gathering->done = std::move(done);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      store.remove(std::move(requests[i]), [kept = gathering, i](Result<DeleteResult> result) {
        kept->finish(i, std::move(result));
      });
    }
  };
  // The status only says that all are done; each result speaks for itself.
  const Status all = co_await engine_call<void>(start);
  out.reserve(gathering->results.size());
  for (std::optional<Result<DeleteResult>>& result : gathering->results) {
    out.push_back(all ? *std::move(result) : Result<DeleteResult>(all.error()));
  }
  co_return out;
}

Async<Result<HeadPtr>> set_tags(ObjectStore& store, ObjectRef object, std::string tags) {
  const auto start = [&store, &object, &tags](Completion<HeadPtr> done) {
    store.set_tags(std::move(object), std::move(tags), std::move(done));
  };
  co_return co_await engine_call<HeadPtr>(start);
}

Async<Result<ListPage>> list(ObjectStore& store, ListRequest request) {
  const auto start = [&store, &request](Completion<ListPage> done) {
    store.list(std::move(request), std::move(done));
  };
  co_return co_await engine_call<ListPage>(start);
}

Async<Result<ListVersionsPage>> list_versions(ObjectStore& store, ListVersionsRequest request) {
  const auto start = [&store, &request](Completion<ListVersionsPage> done) {
    store.list_versions(std::move(request), std::move(done));
  };
  co_return co_await engine_call<ListVersionsPage>(start);
}

Async<Result<ListUploadsPage>> list_uploads(ObjectStore& store, ListUploadsRequest request) {
  const auto start = [&store, &request](Completion<ListUploadsPage> done) {
    store.list_uploads(std::move(request), std::move(done));
  };
  co_return co_await engine_call<ListUploadsPage>(start);
}

Async<Result<BucketPtr>> create_bucket(ObjectStore& store, CreateBucketRequest request) {
  const auto start = [&store, &request](Completion<BucketPtr> done) {
    store.create_bucket(std::move(request), std::move(done));
  };
  co_return co_await engine_call<BucketPtr>(start);
}

Async<Status> delete_bucket(ObjectStore& store, std::string name) {
  const auto start = [&store, &name](Completion<void> done) {
    store.delete_bucket(std::move(name), std::move(done));
  };
  co_return co_await engine_call<void>(start);
}

Async<Result<BucketPtr>> update_bucket(ObjectStore& store, UpdateBucketRequest request) {
  const auto start = [&store, &request](Completion<BucketPtr> done) {
    store.update_bucket(std::move(request), std::move(done));
  };
  co_return co_await engine_call<BucketPtr>(start);
}

Async<Result<UploadInfo>> create_upload(ObjectStore& store, CreateUploadRequest request) {
  const auto start = [&store, &request](Completion<UploadInfo> done) {
    store.create_upload(std::move(request), std::move(done));
  };
  co_return co_await engine_call<UploadInfo>(start);
}

Async<Result<PartInfo>> put_part(ObjectStore& store, PutPartRequest request, Body body) {
  const auto start = [&store, &request, &body](Completion<PartInfo> done) {
    store.put_part(std::move(request), std::move(body), std::move(done));
  };
  co_return co_await engine_call<PartInfo>(start);
}

Async<Result<UploadInfo>> get_upload(ObjectStore& store, UploadRef upload) {
  const auto start = [&store, &upload](Completion<UploadInfo> done) {
    store.get_upload(std::move(upload), std::move(done));
  };
  co_return co_await engine_call<UploadInfo>(start);
}

Async<Result<PutResult>> complete_upload(ObjectStore& store, CompleteUploadRequest request) {
  const auto start = [&store, &request](Completion<PutResult> done) {
    store.complete_upload(std::move(request), std::move(done));
  };
  co_return co_await engine_call<PutResult>(start);
}

Async<Status> abort_upload(ObjectStore& store, UploadRef upload) {
  const auto start = [&store, &upload](Completion<void> done) {
    store.abort_upload(std::move(upload), std::move(done));
  };
  co_return co_await engine_call<void>(start);
}

}  // namespace mote::s3::engine
