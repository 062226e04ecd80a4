#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/write_buffer_manager.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "erasure/drive/index_rocksdb.h"
#include "erasure/meta/row_batch.h"

// Private to index_rocksdb*.cc: RocksDB's types appear in no header that other layers see.

namespace mote::erasure {

struct IndexResources::Impl {
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;
  unsigned jobs_per_drive = 2;
};

/// RocksDB opens no database without a family of this name; it stays empty.
inline constexpr const char* kUnusedFamily = "default";
/// Names of the families, by their number in Family.
[[nodiscard]] const char* family_name(Family family) noexcept;

/// The options of storage.md 2.3.
[[nodiscard]] rocksdb::DBOptions database_options(const IndexResources::Impl& shared,
                                                  const IndexOptions& options);
[[nodiscard]] rocksdb::ColumnFamilyOptions family_options(Family family,
                                                          const IndexResources::Impl& shared,
                                                          const IndexOptions& options);
/// All families in the order of Family, then the unused one.
[[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor> family_descriptors(
    const IndexResources::Impl& shared, const IndexOptions& options);

}  // namespace mote::erasure
