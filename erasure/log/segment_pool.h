#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "erasure/io/vfs.h"
#include "erasure/log/log_format.h"

namespace mote::erasure {

/// A complete segment file that holds nothing: it may be written over, in whole pages from memory
/// that begins on a page (it is open for direct writes where the file system can).
struct SpareSegment {
  std::string path;
  std::unique_ptr<File> file;
};

/// The segment files of one drive that are not in use, and the making of new ones: every byte
/// written once, synced, the name synced, so that later writes are overwrites that need no journal
/// commit of the file system. A finished file has a sealed header with ordinal 0. Thread-safe;
/// make() and take() block.
class SegmentPool {
 public:
  /// `vfs` outlives the pool. New files are called `next_name`, `next_name` + 1, ...
  SegmentPool(Vfs& vfs, std::string directory, const LogOptions& options, std::uint64_t next_name);

  /// `path` is complete and free to be written over.
  void add_free(std::string path);
  [[nodiscard]] bool is_ready() const;
  /// Has one file ready for take(). Errors: io_error, no_space.
  Status prepare();
  /// The ready file; made on the spot if there is none. Errors as prepare().
  Result<SpareSegment> take();

 private:
  Result<SpareSegment> make();
  Result<SpareSegment> create(const std::string& path);

  Vfs& vfs_;
  const std::string directory_;
  const LogOptions options_;
  mutable std::mutex mutex_;  ///< guards what follows; never held over I/O
  std::vector<std::string> free_;
  std::optional<SpareSegment> ready_;
  std::uint64_t next_name_;
};

/// Has a free segment file in `directory`, so that LogWriter::begin need not make one. Nothing that
/// counts is touched. Blocks; no writer may be open there. Errors: io_error, no_space.
Status prepare_spare_segment(Vfs& vfs, const std::string& directory, const LogOptions& options);

}  // namespace mote::erasure
