#include "erasure/heal/mender.h"

#include <algorithm>
#include <utility>

#include "erasure/heal/shard_source.h"
#include "erasure/set/object_rows.h"
#include "erasure/set/shard_rebuild.h"

namespace mote::erasure {

Mending::~Mending() {
  for (const std::unique_ptr<ShardFileWriter>& file : files) {
    if (file) {
      file->discard();
    }
  }
}

bool Mending::needed() const {
  return !waste.empty() ||
         std::any_of(rows.begin(), rows.end(), [](const SlotRows& each) { return !each.empty(); });
}

std::shared_ptr<const Commit> Mending::commit() {
  auto result = std::make_shared<SlotCommit>(std::move(rows));
  for (SlotCommit::Waste& each : waste) {
    result->add_waste(std::move(each));
  }
  rows.clear();
  waste.clear();
  return result;
}

Mender::Copies Mender::read_copies(Family family, const std::string& key) {
  Copies copies(members_->slots.size());
  for (Slot slot = 0; slot < copies.size(); ++slot) {
    const std::shared_ptr<Drive>& drive = members_->slots[slot].drive;
    if (!drive) {
      continue;
    }
    Result<std::optional<Slice>> row = drive->index().get(family, key, ReadTier::device);
    if (!row) {
      continue;
    }
    Copy& copy = copies[slot];
    if (row->has_value()) {
      Result<std::optional<ShardedRow>> parsed = parse_sharded(family, key, (*row)->bytes);
      if (!parsed) {
        continue;  // damaged: as good as unreadable
      }
      copy.sharded = *std::move(parsed);
    }
    copy.row = *std::move(row);
    copy.readable = true;
  }
  return copies;
}

/// The drive whose copy is right: of the current ones the newest. A current drive that lacks what
/// another current drive has lost it.
std::optional<Slot> Mender::elect(const Copies& copies, bool& answered) const {
  std::optional<Slot> best;
  answered = false;
  for (Slot slot = 0; slot < copies.size(); ++slot) {
    const Copy& copy = copies[slot];
    if (!members_->is_current(slot) || !copy.readable) {
      continue;
    }
    answered = true;
    if (!copy.row) {
      continue;
    }
    if (!best ||
        (copy.sharded && copies[*best].sharded && copy.sharded->seq > copies[*best].sharded->seq)) {
      best = slot;
    }
  }
  return best;
}

Status Mender::mend(Family family, const std::string& key, SlotMask targets, Mending& mending) {
  const std::optional<RowName> name = name_of_row(family, key);
  bucket_id_ = name ? name->bucket_id : 0;
  const Copies copies = read_copies(family, key);
  bool answered = false;
  const std::optional<Slot> elected = elect(copies, answered);
  if (!answered) {
    return {Errc::read_quorum, "heal.no_current_drive"};
  }
  for (Slot target = 0; target < copies.size(); ++target) {
    if (!has(targets, target) || !members_->slots[target].drive) {
      continue;
    }
    const Copy& have = copies[target];
    if (!elected) {
      drop(family, key, target, have, mending);
    } else if (copies[*elected].sharded) {
      mend_sharded(family, key, copies, *elected, target, mending);
    } else {
      mend_plain(family, key, copies[*elected], target, have, mending);
    }
  }
  return ok();
}

void Mender::drop(Family family, const std::string& key, Slot target, const Copy& have,
                  Mending& mending) const {
  if (have.readable && !have.row) {
    return;
  }
  mending.rows[target].erase(family, key);
  ++mending.mended;
  if (have.sharded) {
    add_waste(target, *have.sharded, {}, mending);
  }
}

void Mender::mend_plain(Family family, const std::string& key, const Copy& right, Slot target,
                        const Copy& have, Mending& mending) const {
  const bool same = have.row && std::ranges::equal(have.row->bytes, right.row->bytes);
  if (!same) {
    mending.rows[target].put(family, key, std::string(as_text(right.row->bytes)));
    ++mending.mended;
  }
}

void Mender::mend_sharded(Family family, const std::string& key, const Copies& copies, Slot elected,
                          Slot target, Mending& mending) {
  const ShardedRow& right = *copies[elected].sharded;
  const Copy& have = copies[target];
  LocalPart local;
  local.shard_index = context_.geometry.shard_of_slot(target, right.layout.start);
  Buffer payload;
  SlotRows extra;
  bool changed = !have.sharded || have.sharded->seq != right.seq;
  for (std::size_t i = 0; i < right.extents.size(); ++i) {
    const Extent& extent = right.extents[i];
    Result<MadeExtent> made = provide(copies, right, i, target, mending);
    if (!made) {
      (made.error().code == Errc::corrupt ? mending.lost : mending.waiting) += 1;
      local.extents.push_back(absent_extent(right.layout.geometry, extent));
      payload = Buffer();
      if (extent.place == ShardPlace::record) {
        payload = Buffer(right.layout.geometry.shard_bytes(extent.bytes));
        std::fill_n(payload.data(), payload.size(), std::byte{0});
      }
      continue;
    }
    changed = changed || made->made;
    local.extents.push_back(std::move(made->local));
    if (extent.place == ShardPlace::pay && made->made) {
      extra.put(Family::pay, payload_row(extent.data_seq, extent.pay_index),
                std::string(as_text(made->payload.view())));
    } else if (extent.place == ShardPlace::record) {
      payload = std::move(made->payload);
    }
  }
  if (!changed) {
    return;
  }
  for (const SlotRows::Entry& entry : extra.entries()) {
    mending.rows[target].put(entry.family, entry.key, entry.value);
  }
  mending.rows[target].put(family, key, encode_sharded(right, local, payload.view()));
  ++mending.mended;
  if (have.sharded) {
    add_waste(target, *have.sharded, local, mending);
  }
}

/// Files of an old copy that the new one does not use become garbage.
void Mender::add_waste(Slot target, const ShardedRow& old, const LocalPart& kept,
                       Mending& mending) const {
  for (std::size_t i = 0; i < old.local.extents.size(); ++i) {
    const LocalExtent& local = old.local.extents[i];
    if (old.extents[i].place != ShardPlace::file || is_absent(local)) {
      continue;
    }
    const bool used = std::any_of(kept.extents.begin(), kept.extents.end(),
                                  [&](const LocalExtent& each) { return each.file == local.file; });
    if (!used) {
      mending.waste.push_back({target,
                               encode_garbage({local.dirno, old.layout.geometry.shard_file_bytes(
                                                                old.extents[i].bytes)}),
                               local.file});
    }
  }
}

Result<Mender::MadeExtent> Mender::provide(const Copies& copies, const ShardedRow& right,
                                           std::size_t extent, Slot target, Mending& mending) {
  const Extent& wanted = right.extents[extent];
  const std::uint8_t index = context_.geometry.shard_of_slot(target, right.layout.start);
  Drive& drive = *members_->slots[target].drive;
  MadeExtent result;
  if (wanted.place == ShardPlace::none) {
    return result;
  }
  const Copy& have = copies[target];
  const LocalExtent* mine = have.sharded && have.sharded->local.shard_index == index
                                ? matching_extent(*have.sharded, right.layout, wanted)
                                : nullptr;
  if (mine != nullptr &&
      verify_extent(drive, right.layout, wanted, *mine, index, have.sharded->payload)) {
    result.local = *mine;
    if (wanted.place == ShardPlace::record) {
      result.payload = Buffer(have.sharded->payload.size());
      std::ranges::copy(have.sharded->payload, result.payload.data());
    }
    return result;
  }
  if (wanted.place == ShardPlace::file) {
    return rebuild_file(copies, right, extent, target, mending);
  }
  Result<Buffer> shard = rebuild_inline(copies, right, extent, index);
  if (!shard) {
    return shard.error();
  }
  result.local.sum =
      bind_sum(payload_sum(shard->view()), binding(wanted.data_seq, index), shard->size());
  result.payload = *std::move(shard);
  result.made = true;
  return result;
}

Error Mender::too_few(unsigned unreachable, unsigned good) const {
  const bool hope = good + unreachable >= context_.geometry.k;
  return {hope ? Errc::read_quorum : Errc::corrupt, 0, "heal.too_few_shards"};
}

Result<Buffer> Mender::rebuild_inline(const Copies& copies, const ShardedRow& right,
                                      std::size_t extent, std::uint8_t index) {
  std::array<ByteView, kShardsMax> shards;
  std::vector<Slice> owners;
  unsigned good = 0;
  unsigned unreachable = 0;
  const Extent& wanted = right.extents[extent];
  for (Slot slot = 0; slot < copies.size(); ++slot) {
    const unsigned shard = context_.geometry.shard_of_slot(slot, right.layout.start);
    if (!members_->slots[slot].drive) {
      ++unreachable;
      continue;
    }
    const Copy& copy = copies[slot];
    const LocalExtent* local =
        copy.sharded ? matching_extent(*copy.sharded, right.layout, wanted) : nullptr;
    if (local == nullptr || copy.sharded->local.shard_index != shard) {
      continue;
    }
    const Result<Slice> bytes =
        inline_shard(*members_->slots[slot].drive, right.layout, wanted, *local,
                     static_cast<std::uint8_t>(shard), {copy.sharded->payload, copy.row->owner});
    if (bytes) {
      shards[shard] = bytes->bytes;
      owners.push_back(*bytes);
      ++good;
    } else if (bytes.error().code == Errc::io_error) {
      ++unreachable;
    }
  }
  if (good < context_.geometry.k) {
    return too_few(unreachable, good);
  }
  return rebuild_shard(context_.codec, shards, index,
                       right.layout.geometry.shard_bytes(wanted.bytes));
}

Result<Mender::MadeExtent> Mender::rebuild_file(const Copies& copies, const ShardedRow& right,
                                                std::size_t extent, Slot target, Mending& mending) {
  const Extent& wanted = right.extents[extent];
  const std::uint8_t index = context_.geometry.shard_of_slot(target, right.layout.start);
  FileSources sources(right.layout, wanted);
  unsigned unreachable = 0;
  for (Slot slot = 0; slot < copies.size(); ++slot) {
    if (!members_->slots[slot].drive) {
      ++unreachable;
      continue;
    }
    const unsigned shard = context_.geometry.shard_of_slot(slot, right.layout.start);
    const Copy& copy = copies[slot];
    const LocalExtent* local =
        copy.sharded ? matching_extent(*copy.sharded, right.layout, wanted) : nullptr;
    if (local != nullptr && copy.sharded->local.shard_index == shard) {
      sources.add(*members_->slots[slot].drive, *local, static_cast<std::uint8_t>(shard));
    }
  }
  if (sources.count() < context_.geometry.k) {
    return too_few(unreachable, sources.count());
  }
  ShardFileHeader header;
  header.bucket_id = bucket_id_;
  header.writer = context_.outside.rng.uuid();
  header.part = wanted.number;
  header.shard_index = index;
  header.geometry = right.layout.geometry;
  header.object_bytes = wanted.bytes;
  Drive& drive = *members_->slots[target].drive;
  Result<std::unique_ptr<ShardFileWriter>> writer = drive.shard_files().create(header);
  if (!writer) {
    return {Errc::read_quorum, "heal.target_file"};
  }
  const std::uint64_t stripes = right.layout.geometry.stripe_count(wanted.bytes);
  for (std::uint64_t stripe = 0; stripe < stripes; ++stripe) {
    Result<Buffer> shard = sources.rebuild(context_.codec, stripe, index);
    if (!shard) {
      return too_few(unreachable + sources.failing(), sources.count() - sources.failing());
    }
    if (const Status written = (*writer)->append(shard->view()); !written) {
      return {Errc::read_quorum, "heal.target_write"};
    }
  }
  if (const Status done = (*writer)->finish(); !done) {
    return {Errc::read_quorum, "heal.target_sync"};
  }
  MadeExtent result;
  const std::vector<Sum128>& sums = (*writer)->stripe_sums();
  result.local.file = (*writer)->id().file;
  result.local.dirno = (*writer)->id().dirno;
  result.local.sum = bind_sum(table_sum(sums.data(), sums.size()), binding(wanted.data_seq, index),
                              right.layout.geometry.shard_total(wanted.bytes));
  if (!right.layout.geometry.has_trailer(wanted.bytes)) {
    result.local.stripe_sums = sums;
  }
  result.made = true;
  mending.files.push_back(*std::move(writer));
  return result;
}

}  // namespace mote::erasure
