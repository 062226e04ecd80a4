#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "erasure/set/locked_key.h"
#include "erasure/set/object_rows.h"
#include "erasure/set/shard_gather.h"
#include "erasure/store.h"

namespace mote::erasure {

/// HEAD and GET of one version (storage.md 4.2, miss path). The row that decides comes from a
/// current drive; the shards from any k drives that hold that very commit, each verified. A result
/// is given out only if no write of the key's stripe ran meanwhile, or under the key's lock: so
/// what one reader has seen, every later reader and listing sees too (INV-6).
class ObjectOpen : public std::enable_shared_from_this<ObjectOpen> {
 public:
  enum class Want : std::uint8_t { head, body };

  ObjectOpen(std::shared_ptr<SetContext> context, ObjectRef ref, Want want, std::stop_token stop,
             Completion<OpenedObject> done);
  void start();

 private:
  void begin();
  void wait_for_writer();
  void attempt();
  void find_named_version();
  void on_row(Row row);
  void resolve(ObjectRecord record, Slice row);
  void read_inline(Slice head_row);
  void fetch_inline(Slot slot, Completion<Slice> done);
  void use_row(Slot slot, const Slice& row, Completion<Slice> done);
  void read_payload(Slot slot, LocalRow local, Completion<Slice> done);
  void on_shards(Result<ShardArray> shards, std::vector<SlotFailure> failures);
  void open_files(std::shared_ptr<ObjectRows> rows);
  /// Gives the result out, unless a write came between: then once more, under the lock.
  void finish(Result<OpenedObject> result);

  const std::shared_ptr<SetContext> context_;
  const ObjectRef ref_;
  const Want want_;
  const std::stop_token stop_;
  Completion<OpenedObject> done_;
  std::optional<Gate::Ticket> ticket_;

  std::uint64_t bucket_id_ = 0;
  std::uint64_t key_hash_ = 0;
  std::uint64_t generation_ = 0;
  bool final_ = false;  ///< under the lock, or the set is frozen: this attempt's result stands
  LockedKey lock_;

  std::shared_ptr<const Members> members_;
  Family family_ = Family::obj;
  std::string row_key_;
  ObjectRecord record_;
  std::optional<Slot> row_slot_;  ///< the drive that row_ came from
  Slice row_;
  std::vector<SlotFailure> damage_;
};

/// The newest row (head first, then `ver`) whose version is `version`; empty if there is none.
struct FoundVersion {
  Family family = Family::obj;
  std::string row_key;
  Slice row;
};
Result<std::optional<FoundVersion>> find_version(const Index& index, std::uint64_t bucket_id,
                                                 std::string_view key, const VersionId& version);

/// Shows a shared lock's holder or, while the set is frozen and a writer cannot end, nothing:
/// readers then take the last decided state (storage.md 3.4 step 6).
void lock_for_reading(SetContext& context, const std::string& bucket, const std::string& key,
                      Completion<std::optional<LockedKey>> done);

}  // namespace mote::erasure
