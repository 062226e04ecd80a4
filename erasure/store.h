#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/buffer.h"
#include "erasure/base/result.h"
#include "erasure/base/unique_function.h"
#include "erasure/meta/drive_state.h"
#include "erasure/meta/generations.h"
#include "erasure/meta/object.h"

namespace mote {

// The seam between what mote is (an S3 server) and where its bytes live. Local erasure-coded sets
// (erasure/erasure_store.h) and memory (erasure/memory/memory_store.h) stand behind it, metacache
// decorates it, and one contract suite (tests/contract) runs against each.
//
// Every operation is asynchronous and ends in one Completion, called exactly once, on any thread,
// possibly before the call returns; it never blocks the caller on a drive. `std::stop_token` asks
// an operation to give up early (Errc::cancelled); a commit that is in the log is not undone by it.
// An error other than write_quorum/timed_out/io_error means that nothing was changed; those three
// may leave an unacknowledged write that is later rolled forward or aborted once, never both
// (INV-6).

/// Names one version of one key. Keys are opaque bytes, 1..1024 of them.
struct ObjectRef {
  std::string bucket;
  std::string key;
  std::optional<VersionId> version;  ///< nullopt: the current version
};

/// Decided under the key's lock, against the current version, in the commit itself.
struct Preconditions {
  bool if_absent = false;  ///< If-None-Match: * : fails if a current object exists
  std::optional<std::vector<ETag>>
      if_match;                     ///< fails unless the current object has one of these tags
  bool if_exists = false;           ///< If-Match: * : fails if there is no current object
  std::vector<ETag> if_none_match;  ///< fails if the current object has one of these tags
};

/// Reads the bytes of one opened object version. Keeps what it reads pinned: a concurrent overwrite
/// or delete does not disturb it. Destroying it ends the reading.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  /// Bytes [offset, offset + count) of the object; every byte verified (INV-3). REQUIRES the range
  /// within the object, count > 0, one read at a time. `count` bounds the memory taken; callers use
  /// <= 1 MiB. Errors: corrupt, read_quorum, cancelled.
  virtual void read(std::uint64_t offset, std::size_t count, Completion<Slice> done) = 0;
};

/// An opened object version: its head, and its bytes either at hand or behind a reader.
struct OpenedObject {
  std::shared_ptr<const ObjectHead> head;
  std::optional<Slice> body;  ///< all bytes, for objects up to StoreLimits::inline_bytes_max
  std::unique_ptr<ObjectReader> reader;  ///< otherwise; null when `body` is set
};

/// Bytes on their way in: a large object or a part. Unless it is handed to put() or put_part(), its
/// destruction leaves nothing behind.
class BodySink {
 public:
  virtual ~BodySink() = default;
  /// Takes the next bytes. The completion is the back-pressure: one append at a time, and the
  /// caller's next only after it. Errors: write_quorum, no_space, cancelled; after an error only
  /// destruction.
  virtual void append(Buffer bytes, Completion<void> done) = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

/// The bytes of a write: at hand (any size up to StoreLimits::inline_bytes_max, may be empty), or
/// in a sink.
struct Body {
  Buffer bytes;
  std::unique_ptr<BodySink> sink;  ///< takes precedence when set

  [[nodiscard]] std::uint64_t size() const { return sink ? sink->bytes() : bytes.size(); }
};

struct PutRequest {
  std::string bucket;
  std::string key;
  ETag etag;  ///< MD5 of the body, computed by the caller on the way
  StoredChecksum checksum;
  ObjectAttributes attributes;
  Preconditions preconditions;
  std::stop_token stop;
};

struct PutResult {
  std::shared_ptr<const ObjectHead> head;  ///< as stored
};

struct DeleteRequest {
  ObjectRef object;
  Preconditions preconditions;
  std::stop_token stop;
};

struct DeleteResult {
  bool existed = false;              ///< something was there to delete
  bool made_marker = false;          ///< a delete marker was written
  bool removed_marker = false;       ///< the named version was a delete marker
  VersionId version = kNullVersion;  ///< of the marker made or the version removed
  bool versioned = false;            ///< `version` is to be shown
};

struct ListRequest {
  std::string bucket;
  std::string prefix;
  std::string delimiter;  ///< empty: none
  std::string after;      ///< only keys (and prefixes) greater than this
  std::uint32_t entries_max = 1000;
  std::stop_token stop;
};

struct ListEntry {
  std::string key;
  std::shared_ptr<const ObjectHead> head;
};

struct ListPage {
  std::vector<ListEntry> entries;            ///< in UTF-8 byte order
  std::vector<std::string> common_prefixes;  ///< in byte order, counted with the entries
  bool truncated = false;
  std::string next_after;  ///< continue with `after` = this; a key or a common prefix. May be set
                           ///< on a short page.
};

struct ListVersionsRequest {
  std::string bucket;
  std::string prefix;
  std::string delimiter;
  std::string key_marker;  ///< with no version marker: keys greater than this
  std::optional<VersionId>
      version_marker;  ///< versions of key_marker older than this one, then greater keys
  std::uint32_t entries_max = 1000;
  std::stop_token stop;
};

struct VersionEntry {
  std::string key;
  bool latest = false;
  std::shared_ptr<const ObjectHead> head;
};

struct ListVersionsPage {
  std::vector<VersionEntry> entries;  ///< key order, newest version first within a key
  std::vector<std::string> common_prefixes;
  bool truncated = false;
  std::string next_key;
  VersionId next_version = kNullVersion;
};

struct UploadRef {
  std::string bucket;
  std::string key;
  UploadId upload{};
};

struct CreateUploadRequest {
  std::string bucket;
  std::string key;
  ObjectAttributes attributes;
  ChecksumKind checksum = ChecksumKind::none;
  bool checksum_full_object = false;
  std::string owner;  ///< user id of the initiator
};

struct PartInfo {
  std::uint16_t number = 0;  ///< 1..10000
  std::uint64_t bytes = 0;
  std::int64_t modified_ms = 0;
  ETag etag;
  StoredChecksum checksum;
  std::uint64_t commit = 0;  ///< identity of this writing of the part
};

struct UploadInfo {
  UploadRef ref;
  std::int64_t created_ms = 0;
  ObjectAttributes attributes;
  ChecksumKind checksum = ChecksumKind::none;
  bool checksum_full_object = false;
  std::string owner;
  std::vector<PartInfo> parts;  ///< by number; empty in list_uploads
};

struct PutPartRequest {
  UploadRef upload;
  std::uint16_t number = 0;
  ETag etag;
  StoredChecksum checksum;
  std::stop_token stop;
};

/// The caller has read the upload, checked sizes and checksums and computed the final tag; the
/// commit checks under the lock that the parts are still the same writings.
struct CompleteUploadRequest {
  UploadRef upload;
  struct Part {
    std::uint16_t number = 0;
    std::uint64_t commit = 0;  ///< PartInfo::commit as read
  };
  std::vector<Part> parts;  ///< ascending numbers
  ETag etag;
  StoredChecksum checksum;
  Preconditions preconditions;
  std::stop_token stop;
};

struct ListUploadsRequest {
  std::string bucket;
  std::string prefix;
  std::string delimiter;
  std::string key_marker;
  std::optional<UploadId> upload_marker;  ///< within key_marker: uploads after this one
  std::uint32_t entries_max = 1000;
};

struct ListUploadsPage {
  std::vector<UploadInfo> entries;  ///< by key, then by upload id
  std::vector<std::string> common_prefixes;
  bool truncated = false;
  std::string next_key;
  UploadId next_upload{};
};

struct CreateBucketRequest {
  std::string name;
  std::string owner;
  std::string region;
};

/// Changes what is set; the rest of the bucket's configuration stays.
struct UpdateBucketRequest {
  std::string name;
  std::optional<Versioning> versioning;
  std::string document;                ///< sub-resource name, empty: none
  std::optional<std::string> content;  ///< nullopt with a document name: remove it
};

struct DriveStatus {
  std::string path;
  std::uint16_t set = 0;
  std::uint16_t slot = 0;
  DriveState state = DriveState::offline;
  std::string reason;  ///< why it is not current; empty if it is
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t heal_keys_done = 0;
};

struct StoreStatus {
  bool ready = false;                  ///< recovered and at least W drives take writes
  bool readable = false;               ///< at least k drives answer
  bool degraded = false;               ///< some drive is not current
  std::vector<DriveStatus> drives;     ///< empty for memory
  std::uint64_t corruption_found = 0;  ///< shards that did not verify since start
  std::uint64_t corruption_healed = 0;
  std::uint64_t commits = 0;
  std::uint64_t log_syncs = 0;
};

struct StoreLimits {
  std::uint64_t inline_bytes_max = 128 * kKiB;  ///< whole-buffer writes and reads up to here
  std::uint64_t object_bytes_max = 5 * 1024 * kGiB;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  [[nodiscard]] virtual StoreLimits limits() const = 0;
  [[nodiscard]] virtual const GenerationTable& generations() const = 0;
  [[nodiscard]] virtual StoreStatus status() const = 0;

  // Buckets. Authoritative and in memory: find_bucket() is a lock-free-ish look-up, never I/O.
  // Returns null if there is none.
  [[nodiscard]] virtual std::shared_ptr<const BucketInfo> find_bucket(
      std::string_view name) const = 0;
  [[nodiscard]] virtual std::vector<std::shared_ptr<const BucketInfo>> list_buckets() const = 0;
  /// bucket_exists if the name is taken (whoever owns it: the caller looks).
  virtual void create_bucket(CreateBucketRequest request,
                             Completion<std::shared_ptr<const BucketInfo>> done) = 0;
  /// bucket_not_empty while it has a current object, a version or a delete marker. Open uploads go
  /// with it.
  virtual void delete_bucket(std::string name, Completion<void> done) = 0;
  virtual void update_bucket(UpdateBucketRequest request,
                             Completion<std::shared_ptr<const BucketInfo>> done) = 0;

  // Reading. no_such_bucket, no_such_key, no_such_version, delete_marker; read_quorum; corrupt.
  virtual void head(ObjectRef object, std::stop_token stop,
                    Completion<std::shared_ptr<const ObjectHead>> done) = 0;
  virtual void open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) = 0;
  virtual void list(ListRequest request, Completion<ListPage> done) = 0;
  virtual void list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) = 0;

  // Writing. no_such_bucket, precondition_failed, write_quorum, no_space, too_large.
  /// A sink for a body larger than StoreLimits::inline_bytes_max, or of a part. `bytes` is the
  /// exact size.
  virtual Result<std::unique_ptr<BodySink>> open_sink(std::string_view bucket, std::uint64_t bytes,
                                                      std::stop_token stop) = 0;
  virtual void put(PutRequest request, Body body, Completion<PutResult> done) = 0;
  virtual void remove(DeleteRequest request, Completion<DeleteResult> done) = 0;
  /// Replaces the tags of one version; its bytes stay.
  virtual void set_tags(ObjectRef object, std::string tags,
                        Completion<std::shared_ptr<const ObjectHead>> done) = 0;

  // Multipart. Part bodies always come through a sink or as bytes up to inline_bytes_max.
  virtual void create_upload(CreateUploadRequest request, Completion<UploadInfo> done) = 0;
  virtual void put_part(PutPartRequest request, Body body, Completion<PartInfo> done) = 0;
  virtual void get_upload(UploadRef upload, Completion<UploadInfo> done) = 0;
  virtual void complete_upload(CompleteUploadRequest request, Completion<PutResult> done) = 0;
  virtual void abort_upload(UploadRef upload, Completion<void> done) = 0;
  virtual void list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) = 0;

  /// Adopts the blank directory `path` in place of a drive that is away for good, and starts
  /// healing it. Where there are no drives: unsupported.
  virtual void replace_drive(std::string path, Completion<void> done);

  /// Stops taking work, lets what is in flight end, makes everything durable, releases the drives.
  /// Blocks; called once, from a thread that runs no completion of this store.
  virtual void close() = 0;
};

inline void ObjectStore::replace_drive(std::string /*path*/, Completion<void> done) {
  done(Errc::unsupported);
}

}  // namespace mote
