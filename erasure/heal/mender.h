#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/heal/sharded_row.h"
#include "erasure/set/slot_commit.h"

namespace mote::erasure {

/// What has to be committed to make rows whole on the drives that were looked at. Shard files in it
/// are durable already; they are removed again unless kept.
class Mending {
 public:
  explicit Mending(unsigned slots) : rows(slots) {}
  Mending(Mending&&) = default;
  Mending& operator=(Mending&&) = default;
  ~Mending();

  [[nodiscard]] bool needed() const;
  /// The rows as one commit. After it this has no rows any more.
  [[nodiscard]] std::shared_ptr<const Commit> commit();
  /// A commit refers to the files (or may).
  void keep_files() { files.clear(); }

  std::vector<SlotRows> rows;  ///< by slot
  std::vector<SlotCommit::Waste> waste;
  std::vector<std::unique_ptr<ShardFileWriter>> files;
  std::size_t mended = 0;   ///< copies that were wrong and are right after the commit
  std::size_t lost = 0;     ///< copies that cannot be made: too few good shards are left anywhere
  std::size_t waiting = 0;  ///< copies that cannot be made now: drives are away or fail
};

/// Compares one row on all drives and makes it right on some (storage.md 3.6). Blocks on the
/// drives; the caller holds the row's lock, so that the row stands still.
class Mender {
 public:
  Mender(SetContext& context, std::shared_ptr<const Members> members)
      : context_(context), members_(std::move(members)) {}

  /// Adds to `mending` what `targets` need. The row that is right is the newest that a current
  /// drive has; if they all have none, it goes. Errors: read_quorum (no current drive answers).
  Status mend(Family family, const std::string& key, SlotMask targets, Mending& mending);

 private:
  struct Copy {
    std::optional<Slice> row;
    std::optional<ShardedRow> sharded;
    bool readable = false;  ///< the drive answered: the row or its absence
  };
  using Copies = std::vector<Copy>;

  [[nodiscard]] Copies read_copies(Family family, const std::string& key);
  [[nodiscard]] std::optional<Slot> elect(const Copies& copies, bool& answered) const;
  void mend_plain(Family family, const std::string& key, const Copy& right, Slot target,
                  const Copy& have, Mending& mending) const;
  void mend_sharded(Family family, const std::string& key, const Copies& copies, Slot elected,
                    Slot target, Mending& mending);
  void drop(Family family, const std::string& key, Slot target, const Copy& have,
            Mending& mending) const;
  /// One extent on the target: kept if it verifies there, else made from others'. Errors: corrupt
  /// (lost), read_quorum (not now).
  struct MadeExtent {
    LocalExtent local;
    Buffer payload;
    bool made = false;
  };
  Result<MadeExtent> provide(const Copies& copies, const ShardedRow& right, std::size_t extent,
                             Slot target, Mending& mending);
  Result<Buffer> rebuild_inline(const Copies& copies, const ShardedRow& right, std::size_t extent,
                                std::uint8_t index);
  Result<MadeExtent> rebuild_file(const Copies& copies, const ShardedRow& right, std::size_t extent,
                                  Slot target, Mending& mending);
  [[nodiscard]] Error too_few(unsigned unreachable, unsigned good) const;
  void add_waste(Slot target, const ShardedRow& old, const LocalPart& kept, Mending& mending) const;

  SetContext& context_;
  const std::shared_ptr<const Members> members_;
  std::uint64_t bucket_id_ = 0;  ///< of the row in hand
};

}  // namespace mote::erasure
