#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "erasure/base/result.h"
#include "erasure/base/rng.h"
#include "erasure/codec/bitrot.h"
#include "erasure/codec/geometry.h"
#include "erasure/io/crash_point.h"
#include "erasure/io/vfs.h"
#include "erasure/meta/keys.h"

namespace mote::erasure {

/// Where a shard file is, as records refer to it.
struct ShardFileId {
  Uuid file{};
  std::uint64_t dirno = 0;

  friend bool operator==(const ShardFileId&, const ShardFileId&) = default;
};

/// What a shard file says about itself in its header: enough to tell whose it is without the index.
struct ShardFileHeader {
  std::uint64_t bucket_id = 0;
  std::uint64_t key_hash = 0;  ///< GenerationTable::hash(bucket_id, key)
  UploadId writer{};           ///< the upload, or a random id of the one put
  std::uint16_t part = 0;
  std::uint8_t shard_index = 0;
  Geometry geometry;
  std::uint64_t object_bytes = 0;  ///< of the object or part, > 0; gives the file's exact length

  friend bool operator==(const ShardFileHeader&, const ShardFileHeader&) = default;
};

class ShardFiles;

/// A shard file being written. Not thread-safe; every call blocks and belongs on the drive's write
/// thread. Destroyed before finish() succeeded (or after discard()), it unlinks its file.
class ShardFileWriter {
 public:
  ~ShardFileWriter();
  ShardFileWriter(const ShardFileWriter&) = delete;
  ShardFileWriter& operator=(const ShardFileWriter&) = delete;

  [[nodiscard]] const ShardFileId& id() const noexcept { return id_; }
  /// Writes the next stripe's shard, of exactly the length that the geometry gives, and sums it.
  /// Errors: invalid_argument (wrong length, too many), io_error, no_space.
  Status append(ByteView shard);
  /// Makes what was appended so far durable, so that finish() has less to wait for.
  Status sync_early();
  /// Trailer if the file has one, then sync_data, then the directory sync, shared with all that
  /// wait. After ok the file is durable by name (INV-2) and stays until ShardFiles::unlink().
  /// Errors: invalid_argument (stripes missing), io_error, no_space.
  Status finish();
  /// Payload sums of the stripes appended so far.
  [[nodiscard]] const std::vector<Sum128>& stripe_sums() const noexcept { return sums_; }
  /// Removes the file although it was finished: nothing refers to it.
  void discard();

 private:
  friend class ShardFiles;
  ShardFileWriter(ShardFiles& files, ShardFileId id, const ShardFileHeader& header,
                  std::unique_ptr<File> file);

  ShardFiles& files_;
  ShardFileId id_;
  ShardFileHeader header_;
  std::unique_ptr<File> file_;
  std::vector<Sum128> sums_;
  bool kept_ = false;  ///< finished and not discarded
};

/// An open shard file. Thread-safe; every call blocks. Stays readable after unlink().
class ShardFileReader {
 public:
  [[nodiscard]] const ShardFileHeader& header() const noexcept { return header_; }
  /// Reads the whole shard of one stripe into `out`, whose size must be the shard's exact length.
  /// Unverified: the caller has the sums. Errors: corrupt (the file ends early), io_error,
  /// invalid_argument.
  Status read_stripe(std::uint64_t stripe, ByteSpan out) const;
  /// The table of sums in the trailer, for files that have one (Geometry::has_trailer), its own
  /// checksum verified. The caller checks it against the record (verify_stripe_sums).
  /// Errors: corrupt, also where there is no trailer; io_error.
  [[nodiscard]] Result<std::vector<Sum128>> read_sums() const;

 private:
  friend class ShardFiles;
  ShardFileReader(const ShardFileHeader& header, std::unique_ptr<File> file)
      : header_(header), file_(std::move(file)) {}

  ShardFileHeader header_;
  std::unique_ptr<File> file_;
};

/// The shard files of one drive: <root>/<dirno>/<uuid>, directories filled in order of arrival,
/// 4,096 files each, so that one directory sync makes the names of a whole batch durable.
/// Directories are made and synced ahead of their use. Once a sync has failed, every later
/// create(), sync_early() and finish() fails with that error (INV-5): the drive must be opened
/// anew. Thread-safe; every call blocks. FORMAT.md "Shard files".
class ShardFiles {
 public:
  static constexpr std::uint64_t kFilesPerDirectory = 4096;

  /// Takes over <root>, which exists. New files go to a directory that holds none yet, so what an
  /// earlier process left is never mixed with new arrivals. `crash` may be null.
  /// Errors: io_error, no_space.
  static Result<std::unique_ptr<ShardFiles>> open(Vfs& vfs, std::string root,
                                                  std::string quarantine, Rng& rng,
                                                  CrashPoints* crash);

  /// A new file with its header written. REQUIRES header.object_bytes > 0. Errors: io_error,
  /// no_space.
  Result<std::unique_ptr<ShardFileWriter>> create(const ShardFileHeader& header);
  /// Opens and checks header, identity and exact length. Errors: no_such_file, corrupt, io_error.
  [[nodiscard]] Result<std::shared_ptr<ShardFileReader>> open_reader(const ShardFileId& id) const;
  /// Removes a file; ok if it is gone already. Its name may come back after a power cut.
  Status unlink(const ShardFileId& id);
  /// Moves a file to the quarantine directory, under its own name (INV-11). Errors: no_such_file,
  /// io_error.
  Status quarantine(const ShardFileId& id);

  /// The oldest directory that a writer is open in, else the one that arrivals go to now. Recorded
  /// by a checkpoint, it bounds the next start's orphan scan: files that no row refers to can be
  /// only in directories >= it, or were there at the checkpoint and known to it.
  [[nodiscard]] std::uint64_t arrival_directory() const;
  /// Directory numbers >= `from`, ascending.
  [[nodiscard]] Result<std::vector<std::uint64_t>> directories(std::uint64_t from) const;
  /// Files of one directory. Names that are no shard file's are ignored.
  [[nodiscard]] Result<std::vector<ShardFileId>> files(std::uint64_t dirno) const;

 private:
  friend class ShardFileWriter;
  /// One arrival directory: who waits for a sync of its names. A sync covers only those who joined
  /// before it began (storage.md 5 rule 1); those who come while it runs wait for the next.
  struct Arrivals {
    std::unique_ptr<Directory> directory;
    std::uint64_t writers = 0;  ///< alive; the directory stays open for them
    std::uint64_t joined = 0;   ///< tickets given
    std::uint64_t synced = 0;   ///< all tickets <= this are durable
    bool syncing = false;
  };

  ShardFiles(Vfs& vfs, std::string root, std::string quarantine, Rng& rng, CrashPoints* crash);
  [[nodiscard]] std::string path_of(std::uint64_t dirno) const;
  [[nodiscard]] std::string path_of(const ShardFileId& id) const;
  /// Makes a directory and its name durable and opens it.
  Result<std::shared_ptr<Arrivals>> prepare(std::uint64_t dirno);
  Status prepare_next(std::unique_lock<std::mutex>& lock);
  Result<std::uint64_t> take_place();
  void begin_next();
  void leave(std::uint64_t dirno);
  Status sync_arrivals(std::uint64_t dirno);
  [[nodiscard]] std::optional<Error> write_failure() const;
  /// A failed sync ends writing on this drive, whoever saw it (INV-5). Returns `error`.
  Error fail_writes(Error error);
  void reach(CrashPoint point);

  Vfs& vfs_;
  std::string root_;
  std::string quarantine_;
  Rng& rng_;
  CrashPoints* crash_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, std::shared_ptr<Arrivals>> arrivals_;
  std::uint64_t current_ = 0;  ///< directory that is filled
  std::uint64_t placed_ = 0;   ///< files placed in it
  bool preparing_ = false;     ///< some thread makes the next one
  std::optional<Error> failed_;
};

}  // namespace mote::erasure
