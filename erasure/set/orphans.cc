#include "erasure/set/orphans.h"

#include <cstring>
#include <unordered_map>

#include "erasure/meta/record_codec.h"
#include "erasure/set/object_rows.h"
#include "erasure/set/on_slots.h"

namespace mote::erasure {
namespace {

struct UuidHash {
  std::size_t operator()(const Uuid& uuid) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, uuid.data(), sizeof hash);
    return hash;
  }
};
using Files = std::unordered_map<Uuid, std::uint64_t, UuidHash>;  // file → directory

Result<Files> files_below(const ShardFiles& files, std::uint64_t arrival) {
  Files found;
  const Result<std::vector<std::uint64_t>> directories = files.directories(0);
  if (!directories) {
    return directories.error();
  }
  for (const std::uint64_t dirno : *directories) {
    if (dirno >= arrival) {
      continue;
    }
    const Result<std::vector<ShardFileId>> names = files.files(dirno);
    if (!names) {
      return names.error();
    }
    for (const ShardFileId& id : *names) {
      found.emplace(id.file, id.dirno);
    }
  }
  return found;
}

void forget(Files& files, const LocalPart& part) {
  for (const LocalExtent& extent : part.extents) {
    files.erase(extent.file);
  }
}

/// Takes out of `files` what one family's rows refer to.
Status forget_referred(const Index& index, const IndexSnapshot& at, Family family, Files& files) {
  const auto cursor = index.cursor(family, "", "", true, &at);
  for (cursor->seek(""); cursor->valid() && !files.empty(); cursor->next()) {
    const ByteView value = as_bytes(cursor->value());
    if (family == Family::gc) {
      if (const std::optional<GarbageRow> row = parse_garbage_row(cursor->key())) {
        files.erase(row->file);
      }
    } else if (family == Family::mpu) {
      const std::optional<UploadRow> row = parse_upload_row(cursor->key());
      if (!row || !row->part) {
        continue;
      }
      const Result<DecodedPart> part = decode_part(value);
      if (!part) {
        return part.error();
      }
      forget(files, part->local);
    } else if (cursor->key() != kAppliedRow) {
      const Result<DecodedRecord> record = decode_record(value);
      if (!record) {
        return record.error();
      }
      forget(files, record->local);
    }
  }
  return cursor->status();
}

}  // namespace

Result<std::size_t> quarantine_orphans(Drive& drive, std::uint64_t arrival) {
  Result<Files> files = files_below(drive.shard_files(), arrival);
  if (!files || files->empty()) {
    return files ? Result<std::size_t>(std::size_t{0}) : Result<std::size_t>(files.error());
  }
  // One snapshot over all families: a row that moves from one to another is in it once.
  const std::unique_ptr<IndexSnapshot> at = drive.index().snapshot();
  for (const Family family : {Family::obj, Family::ver, Family::mpu, Family::gc}) {
    if (const Status walked = forget_referred(drive.index(), *at, family, *files); !walked) {
      return walked.error();
    }
  }
  std::size_t count = 0;
  for (const auto& [file, dirno] : *files) {
    if (const Status moved = drive.shard_files().quarantine({file, dirno}); !moved) {
      return moved.error();
    }
    ++count;
  }
  return count;
}

void OrphanScan::start() {
  const std::shared_ptr<const Members> members = context_->members();
  for (const Member& member : members->slots) {
    if (member.drive) {
      arrivals_.push_back(
          {member.drive->label().drive, member.drive->shard_files().arrival_directory()});
    }
  }
  schedule(after_);
}

void OrphanScan::schedule(std::chrono::milliseconds delay) {
  context_->outside.scheduler.after(delay, [weak = weak_from_this()] {
    if (const std::shared_ptr<OrphanScan> self = weak.lock()) {
      self->scan();
    }
  });
}

void OrphanScan::scan() {
  std::optional<Gate::Ticket> ticket = context_->gate.enter();
  if (!ticket) {
    return;
  }
  std::shared_ptr<const Members> members = context_->members();
  if (!members->complete()) {
    schedule(context_->options.garbage_period);
    return;
  }
  const SlotMask slots = members->current;
  on_slots<std::size_t>(
      *context_, std::move(members), slots,
      [arrivals = arrivals_](Drive& drive) -> Result<std::size_t> {
        for (const Arrival& arrival : arrivals) {
          if (arrival.drive == drive.label().drive) {
            return quarantine_orphans(drive, arrival.dirno);
          }
        }
        return std::size_t{0};
      },
      [self = shared_from_this(), ticket = *std::move(ticket)](SlotAnswers<std::size_t> found) {
        for (const Result<std::size_t>& each : found) {
          if (each) {
            self->context_->counters.orphans_found.fetch_add(*each, std::memory_order_relaxed);
          }
        }
      });
}

}  // namespace mote::erasure
