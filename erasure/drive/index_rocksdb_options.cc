#include "erasure/drive/index_rocksdb_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/rate_limiter.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>
#include <limits>
#include <thread>

namespace mote::erasure {
namespace {

constexpr std::size_t kBlockBytes = 8 * kKiB;
constexpr double kFilterBitsPerKey = 10;
constexpr int kCacheShardBits = 6;
constexpr std::uint64_t kPeriodicCompactionSeconds = 30ULL * 24 * 3600;  // doubles as a scrub
// Compact a file where 16,384 of 32,768 neighbours, or half of all, are deletions: 500,000
// tombstones under one prefix made the first list page take 480 ms [storage.md 2.1].
constexpr std::size_t kDeletionWindow = 32'768;
constexpr std::size_t kDeletionTrigger = 16'384;
constexpr double kDeletionRatio = 0.5;

// The information log says nothing that a simulated run could repeat.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::BlockBasedTableOptions table_options(const IndexResources::Impl& shared) {
  rocksdb::BlockBasedTableOptions table;
  table.checksum = rocksdb::kXXH3;  // crc32c is software in Debian's build, 0.7 GB/s
  table.format_version = 5;
  table.block_size = kBlockBytes;
  table.index_type = rocksdb::BlockBasedTableOptions::kBinarySearch;
  table.filter_policy.reset(rocksdb::NewRibbonFilterPolicy(kFilterBitsPerKey));
  table.whole_key_filtering = true;
  table.cache_index_and_filter_blocks = false;  // pinned by the open table, 3-9 bytes a key
  table.block_cache = shared.block_cache;
  return table;
}

bool is_payload(Family family) {
  return family == Family::obj || family == Family::ver || family == Family::pay;
}

bool has_lz4() {
  const auto supported = rocksdb::GetSupportedCompressions();
  return std::find(supported.begin(), supported.end(), rocksdb::kLZ4Compression) != supported.end();
}

}  // namespace

IndexResources::IndexResources(const Limits& limits) : impl_(std::make_unique<Impl>()) {
  const unsigned drives = std::max(1U, limits.drives);
  impl_->block_cache = rocksdb::NewLRUCache(limits.block_cache_bytes, kCacheShardBits);
  // Not charged to the cache: one that is smaller than the memtables would hold nothing.
  impl_->write_buffers = std::make_shared<rocksdb::WriteBufferManager>(limits.write_buffer_bytes);
  impl_->jobs_per_drive = std::max(2U, std::thread::hardware_concurrency() / drives);
  // Databases share one pool, and opening raises it only to what one of them wants: one hung drive
  // would starve the flushes of all others.
  rocksdb::Env* env = rocksdb::Env::Default();
  env->SetBackgroundThreads(static_cast<int>(drives * 2), rocksdb::Env::Priority::LOW);
  env->SetBackgroundThreads(static_cast<int>(drives), rocksdb::Env::Priority::HIGH);
}

IndexResources::~IndexResources() = default;

const char* family_name(Family family) noexcept {
  switch (family) {
    case Family::sys:
      return "sys";
    case Family::obj:
      return "obj";
    case Family::ver:
      return "ver";
    case Family::pay:
      return "pay";
    case Family::mpu:
      return "mpu";
    case Family::gc:
      return "gc";
  }
  return "";
}

rocksdb::DBOptions database_options(const IndexResources::Impl& shared,
                                    const IndexOptions& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = options.create;
  db.create_missing_column_families = options.create;
  db.max_open_files = -1;
  db.paranoid_checks = true;
  db.use_fsync = false;
  db.atomic_flush = true;
  db.avoid_flush_during_shutdown = true;  // closing writes nothing: the log has it
  db.max_background_jobs = static_cast<int>(shared.jobs_per_drive);
  db.max_subcompactions = 1;
  db.bytes_per_sync = kMiB;
  db.delayed_write_rate = 16 * kMiB;
  db.write_buffer_manager = shared.write_buffers;
  db.avoid_unnecessary_blocking_io = true;
  db.write_dbid_to_manifest = true;
  db.skip_stats_update_on_db_open = true;
  db.allow_mmap_reads = false;
  db.use_direct_reads = false;
  db.use_direct_io_for_flush_and_compaction = true;  // keep the page cache for GETs
  db.max_bgerror_resume_count = 0;  // never by itself: close and reopen (storage.md 2.4)
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  db.info_log_level = rocksdb::WARN_LEVEL;
  db.keep_log_file_num = 2;
  if (options.background_write_rate > 0) {
    db.rate_limiter.reset(
        rocksdb::NewGenericRateLimiter(static_cast<std::int64_t>(options.background_write_rate),
                                       100'000, 10, rocksdb::RateLimiter::Mode::kWritesOnly, true));
  }
  if (options.deterministic) {
    db.write_buffer_manager = nullptr;
    db.avoid_unnecessary_blocking_io = false;  // no file removal in the background
    db.max_file_opening_threads = 1;
    db.use_direct_io_for_flush_and_compaction = false;
    db.info_log = std::make_shared<SilentLogger>();
  }
  return db;
}

rocksdb::ColumnFamilyOptions family_options(Family family, const IndexResources::Impl& shared,
                                            const IndexOptions& options) {
  rocksdb::ColumnFamilyOptions cf;
  cf.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options(shared)));
  cf.write_buffer_size = options.memtable_bytes;
  cf.max_write_buffer_number = 4;
  cf.level_compaction_dynamic_level_bytes = true;
  cf.target_file_size_base = 32 * kMiB;  // bounds what one bad table loses
  cf.max_bytes_for_level_base = 256 * kMiB;
  cf.compression =
      is_payload(family) || !has_lz4() ? rocksdb::kNoCompression : rocksdb::kLZ4Compression;
  cf.bottommost_compression = cf.compression;
  cf.periodic_compaction_seconds = kPeriodicCompactionSeconds;
  cf.report_bg_io_stats = true;
  cf.memtable_protection_bytes_per_key = 8;
  cf.enable_blob_files = false;
  if (family == Family::obj || family == Family::pay) {
    cf.memtable_prefix_bloom_size_ratio = 0.02;
    cf.memtable_whole_key_filtering = true;
  }
  if (family != Family::sys && family != Family::pay) {  // those that are walked
    cf.table_properties_collector_factories.push_back(rocksdb::NewCompactOnDeletionCollectorFactory(
        kDeletionWindow, kDeletionTrigger, kDeletionRatio));
  }
  if (options.deterministic) {
    cf.disable_auto_compactions = true;
    cf.periodic_compaction_seconds = 0;
    cf.level0_slowdown_writes_trigger = std::numeric_limits<int>::max();
    cf.level0_stop_writes_trigger = std::numeric_limits<int>::max();
    cf.soft_pending_compaction_bytes_limit = 0;
    cf.hard_pending_compaction_bytes_limit = 0;
    cf.write_buffer_size = kGiB;  // never full: flushed only when asked for
    cf.arena_block_size = 64 * kKiB;
    cf.memtable_prefix_bloom_size_ratio = 0;
    cf.memtable_whole_key_filtering = false;
  }
  return cf;
}

std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors(const IndexResources::Impl& shared,
                                                                const IndexOptions& options) {
  std::vector<rocksdb::ColumnFamilyDescriptor> all;
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    all.emplace_back(family_name(family), family_options(family, shared, options));
  }
  all.emplace_back(kUnusedFamily, family_options(Family::sys, shared, options));
  return all;
}

}  // namespace mote::erasure
