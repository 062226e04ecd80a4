#include "erasure/drive/index_rocksdb.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/drive/index_rocksdb_env.h"
#include "erasure/drive/index_rocksdb_options.h"
#include "erasure/drive/rocks_filesystem.h"
#include "erasure/meta/keys.h"

namespace mote::erasure {
namespace {

// A walk that meets this many deleted rows in a row gives up; compaction is what it needs.
constexpr std::uint64_t kSkippedRowsMax = 1'000'000;
constexpr std::size_t kScanReadahead = 2 * kMiB;
constexpr std::size_t kProtectionBytes = 8;

rocksdb::Slice to_rocks(std::string_view text) {
  return {text.data(), text.size()};
}
std::string_view to_view(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

Error to_error(const rocksdb::Status& status, const char* where) {
  if (status.IsCorruption()) {
    return {Errc::corrupt, 0, where};
  }
  if (status.IsIncomplete() || status.IsTimedOut()) {
    return {Errc::timed_out, 0, where};
  }
  if (status.IsNoSpace()) {
    return {Errc::no_space, 0, where};
  }
  if (status.IsPathNotFound() || status.IsNotFound()) {
    // A file that the database counts on is gone: damage, not absence.
    return {Errc::corrupt, 0, where};
  }
  return {Errc::io_error, 0, where};
}

class RocksSnapshot final : public IndexSnapshot {
 public:
  explicit RocksSnapshot(rocksdb::DB& db) : db_(db), snapshot_(db.GetSnapshot()) {}
  ~RocksSnapshot() override { db_.ReleaseSnapshot(snapshot_); }
  RocksSnapshot(const RocksSnapshot&) = delete;
  RocksSnapshot& operator=(const RocksSnapshot&) = delete;
  [[nodiscard]] const rocksdb::Snapshot* get() const noexcept { return snapshot_; }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
};

const rocksdb::Snapshot* to_rocks(const IndexSnapshot* at) {
  return at == nullptr ? nullptr : static_cast<const RocksSnapshot*>(at)->get();
}

class RocksCursor final : public IndexCursor {
 public:
  RocksCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, rocksdb::ReadOptions options,
              std::pair<std::string_view, std::string_view> bounds)
      : lower_(bounds.first),
        upper_(bounds.second),
        lower_slice_(to_rocks(lower_)),
        upper_slice_(to_rocks(upper_)) {
    options.iterate_lower_bound = lower_.empty() ? nullptr : &lower_slice_;
    options.iterate_upper_bound = upper_.empty() ? nullptr : &upper_slice_;
    iterator_.reset(db.NewIterator(options, family));
  }

  void seek(std::string_view key) override {
    iterator_->Seek(to_rocks(std::max(key, std::string_view(lower_))));
    skip_applied();
  }
  void next() override {
    iterator_->Next();
    skip_applied();
  }
  [[nodiscard]] bool valid() const override { return iterator_->Valid(); }
  [[nodiscard]] std::string_view key() const override { return to_view(iterator_->key()); }
  [[nodiscard]] std::string_view value() const override { return to_view(iterator_->value()); }
  [[nodiscard]] Status status() const override {
    const rocksdb::Status status = iterator_->status();
    return status.ok() ? ok() : Status(to_error(status, "index.cursor"));
  }

 private:
  void skip_applied() {
    if (iterator_->Valid() && to_view(iterator_->key()) == kAppliedRow) {
      iterator_->Next();
    }
  }

  std::string lower_;
  std::string upper_;
  rocksdb::Slice lower_slice_;
  rocksdb::Slice upper_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

class RocksIndex final : public Index {
 public:
  explicit RocksIndex(IndexOptions options) : options_(std::move(options)) {}
  ~RocksIndex() override { close(); }
  RocksIndex(const RocksIndex&) = delete;
  RocksIndex& operator=(const RocksIndex&) = delete;

  Status open(Vfs& vfs, const std::string& path, const IndexResources& resources);

  [[nodiscard]] std::unique_ptr<IndexSnapshot> snapshot() const override {
    return std::make_unique<RocksSnapshot>(*db_);
  }
  Result<std::optional<Slice>> get(Family family, std::string_view key, ReadTier tier,
                                   const IndexSnapshot* at) const override;
  [[nodiscard]] std::unique_ptr<IndexCursor> cursor(Family family, std::string_view lower,
                                                    std::string_view upper, bool scan,
                                                    const IndexSnapshot* at) const override;
  Status apply(const std::vector<ByteView>& batches, CommitSeq last) override;
  Status flush() override;
  [[nodiscard]] CommitSeq applied() const override {
    const std::lock_guard lock(mutex_);
    return applied_;
  }
  [[nodiscard]] CommitSeq persisted() const override {
    const std::lock_guard lock(mutex_);
    return persisted_;
  }
  [[nodiscard]] Status health() const override {
    const std::lock_guard lock(mutex_);
    return health_;
  }

 private:
  // Called by RocksDB's background threads; no lock of the database is held.
  class Listener final : public rocksdb::EventListener {
   public:
    explicit Listener(RocksIndex& index) : index_(index) {}
    void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& /*info*/) override {
      (void)index_.note_persisted(*db);
    }
    void OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                           rocksdb::Status* error) override {
      index_.fail(to_error(*error, "index.background"));
    }

   private:
    RocksIndex& index_;
  };

  [[nodiscard]] rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return handles_[static_cast<std::size_t>(family)];
  }
  // What is in the tables of every family. `db` is db_, which is not set yet while open() runs.
  Result<CommitSeq> read_persisted(rocksdb::DB& db) const;
  Status note_persisted(rocksdb::DB& db);
  void fail(Error error);
  void close();

  IndexOptions options_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::atomic<bool> opened_{false};

  mutable std::mutex mutex_;
  std::mutex notify_;  // one on_persisted at a time, in order
  CommitSeq applied_;
  CommitSeq persisted_;
  Status health_ = ok();
};

Status RocksIndex::open(Vfs& vfs, const std::string& path, const IndexResources& resources) {
  if (!options_.create) {
    const Result<FileInfo> current = vfs.stat(path + "/CURRENT");
    if (!current) {
      return current.error();
    }
  }
  env_ = options_.deterministic ? make_simulated_env(vfs) : make_rocks_env(vfs);
  rocksdb::DBOptions db_options = database_options(resources.impl(), options_);
  db_options.env = env_.get();
  db_options.listeners.push_back(std::make_shared<Listener>(*this));
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(
      db_options, path, family_descriptors(resources.impl(), options_), &handles_, &db);
  if (!opened.ok()) {
    return opened.IsInvalidArgument() ? Error{Errc::corrupt, 0, "index.open"}
                                      : to_error(opened, "index.open");
  }
  db_.reset(db);
  const Result<CommitSeq> persisted = read_persisted(*db_);
  if (!persisted) {
    return persisted.error();
  }
  {
    const std::lock_guard lock(mutex_);
    persisted_ = *persisted;
    applied_ = *persisted;
  }
  opened_ = true;
  return ok();
}

Result<CommitSeq> RocksIndex::read_persisted(rocksdb::DB& db) const {
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  read.read_tier = rocksdb::kPersistedTier;
  CommitSeq least{~std::uint32_t{0}, ~std::uint64_t{0}};
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    std::string value;
    const rocksdb::Status status = db.Get(read, handles_[i], to_rocks(kAppliedRow), &value);
    if (status.IsNotFound()) {
      return CommitSeq{};
    }
    if (!status.ok()) {
      return to_error(status, "index.persisted");
    }
    if (value.size() != kCommitSeqKeyBytes) {
      return Error{Errc::corrupt, 0, "index.applied"};
    }
    least = std::min(least, read_commit_seq(value));
  }
  return least;
}

Status RocksIndex::note_persisted(rocksdb::DB& db) {
  if (!opened_) {
    return ok();
  }
  const std::lock_guard ordered(notify_);
  const Result<CommitSeq> now = read_persisted(db);
  if (!now) {
    return now.error();
  }
  {
    const std::lock_guard lock(mutex_);
    if (*now <= persisted_) {
      return ok();
    }
    persisted_ = *now;
  }
  if (options_.on_persisted) {
    options_.on_persisted(*now);
  }
  return ok();
}

void RocksIndex::fail(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!health_) {
      return;
    }
    health_ = error;
  }
  if (options_.on_background_error) {
    options_.on_background_error(error);
  }
}

void RocksIndex::close() {
  if (db_ == nullptr) {
    return;
  }
  rocksdb::CancelAllBackgroundWork(db_.get(), true);  // the listener uses the handles
  for (rocksdb::ColumnFamilyHandle* family : handles_) {
    db_->DestroyColumnFamilyHandle(family);
  }
  handles_.clear();
  db_->Close().PermitUncheckedError();
  db_.reset();
}

Result<std::optional<Slice>> RocksIndex::get(Family family, std::string_view key, ReadTier tier,
                                             const IndexSnapshot* at) const {
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  read.snapshot = to_rocks(at);
  read.read_tier = tier == ReadTier::memory ? rocksdb::kBlockCacheTier : rocksdb::kReadAllTier;
  auto pinned = std::make_shared<rocksdb::PinnableSlice>();
  const rocksdb::Status status = db_->Get(read, handle(family), to_rocks(key), pinned.get());
  if (status.IsNotFound()) {
    return std::optional<Slice>();
  }
  if (!status.ok()) {
    return to_error(status, "index.get");
  }
  const ByteView bytes = as_bytes(to_view(*pinned));
  return std::optional<Slice>(Slice{bytes, std::move(pinned)});
}

std::unique_ptr<IndexCursor> RocksIndex::cursor(Family family, std::string_view lower,
                                                std::string_view upper, bool scan,
                                                const IndexSnapshot* at) const {
  rocksdb::ReadOptions read;
  read.verify_checksums = true;
  read.snapshot = to_rocks(at);
  if (scan) {
    read.fill_cache = false;
    read.readahead_size = kScanReadahead;
  } else {
    read.max_skippable_internal_keys = kSkippedRowsMax;
  }
  return std::make_unique<RocksCursor>(*db_, handle(family), read, std::pair(lower, upper));
}

Status RocksIndex::apply(const std::vector<ByteView>& batches, CommitSeq last) {
  std::size_t bytes = 0;
  for (const ByteView batch : batches) {
    bytes += batch.size() + batch.size() / 8;
  }
  rocksdb::WriteBatch rows(bytes + kFamilyCount * 64, 0, kProtectionBytes, 0);
  rocksdb::Status added;
  bool reserved = false;
  const auto keep = [&](std::string_view key, rocksdb::Status status) {
    reserved = reserved || key == kAppliedRow;
    if (!status.ok()) {
      added = std::move(status);
    }
  };
  for (const ByteView batch : batches) {
    const Status visited = RowBatch::visit(
        batch,
        [&](Family family, std::string_view key, std::string_view value) {
          keep(key, rows.Put(handle(family), to_rocks(key), to_rocks(value)));
        },
        [&](Family family, std::string_view key) {
          keep(key, rows.Delete(handle(family), to_rocks(key)));
        });
    if (!visited) {
      return visited;
    }
  }
  if (reserved) {
    return Error{Errc::corrupt, 0, "index.apply.reserved_row"};
  }
  std::string value;
  append_commit_seq(value, last);
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    keep({}, rows.Put(handles_[i], to_rocks(kAppliedRow), value));
  }
  if (!added.ok()) {
    return to_error(added, "index.apply");
  }
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  const rocksdb::Status status = db_->Write(write, &rows);
  if (!status.ok()) {
    return to_error(status, "index.apply");
  }
  const std::lock_guard lock(mutex_);
  applied_ = last;
  return ok();
}

Status RocksIndex::flush() {
  rocksdb::FlushOptions options;
  options.wait = true;
  options.allow_write_stall = true;
  // Always all families: flushing one alone breaks the atomic flush (storage.md 3.4).
  const rocksdb::Status status = db_->Flush(options, handles_);
  if (!status.ok()) {
    return to_error(status, "index.flush");
  }
  return note_persisted(*db_);
}

}  // namespace

Result<std::unique_ptr<Index>> open_index(Vfs& vfs, const std::string& path,
                                          const IndexResources& resources, IndexOptions options) {
  auto index = std::make_unique<RocksIndex>(std::move(options));
  const Status opened = index->open(vfs, path, resources);
  if (!opened) {
    return opened.error();
  }
  return std::unique_ptr<Index>(std::move(index));
}

}  // namespace mote::erasure
