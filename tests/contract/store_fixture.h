#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "erasure/store.h"

namespace mote::contract {

/// A store under test and how to wait for it.
class StoreFixture {
 public:
  virtual ~StoreFixture() = default;
  [[nodiscard]] virtual ObjectStore& store() = 0;
  /// For stores driven by a simulated scheduler: runs it a little, false if nothing was to do.
  /// Stores with threads of their own (or none) leave it.
  virtual bool pump() { return false; }
  /// May the suite call the store from several threads at once? False for simulated schedulers:
  /// then concurrency is many operations started before the first is waited for.
  [[nodiscard]] virtual bool threads() const { return true; }
  /// Object sizes worth trying: the store adds its own borders, each ± 1.
  [[nodiscard]] virtual std::vector<std::uint64_t> sizes() const;
};

/// The seed of this run: MOTE_TEST_SEED, or one from the system. Printed on the first call.
[[nodiscard]] std::uint64_t test_seed();
/// MOTE_TEST_<name> as a number, or `otherwise`.
[[nodiscard]] std::uint64_t test_number(const char* name, std::uint64_t otherwise);

/// One operation's result, waited for. REQUIRES that the operation completes exactly once: a second
/// completion aborts.
template <class T>
class Pending {
 public:
  Pending() : state_(std::make_shared<State>()) {}

  [[nodiscard]] Completion<T> completion() const {
    return [state = state_](Result<T> result) {
      const std::lock_guard lock(state->mutex);
      MOTE_CHECK(!state->result && !state->taken);
      state->result = std::move(result);
      state->ready.notify_all();
    };
  }
  /// Throws std::runtime_error after kTimeout: the store lost the completion.
  [[nodiscard]] Result<T> wait(StoreFixture& fixture) const {
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    std::unique_lock lock(state_->mutex);
    while (!state_->result) {
      lock.unlock();
      const bool pumped = fixture.pump();
      lock.lock();
      if (!pumped && !state_->result) {
        state_->ready.wait_for(lock, std::chrono::milliseconds(5));
      }
      if (!state_->result && std::chrono::steady_clock::now() > deadline) {
        throw std::runtime_error("an operation did not complete");
      }
    }
    state_->taken = true;
    return *std::exchange(state_->result, std::nullopt);
  }

 private:
  static constexpr std::chrono::seconds kTimeout{60};
  struct State {
    std::mutex mutex;
    std::condition_variable ready;
    std::optional<Result<T>> result;
    bool taken = false;
  };
  std::shared_ptr<State> state_;
};

/// Deterministic bytes: position `i` of pattern `seed`, the same whatever range is asked for.
void fill_pattern(ByteSpan out, std::uint64_t seed, std::uint64_t offset);
[[nodiscard]] Buffer pattern(std::size_t size, std::uint64_t seed, std::uint64_t offset = 0);
[[nodiscard]] bool is_pattern(ByteView bytes, std::uint64_t seed, std::uint64_t offset = 0);
[[nodiscard]] Buffer to_buffer(std::string_view text);
/// A tag that names `seed`, so that what is read can be told apart.
[[nodiscard]] ETag tag_of(std::uint64_t seed, std::uint16_t parts = 0);

/// Synchronous calls on a fixture's store, with the defaults that tests want. Thread-safe if the
/// store is.
class Client {
 public:
  explicit Client(StoreFixture& fixture) : fixture_(fixture) {}

  [[nodiscard]] ObjectStore& store() const { return fixture_.store(); }
  [[nodiscard]] StoreFixture& fixture() const { return fixture_; }

  Result<std::shared_ptr<const BucketInfo>> create_bucket(const std::string& name) const;
  Status delete_bucket(const std::string& name) const;
  Result<std::shared_ptr<const BucketInfo>> update_bucket(UpdateBucketRequest request) const;
  void set_versioning(const std::string& bucket, Versioning versioning) const;

  Result<PutResult> put(PutRequest request, Body body) const;
  /// An object of `size` bytes of pattern `seed`, tagged with it, as bytes or through a sink by its
  /// size.
  Result<PutResult> put(const std::string& bucket, const std::string& key, std::uint64_t size,
                        std::uint64_t seed, Preconditions preconditions = {}) const;
  /// A sink filled with pattern `seed`, in pieces of at most `piece` bytes.
  Result<std::unique_ptr<BodySink>> fill_sink(const std::string& bucket, std::uint64_t size,
                                              std::uint64_t seed, std::size_t piece = kMiB) const;
  Result<std::shared_ptr<const ObjectHead>> head(const std::string& bucket, const std::string& key,
                                                 std::optional<VersionId> version = {}) const;
  Result<OpenedObject> open(const std::string& bucket, const std::string& key,
                            std::optional<VersionId> version = {}) const;
  Result<Slice> read(OpenedObject& opened, std::uint64_t offset, std::size_t count) const;
  /// True if all bytes of the opened object are pattern `seed`; errors are reported as false.
  [[nodiscard]] bool holds(OpenedObject& opened, std::uint64_t seed) const;
  Result<DeleteResult> remove(const std::string& bucket, const std::string& key,
                              std::optional<VersionId> version = {},
                              Preconditions preconditions = {}) const;
  Result<std::shared_ptr<const ObjectHead>> set_tags(const std::string& bucket,
                                                     const std::string& key, std::string tags,
                                                     std::optional<VersionId> version = {}) const;
  Result<ListPage> list(ListRequest request) const;
  Result<ListVersionsPage> list_versions(ListVersionsRequest request) const;

  Result<UploadInfo> create_upload(const std::string& bucket, const std::string& key) const;
  Result<UploadInfo> create_upload(CreateUploadRequest request) const;
  Result<PartInfo> put_part(const UploadRef& upload, std::uint16_t number, std::uint64_t size,
                            std::uint64_t seed) const;
  Result<UploadInfo> get_upload(const UploadRef& upload) const;
  Result<PutResult> complete(const UploadRef& upload, const std::vector<PartInfo>& parts,
                             std::uint64_t seed, Preconditions preconditions = {}) const;
  Status abort(const UploadRef& upload) const;
  Result<ListUploadsPage> list_uploads(ListUploadsRequest request) const;

  /// The generation of a key's stripe; the bucket must exist.
  [[nodiscard]] std::uint64_t generation(const std::string& bucket, const std::string& key) const;

 private:
  template <class T, class Start>
  Result<T> await(Start start) const {
    Pending<T> pending;
    start(pending.completion());
    return pending.wait(fixture_);
  }

  StoreFixture& fixture_;
};

/// All pages of a listing put together; pages of `page` entries, checked against the rules of
/// paging.
struct Listing {
  std::vector<std::string> keys;
  std::vector<std::string> prefixes;
  std::size_t pages = 0;
};
[[nodiscard]] Listing list_all(const Client& client, ListRequest request);
struct VersionListing {
  std::vector<VersionEntry> entries;
  std::vector<std::string> prefixes;
};
[[nodiscard]] VersionListing list_all_versions(const Client& client, ListVersionsRequest request);

}  // namespace mote::contract

#define CHECK_OK(result) CHECK((result).has_value())
#define REQUIRE_OK(result) REQUIRE((result).has_value())
#define CHECK_ERR(result, errc)                                                     \
  do {                                                                              \
    const auto& check_err_result = (result);                                        \
    REQUIRE(check_err_result.has_error());                                          \
    CHECK(mote::to_string(check_err_result.error().code) == mote::to_string(errc)); \
  } while (false)
