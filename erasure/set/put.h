#pragma once

#include <memory>
#include <optional>

#include "erasure/set/key_change.h"
#include "erasure/set/shard_sink.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Bytes of an object or part, encoded and where they have to be: shards at hand for the index, or
/// shard files already durable.
struct StoredBody {
  std::uint64_t bytes = 0;
  ShardPlace place = ShardPlace::none;
  std::vector<LocalExtent> locals;  ///< by slot, sums unbound
  std::vector<Slice> shards;        ///< by slot, for the places record and pay
  Layout layout;
  SlotMask holders = static_cast<SlotMask>(~SlotMask{0});
  std::shared_ptr<StoredFiles> files;  ///< null unless place is file
};

/// Encodes a body at hand and stores it by its shards' size; or takes what a sink has stored.
/// `key_hash` rotates bodies that stay in the index. `least`: the first of record, pay, file that
/// is allowed. Outside any lock (storage.md 3.4 step 1). Errors: too_large, invalid_argument,
/// write_quorum, no_space.
void store_body(const std::shared_ptr<SetContext>& context, const BucketInfo& bucket,
                std::uint64_t key_hash, Body body, ShardPlace least, Completion<StoredBody> done);

/// PutObject: store the bytes, lock, look, commit.
class PutOperation : public std::enable_shared_from_this<PutOperation> {
 public:
  PutOperation(std::shared_ptr<SetContext> context, PutRequest request, Completion<PutResult> done);
  void start(Body body);

 private:
  void on_stored(StoredBody body);
  void on_locked(LockedKey lock);
  void on_head();
  void on_displaced();
  void on_committed(Result<CommitSeq> seq);
  void finish(Result<PutResult> result);

  const std::shared_ptr<SetContext> context_;
  PutRequest request_;
  Completion<PutResult> done_;
  std::optional<Gate::Ticket> ticket_;
  std::shared_ptr<StoredFiles> files_;
  NewVersion version_;
  std::shared_ptr<KeyChange> change_;
};

/// 1 to 1024 bytes (AWS: Naming Amazon S3 objects).
[[nodiscard]] bool is_valid_key(std::string_view key) noexcept;

}  // namespace mote::erasure
