#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/set/composed_commit.h"
#include "erasure/set/locked_key.h"
#include "erasure/set/object_rows.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Rows of the sys family that name the keys with a tombstone, so that purging need not search:
/// `s/t/` || object row.
inline constexpr std::string_view kTombstoneRows = "s/t/";
[[nodiscard]] std::string tombstone_row(std::string_view object_row);

/// A version to be written, all but what is decided under the lock.
struct NewVersion {
  ObjectRecord record;            ///< without version, versioned and modified_ms
  std::vector<LocalPart> locals;  ///< by slot; sums unbound for extents of this commit
  std::vector<Slice>
      shards;  ///< by slot, for a single extent in the record or in `pay`; else empty
  SlotMask holders = static_cast<SlotMask>(~SlotMask{0});
};

/// Adds the rows that turn what `record` refers to into garbage: payload rows go, files get gc
/// rows. `rows` (needed if there are files) tells each drive's files.
void add_garbage(ComposedCommit& commit, const ObjectRecord& record, const ObjectRows* rows);
void add_garbage_file(RowBatch& rows, CommitSeq seq, const LocalExtent& local,
                      const Geometry& geometry, const Extent& extent);

/// One change of one key's versions under its lock: look at the head, say what is to become of it,
/// add rows, submit. The steps run one at a time; each ends in its completion. Put, delete,
/// Complete and tags are made of it.
class KeyChange : public std::enable_shared_from_this<KeyChange> {
 public:
  KeyChange(std::shared_ptr<SetContext> context, LockedKey lock, std::string key);

  /// Reads the head row. First step.
  void load_head(Completion<void> done);
  /// The current object, or null if there is none, or a delete marker, or a tombstone.
  [[nodiscard]] const ObjectRecord* current() const noexcept;
  /// The newest row that is no tombstone: an object or a marker.
  [[nodiscard]] const ObjectRecord* newest() const noexcept;
  [[nodiscard]] Status check(const Preconditions& preconditions) const;
  [[nodiscard]] const BucketInfo& bucket() const noexcept { return *lock_.bucket; }
  [[nodiscard]] std::uint64_t key_hash() const noexcept { return lock_.key_hash; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] ComposedCommit& commit() noexcept { return *commit_; }
  [[nodiscard]] const std::shared_ptr<const Members>& members() const noexcept { return members_; }
  [[nodiscard]] const std::shared_ptr<SetContext>& context() const noexcept { return context_; }

  /// Makes room for a new newest version by the bucket's versioning (S3: enabled keeps every
  /// version, otherwise the null version is replaced), and sets the version fields of `record`.
  void displace(ObjectRecord& record, Completion<void> done);
  /// Adds the rows of the new newest version.
  void write_version(const NewVersion& version);
  /// Adds the rows that remove the version with this id; `removed` gets its record, or stays empty.
  void remove_version(const VersionId& version, std::optional<ObjectRecord>& removed,
                      Completion<void> done);
  /// Commits what was added and unlocks. Last step.
  void submit(Completion<CommitSeq> done);
  /// Unlocks without a commit.
  void release() { lock_.locks.release(); }

 private:
  [[nodiscard]] Layout empty_layout() const;
  void discard_head(Completion<void> done);
  void archive_head(Completion<void> done);
  void drop_null_version(Completion<void> done);
  void discard_version(const std::string& row_key, ObjectRecord record, Completion<void> done);
  void remove_head(Completion<void> done);
  void promote(const std::string& row_key, ObjectRecord record, Completion<void> done);
  void bury();

  const std::shared_ptr<SetContext> context_;
  LockedKey lock_;
  const std::string key_;
  const std::string head_row_;
  const std::shared_ptr<const Members> members_;
  std::shared_ptr<ComposedCommit> commit_;
  std::optional<ObjectRecord> head_;  ///< tombstones too
  SlotMask short_of_ = 0;             ///< members that will need a repair
};

}  // namespace mote::erasure
