#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "erasure/base/rng.h"
#include "erasure/io/vfs.h"
#include "tests/sim/file_content.h"

namespace mote::sim {

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// A file or directory of a simulated drive.
struct Node {
  std::uint64_t number = 0;
  erasure::FileKind kind = erasure::FileKind::file;
  std::int64_t modified_ms = 0;
  std::uint32_t links = 0;    // names now
  std::uint32_t handles = 0;  // open files
  bool locked = false;

  FileContent content;         // of a file
  std::uint64_t reserved = 0;  // bytes promised by allocate()
  std::uint64_t charged = 0;   // bytes counted as used on the drive

  std::map<std::string, NodePtr, std::less<>> names;  // of a directory, now
  std::map<std::string, NodePtr, std::less<>>
      durable;  // of a directory, after a cut that loses all
};

/// The directories of one simulated drive and the crash model of their names: an operation is
/// pending until every directory it touched was synced; until then a cut may keep or lose it,
/// whole, and may keep it only if it kept the earlier ones on the same names. Not thread-safe.
class DriveTree {
 public:
  explicit DriveTree(std::uint64_t first_number);

  [[nodiscard]] const NodePtr& top() const { return top_; }
  /// Null if it is not there. `path` is relative to the drive, "" is its top.
  [[nodiscard]] NodePtr find(std::string_view path) const;

  NodePtr create(const NodePtr& directory, const std::string& name, erasure::FileKind kind);
  void link(const NodePtr& directory, const std::string& name, const NodePtr& node);
  void remove(const NodePtr& directory, const std::string& name);
  void rename(const NodePtr& from, const std::string& from_name, const NodePtr& to,
              const std::string& to_name);

  void sync(const NodePtr& directory);
  /// Operations pending on `directory` are not made durable by any later sync of their own.
  void fail_sync(const NodePtr& directory);
  void cut(Rng& rng, CutMode mode);
  /// Makes every name and byte durable.
  void sync_all();
  /// Everything open and locked is not any more; nothing is lost.
  void forget_handles();
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }

  /// Bytes of all files that have a name or are open.
  [[nodiscard]] std::uint64_t used_bytes() const { return used_; }
  void charge(Node& file);
  /// Call after links or handles went down.
  void discharge_if_gone(Node& file);

 private:
  struct Change {
    NodePtr directory;
    std::string name;
    NodePtr node;  // null = the name is gone
    bool synced = false;
  };
  struct Operation {
    std::vector<Change> changes;
    bool failed = false;  // a sync of it failed
    [[nodiscard]] bool all_synced() const;
  };

  void record(std::vector<Change> changes);
  static void make_durable(const Operation& operation);
  [[nodiscard]] std::vector<bool> survivors(Rng& rng, CutMode mode) const;
  void cut_files(Rng& rng, CutMode mode);
  void recount();

  NodePtr top_;
  std::vector<Operation> pending_;  // oldest first
  std::uint64_t next_number_;
  std::uint64_t used_ = 0;
};

}  // namespace mote::sim
