#include "erasure/erasure_store.h"

#include <algorithm>
#include <utility>

#include "erasure/drive/drive.h"
#include "erasure/heal/healer.h"
#include "erasure/heal/repair_queue.h"
#include "erasure/set/buckets.h"
#include "erasure/set/drive_set.h"
#include "erasure/set/garbage.h"
#include "erasure/set/list.h"
#include "erasure/set/object_open.h"
#include "erasure/set/orphans.h"
#include "erasure/set/put.h"
#include "erasure/set/remove.h"
#include "erasure/set/set_context.h"
#include "erasure/set/set_tags.h"
#include "erasure/set/shard_sink.h"
#include "erasure/set/uploads.h"

namespace mote {
namespace {

using namespace erasure;

/// How long close() lets operations end by themselves before the set is closed under them.
constexpr std::chrono::seconds kDrainMax{30};

class ErasureStore final : public ObjectStore {
 public:
  ErasureStore(const ErasureOptions& options, const ErasureDependencies& dependencies,
               const Geometry& geometry);
  ~ErasureStore() override;

  /// Formats the drives if none of them is in use.
  Status format(const SetOptions& options, bool first_start);
  /// Opens the drives and recovers.
  Status open(const SetOptions& options, std::string* problem);

  [[nodiscard]] StoreLimits limits() const override {
    return {context_->options.inline_bytes_max, context_->options.object_bytes_max};
  }
  [[nodiscard]] const GenerationTable& generations() const override {
    return context_->generations;
  }
  [[nodiscard]] StoreStatus status() const override;

  [[nodiscard]] std::shared_ptr<const BucketInfo> find_bucket(
      std::string_view name) const override {
    return context_->buckets.find(name);
  }
  [[nodiscard]] std::vector<std::shared_ptr<const BucketInfo>> list_buckets() const override {
    return context_->buckets.list();
  }
  void create_bucket(CreateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override {
    start_create_bucket(context_, std::move(request), std::move(done));
  }
  void delete_bucket(std::string name, Completion<void> done) override {
    start_delete_bucket(context_, std::move(name), std::move(done));
  }
  void update_bucket(UpdateBucketRequest request,
                     Completion<std::shared_ptr<const BucketInfo>> done) override {
    start_update_bucket(context_, std::move(request), std::move(done));
  }

  void head(ObjectRef object, std::stop_token stop,
            Completion<std::shared_ptr<const ObjectHead>> done) override;
  void open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) override {
    std::make_shared<ObjectOpen>(context_, std::move(object), ObjectOpen::Want::body,
                                 std::move(stop), std::move(done))
        ->start();
  }
  void list(ListRequest request, Completion<ListPage> done) override {
    start_list(context_, std::move(request), std::move(done));
  }
  void list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) override {
    start_list_versions(context_, std::move(request), std::move(done));
  }

  Result<std::unique_ptr<BodySink>> open_sink(std::string_view bucket, std::uint64_t bytes,
                                              std::stop_token stop) override;
  void put(PutRequest request, Body body, Completion<PutResult> done) override {
    std::make_shared<PutOperation>(context_, std::move(request), std::move(done))
        ->start(std::move(body));
  }
  void remove(DeleteRequest request, Completion<DeleteResult> done) override {
    std::make_shared<RemoveOperation>(context_, std::move(request), std::move(done))->start();
  }
  void set_tags(ObjectRef object, std::string tags,
                Completion<std::shared_ptr<const ObjectHead>> done) override {
    std::make_shared<TagOperation>(context_, std::move(object), std::move(tags), std::move(done))
        ->start();
  }

  void create_upload(CreateUploadRequest request, Completion<UploadInfo> done) override {
    start_create_upload(context_, std::move(request), std::move(done));
  }
  void put_part(PutPartRequest request, Body body, Completion<PartInfo> done) override {
    std::make_shared<PartOperation>(context_, std::move(request), std::move(done))
        ->start(std::move(body));
  }
  void get_upload(UploadRef upload, Completion<UploadInfo> done) override {
    start_get_upload(context_, std::move(upload), std::move(done));
  }
  void complete_upload(CompleteUploadRequest request, Completion<PutResult> done) override {
    std::make_shared<CompleteOperation>(context_, std::move(request), std::move(done))->start();
  }
  void abort_upload(UploadRef upload, Completion<void> done) override {
    start_abort_upload(context_, std::move(upload), std::move(done));
  }
  void list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) override {
    start_list_uploads(context_, std::move(request), std::move(done));
  }

  void replace_drive(std::string path, Completion<void> done) override;
  void close() override;

 private:
  [[nodiscard]] SetEnvironment environment() const;

  const ErasureOptions options_;
  const ErasureDependencies dependencies_;
  const IndexResources resources_;
  const std::shared_ptr<SetContext> context_;
  const std::shared_ptr<GarbageCollector> garbage_;
  const std::shared_ptr<OrphanScan> orphans_;
  std::shared_ptr<RepairQueue> repairs_;
  std::shared_ptr<Healer> healer_;
  std::unique_ptr<DriveSet> set_;
};

OperationOptions operation_options(const ErasureOptions& options) {
  OperationOptions result;
  result.borders = {options.record_shard_max, options.payload_shard_max};
  result.inline_bytes_max = options.inline_bytes_max;
  result.inline_versioned_max = options.inline_versioned_max;
  result.drive_timeout = options.drive_timeout;
  result.hedge_after = options.hedge_after;
  result.garbage_grace = options.garbage_grace;
  result.garbage_period = options.garbage_period;
  return result;
}

ErasureStore::ErasureStore(const ErasureOptions& options, const ErasureDependencies& dependencies,
                           const Geometry& geometry)
    : options_(options),
      dependencies_(dependencies),
      resources_({options.block_cache_bytes, options.write_buffer_bytes, geometry.shards()}),
      context_(std::make_shared<SetContext>(
          SetContext::Outside{dependencies.scheduler, dependencies.clock, dependencies.rng,
                              dependencies.crash_points},
          geometry, operation_options(options))),
      garbage_(std::make_shared<GarbageCollector>(context_)),
      orphans_(std::make_shared<OrphanScan>(context_, options.orphan_age)),
      repairs_(std::make_shared<RepairQueue>(context_)),
      healer_(std::make_shared<Healer>(context_)) {
  context_->repairs = repairs_.get();
}

ErasureStore::~ErasureStore() {
  context_->gate.close();
  healer_->stop();
  repairs_->stop();
  repairs_->join();
  healer_.reset();
  // What was not closed, and what did not end, lets go of the drives here.
  context_->locks.close();
  context_->streams.abandon_all();
  set_.reset();
}

SetEnvironment ErasureStore::environment() const {
  return {dependencies_.vfs, dependencies_.scheduler,   dependencies_.clock, dependencies_.rng,
          resources_,        dependencies_.crash_points};
}

Status ErasureStore::format(const SetOptions& options, bool first_start) {
  if (!first_start || options_.drives.size() != options.drives()) {
    return ok();
  }
  // Also finishes a first format that was cut short; drives in use stay as they are.
  const Status made = DriveSet::format(environment(), options, options_.drives);
  return made || made.error().code == Errc::already_exists ? Status(ok()) : made;
}

Status ErasureStore::open(const SetOptions& options, std::string* problem) {
  SetHooks hooks([weak = std::weak_ptr(healer_)](Slot slot) {
    if (const std::shared_ptr<Healer> healer = weak.lock()) {
      healer->heal(slot);
    }
  });
  hooks.restarted = [weak = std::weak_ptr(context_)] {
    if (const std::shared_ptr<SetContext> context = weak.lock()) {
      context->generations.move_all();
      // What cannot be read now is as it was known: only what was in doubt can be missing.
      static_cast<void>(load_buckets(*context).has_value());
    }
  };
  Result<std::unique_ptr<DriveSet>> set =
      DriveSet::open(environment(), options, options_.drives, std::move(hooks), problem);
  if (!set) {
    return set.error();
  }
  set_ = *std::move(set);
  context_->pipeline = &set_->pipeline();
  if (const Status loaded = load_buckets(*context_); !loaded) {
    return loaded;
  }
  repairs_->start();
  healer_->start();
  garbage_->start();
  orphans_->start();
  return ok();
}

StoreStatus ErasureStore::status() const {
  StoreStatus status;
  set_->add_status(status);
  status.corruption_found = context_->counters.corruption_found.load();
  status.corruption_healed = context_->counters.corruption_healed.load();
  for (DriveStatus& drive : status.drives) {
    if (drive.state == DriveState::healing) {
      drive.heal_keys_done = healer_->keys_done(static_cast<Slot>(drive.slot));
    }
  }
  return status;
}

void ErasureStore::head(ObjectRef object, std::stop_token stop,
                        Completion<std::shared_ptr<const ObjectHead>> done) {
  std::make_shared<ObjectOpen>(context_, std::move(object), ObjectOpen::Want::head, std::move(stop),
                               [done = std::move(done)](Result<OpenedObject> opened) mutable {
                                 if (!opened) {
                                   done(opened.error());
                                   return;
                                 }
                                 done(std::move(opened->head));
                               })
      ->start();
}

Result<std::unique_ptr<BodySink>> ErasureStore::open_sink(std::string_view bucket,
                                                          std::uint64_t bytes,
                                                          std::stop_token stop) {
  const std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!ticket) {
    return Errc::shutting_down;
  }
  if (stop.stop_requested()) {
    return {Errc::cancelled, "store.open_sink"};
  }
  const std::shared_ptr<const BucketInfo> info = context_->buckets.find(bucket);
  if (!info) {
    return Errc::no_such_bucket;
  }
  if (bytes > context_->options.object_bytes_max) {
    return {Errc::too_large, "store.open_sink"};
  }
  Result<std::unique_ptr<ShardSink>> sink =
      open_shard_sink(context_, *info, bytes, std::move(stop));
  if (!sink) {
    return sink.error();
  }
  return std::unique_ptr<BodySink>(*std::move(sink));
}

void ErasureStore::replace_drive(std::string path, Completion<void> done) {
  std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!ticket) {
    done(Errc::shutting_down);
    return;
  }
  set_->replace(std::move(path),
                [ticket = *std::move(ticket), done = std::move(done)](Status status) mutable {
                  ticket.leave();
                  done(status);
                });
}

void ErasureStore::close() {
  context_->gate.close();
  healer_->stop();
  repairs_->stop();
  const bool drained =
      context_->gate.wait_idle(options_.deterministic ? std::chrono::milliseconds{0} : kDrainMax);
  set_->close();
  if (!drained) {
    context_->gate.wait_idle(kDrainMax);
  }
}

/// What is at the given paths, before anything is opened.
struct Survey {
  std::optional<Geometry> formatted;
  bool any_blank = false;
  bool any_missing = false;

  /// At the very first start, or when that was cut short: then every directory is there. A drive
  /// that is missing from a set in use must not get a directory made in its place.
  [[nodiscard]] bool may_be_first_start() const {
    return !formatted || (any_blank && !any_missing);
  }
};

Survey survey(Vfs& vfs, const std::vector<std::string>& drives) {
  Survey result;
  for (const std::string& path : drives) {
    const Result<DriveProbe> probe = Drive::probe(vfs, path);
    if (!probe) {
      result.any_missing = result.any_missing || probe.error().code == Errc::no_such_file;
      continue;
    }
    if (probe->content != DriveContent::formatted) {
      result.any_blank = true;
    } else if (!result.formatted) {
      Geometry geometry;
      geometry.k = probe->label.k;
      geometry.m = probe->label.m;
      result.formatted = geometry;
    }
  }
  return result;
}

unsigned default_parity(std::size_t drives) {
  if (drives >= 8) {
    return 4;
  }
  return static_cast<unsigned>(drives / 2);  // 1→0, 2-3→1, 4-5→2, 6-7→3
}

Result<Geometry> choose_geometry(const ErasureOptions& options, const Survey& found) {
  const std::size_t count = options.drives.size();
  if (count == 0 || count > kShardsMax) {
    return {Errc::invalid_argument, "store.drive_count"};
  }
  if (found.formatted) {
    const bool fits = !options.parity || *options.parity == found.formatted->m;
    return fits && count <= found.formatted->shards()
               ? Result<Geometry>(*found.formatted)
               : Result<Geometry>(Errc::invalid_argument, "store.formatted_otherwise");
  }
  const unsigned parity = options.parity.value_or(default_parity(count));
  Geometry geometry;
  geometry.m = static_cast<std::uint8_t>(parity);
  geometry.k = static_cast<std::uint8_t>(count - parity);
  if (parity >= count || !geometry.valid()) {
    return {Errc::invalid_argument, "store.parity"};
  }
  return geometry;
}

SetOptions set_options(const ErasureOptions& options, const Geometry& geometry) {
  SetOptions result;
  result.k = geometry.k;
  result.m = geometry.m;
  result.expel_after = options.drive_timeout;
  result.deterministic = options.deterministic;
  result.segment_bytes = options.log_segment_bytes;
  result.readmit_every = options.readmit_every;
  result.bug = options.bug;
  return result;
}

}  // namespace

Result<std::unique_ptr<ObjectStore>> open_erasure_store(const ErasureOptions& options,
                                                        const ErasureDependencies& dependencies,
                                                        std::string* problem) {
  const Survey found = survey(dependencies.vfs, options.drives);
  const Result<Geometry> geometry = choose_geometry(options, found);
  if (!geometry) {
    return geometry.error();
  }
  const SetOptions set = set_options(options, *geometry);
  auto store = std::make_unique<ErasureStore>(options, dependencies, *geometry);
  if (const Status ready = store->format(set, found.may_be_first_start()); !ready) {
    return ready.error();
  }
  if (const Status opened = store->open(set, problem); !opened) {
    return opened.error();
  }
  return std::unique_ptr<ObjectStore>(std::move(store));
}

}  // namespace mote
