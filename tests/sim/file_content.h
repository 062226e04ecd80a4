#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "erasure/base/bytes.h"
#include "erasure/base/rng.h"

namespace mote::sim {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kSectorBytes = 512;

/// What survives of unsynced work when the power goes.
enum class CutMode : std::uint8_t {
  drop_all,         ///< nothing
  keep_all,         ///< everything
  random,           ///< any subset the crash model allows, chosen by the seed
  torn_last_write,  ///< everything but some 512-byte pieces of the drive's last unsynced write
};

/// The bytes of one simulated file: what readers see, and for every page that was written since the
/// last sync what a power cut may leave of it instead. Pages are sparse (a missing one reads as
/// zeros), immutable and shared between versions, so a version costs a pointer. Not thread-safe.
class FileContent {
 public:
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Bytes read: fewer than out.size() only at the end.
  std::size_t read(std::uint64_t offset, ByteSpan out) const;
  /// `sequence` orders writes of a drive, to find its last one.
  void write(std::uint64_t offset, ByteView data, std::uint64_t sequence);
  void resize(std::uint64_t bytes);
  /// Makes all of it durable.
  void sync();
  /// What a failed fsync does: dirty pages become clean without being durable, and the next sync
  /// says ok. `evict` makes readers see the old bytes at once; else only after a cut.
  void fail_sync(bool evict);
  /// Leaves what survives a power cut; `tear` = this file has the drive's last write.
  void cut(Rng& rng, CutMode mode, bool tear);
  /// Flips the bits of `mask` in one byte, on the medium itself.
  void damage(std::uint64_t offset, std::byte mask);

  /// Bytes of pages that are there.
  [[nodiscard]] std::uint64_t stored_bytes() const { return pages_.size() * kPageBytes; }
  /// Pages of [offset, offset + bytes) that a write would add.
  [[nodiscard]] std::uint64_t missing_pages(std::uint64_t offset, std::uint64_t bytes) const;
  [[nodiscard]] bool has_unsynced() const { return !dirty_.empty() || size_ != durable_size_; }
  /// 0 if no write is unsynced.
  [[nodiscard]] std::uint64_t last_write_sequence() const { return last_ ? last_->sequence : 0; }

 private:
  using Page = std::array<std::byte, kPageBytes>;
  using PagePtr = std::shared_ptr<const Page>;  // null = zeros

  struct Dirty {
    PagePtr durable;             // as of the last sync
    std::vector<PagePtr> older;  // unsynced versions before the current one, the newest last
    bool cut_off = false;        // a truncation removed `durable` since the last sync
  };
  struct LastWrite {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t size_before = 0;
    std::uint64_t sequence = 0;
  };
  struct Cut {
    bool truncated = false;  // an unsynced truncation survives
    unsigned keep_of_16 = 8;
  };

  [[nodiscard]] PagePtr page(std::uint64_t index) const;
  void set_page(std::uint64_t index, PagePtr page);
  /// Replaces a page and remembers what it was.
  void write_page(std::uint64_t index, PagePtr next);
  void shrink(std::uint64_t bytes);
  void cut_random(Rng& rng);
  void tear_last_write(Rng& rng);
  PagePtr survivor(Rng& rng, const Dirty& dirty, const PagePtr& current, const Cut& cut) const;
  std::uint64_t surviving_size(Rng& rng, const Cut& cut) const;
  void trim_to_size();

  std::unordered_map<std::uint64_t, PagePtr> pages_;
  std::map<std::uint64_t, Dirty> dirty_;  // ordered, so that a seed means the same everywhere
  std::map<std::uint64_t, PagePtr>
      undone_;  // clean pages whose durable bytes are others: a failed sync
  std::uint64_t size_ = 0;
  std::uint64_t durable_size_ = 0;
  std::uint64_t lowest_size_ = 0;  // since the last sync
  std::optional<LastWrite> last_;
};

}  // namespace mote::sim
