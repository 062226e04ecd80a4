#include "erasure/meta/record.h"

namespace mote::erasure {

Status verify_stripe_sums(const Layout& layout, const Extent& extent, const LocalExtent& local,
                          std::uint8_t shard_index, std::span<const Sum128> sums) {
  if (sums.size() != layout.geometry.stripe_count(extent.bytes)) {
    return Error{Errc::corrupt, 0, "shard.table_length"};
  }
  const Sum128 bound =
      bind_sum(table_sum(sums.data(), sums.size()), binding(extent.data_seq, shard_index),
               layout.geometry.shard_total(extent.bytes));
  if (bound != local.sum) {
    return Error{Errc::corrupt, 0, "shard.table_sum"};
  }
  return ok();
}

ObjectHead to_object_head(const ObjectRecord& record) {
  ObjectHead head;
  head.bytes = record.bytes;
  head.modified_ms = record.modified_ms;
  head.etag = record.etag;
  head.version = record.version;
  head.delete_marker = record.delete_marker;
  head.versioned = record.versioned;
  head.commit = commit_number(record.seq);
  head.checksum = record.checksum;
  head.attributes = record.attributes;
  if (record.multipart) {
    head.parts.reserve(record.extents.size());
    for (const Extent& extent : record.extents) {
      head.parts.push_back({extent.number, extent.bytes, extent.checksum});
    }
  }
  return head;
}

}  // namespace mote::erasure
