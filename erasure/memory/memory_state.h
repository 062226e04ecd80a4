#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "erasure/memory/memory_body.h"
#include "erasure/meta/object.h"

namespace mote {

/// One version of a key, or a delete marker (then without bytes).
struct MemoryVersion {
  std::shared_ptr<const ObjectHead> head;
  std::shared_ptr<const StoredBytes> bytes;
  Charge charge;  ///< for key, metadata and overhead; the bytes carry their own
};

/// All versions of one key, oldest first; never empty in the map. At most one has the null id.
struct MemoryKey {
  std::vector<MemoryVersion> versions;

  [[nodiscard]] const MemoryVersion& newest() const { return versions.back(); }
};

struct MemoryPart {
  PartInfo info;
  std::shared_ptr<const StoredBytes> bytes;
  Charge charge;
};

struct MemoryUpload {
  UploadInfo info;  ///< without parts
  std::map<std::uint16_t, MemoryPart> parts;
  Charge charge;
};

/// A bucket and what is in it. `mutex` guards everything but the identity: shared to look,
/// exclusive to change. A bucket that was deleted stays alive, with `deleted` set, for those who
/// found it just before.
struct MemoryBucket {
  mutable std::shared_mutex mutex;
  bool deleted = false;
  std::shared_ptr<const BucketInfo> info;
  Charge charge;
  std::map<std::string, MemoryKey, std::less<>> keys;
  std::map<std::pair<std::string, UploadId>, MemoryUpload> uploads;
};

/// Room counted per entry besides its bytes and strings: map node, vector slot, head, control
/// blocks.
inline constexpr std::uint64_t kVersionOverheadBytes = 384;
inline constexpr std::uint64_t kPartOverheadBytes = 192;
inline constexpr std::uint64_t kUploadOverheadBytes = 384;
inline constexpr std::uint64_t kBucketOverheadBytes = 512;

}  // namespace mote
