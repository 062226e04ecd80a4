#include "erasure/set/object_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/set/guarded_read.h"

namespace mote::erasure {

ObjectFiles::ObjectFiles(std::shared_ptr<SetContext> context,
                         std::shared_ptr<const Members> members,
                         std::shared_ptr<const ObjectRows> rows)
    : context_(std::move(context)), members_(std::move(members)), rows_(std::move(rows)) {
  std::vector<Uuid> files;
  for (const std::optional<LocalRow>& local : rows_->locals) {
    if (!local) {
      continue;
    }
    for (const LocalExtent& extent : local->part.extents) {
      if (!is_absent(extent)) {
        files.push_back(extent.file);
      }
    }
  }
  pin_ = context_->pins.pin(std::move(files));
}

void ObjectFiles::fetch(std::size_t extent, std::uint64_t stripe, Slot slot,
                        Completion<Slice> done) {
  const std::shared_ptr<Drive>& drive = members_->slots[slot].drive;
  if (!drive || slot >= rows_->locals.size() || !rows_->locals[slot]) {
    done({Errc::drive_failed, "set.no_shard_here"});
    return;
  }
  drive->reads().post(
      [this, &drive = *drive, extent, stripe, slot, done = std::move(done)]() mutable {
        done(guarded_read([&] { return read_shard(drive, extent, stripe, slot); }));
      });
}

Result<Slice> ObjectFiles::read_shard(Drive& drive, std::size_t extent, std::uint64_t stripe,
                                      Slot slot) {
  const Result<std::shared_ptr<const OpenFile>> file = open_file(drive, extent, slot);
  if (!file) {
    return file.error();
  }
  const std::uint64_t length = geometry().stripe_length(record().extents[extent].bytes, stripe);
  Buffer shard(geometry().shard_bytes(length));
  if (const Status read = (*file)->reader->read_stripe(stripe, shard.span()); !read) {
    return read.error();
  }
  if (const Status good = verify_payload(shard.view(), shard.size(), (*file)->sums[stripe]);
      !good) {
    return good.error();
  }
  return std::move(shard).share();
}

Result<std::shared_ptr<const ObjectFiles::OpenFile>> ObjectFiles::open_file(Drive& drive,
                                                                            std::size_t extent,
                                                                            Slot slot) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = files_.find({extent, slot}); found != files_.end()) {
      return found->second;
    }
  }
  const LocalRow& row = *rows_->locals[slot];
  const LocalExtent& local = row.part.extents[extent];
  if (is_absent(local)) {
    return {Errc::no_such_file, "set.shard_absent"};
  }
  Result<std::shared_ptr<ShardFileReader>> reader =
      drive.shard_files().open_reader({local.file, local.dirno});
  if (!reader) {
    // Nothing is known of a file on a drive that was pulled from under us.
    const bool gone = reader.error().code == Errc::no_such_file && !drive.check_root();
    return gone ? Error{Errc::drive_failed, 0, "set.root_gone"} : reader.error();
  }
  auto file = std::make_shared<OpenFile>();
  file->reader = *std::move(reader);
  file->sums = local.stripe_sums;
  const Extent& common = record().extents[extent];
  if (geometry().has_trailer(common.bytes)) {
    Result<std::vector<Sum128>> sums = file->reader->read_sums();
    if (!sums) {
      return sums.error();
    }
    file->sums = *std::move(sums);
  }
  if (const Status good =
          verify_stripe_sums(record().layout, common, local, row.part.shard_index, file->sums);
      !good) {
    return good.error();
  }
  const std::lock_guard lock(mutex_);
  return files_.try_emplace({extent, slot}, std::move(file)).first->second;
}

/// One read(): piece after piece, each from one stripe.
class ErasureReader::RangeRead : public std::enable_shared_from_this<RangeRead> {
 public:
  RangeRead(std::shared_ptr<ObjectFiles> files, std::shared_ptr<LastStripe> last,
            Gate::Ticket ticket, Completion<Slice> done)
      : files_(std::move(files)),
        last_(std::move(last)),
        ticket_(std::move(ticket)),
        done_(std::move(done)) {}

  void start(std::uint64_t offset, std::size_t count) {
    out_ = Buffer(count);
    const ObjectRecord& record = files_->record();
    std::uint64_t begin = 0;  // of the extent, in the object
    for (std::size_t i = 0; i < record.extents.size(); ++i) {
      const std::uint64_t end = begin + record.extents[i].bytes;
      const std::uint64_t from = std::max(offset, begin);
      const std::uint64_t to = std::min(offset + count, end);
      if (from < to) {
        const Geometry& geometry = files_->geometry();
        const std::uint64_t spans = geometry.span_count(from - begin, to - from);
        for (std::uint64_t s = 0; s < spans; ++s) {
          pieces_.push_back(
              {i, geometry.span(record.extents[i].bytes, from - begin, to - from, s)});
        }
      }
      begin = end;
    }
    next();
  }

 private:
  struct Piece {
    std::size_t extent = 0;
    StripeSpan span;
  };

  void next() {
    while (at_ < pieces_.size() && from_last()) {
    }
    if (at_ == pieces_.size()) {
      finish(std::move(out_).share());
      return;
    }
    const Piece& piece = pieces_[at_];
    ShardGather::Plan plan;
    plan.start = files_->record().layout.start;
    plan.wanted = wanted(piece);
    plan.members = files_->members();
    auto gather = std::make_shared<ShardGather>(
        files_->context(), std::move(plan),
        [files = files_, piece](Slot slot, Completion<Slice> shard) {
          // The completion keeps `files` until the read on the drive's thread is over.
          ObjectFiles& target = *files;
          target.fetch(piece.extent, piece.span.stripe, slot,
                       [files, shard = std::move(shard)](Result<Slice> got) mutable {
                         shard(std::move(got));
                       });
        },
        [self = shared_from_this()](Result<ShardArray> shards, std::vector<SlotFailure> failures) {
          self->gathered(std::move(shards), failures);
        });
    gather->start();
  }

  /// Data shards that hold bytes of the piece.
  [[nodiscard]] std::uint16_t wanted(const Piece& piece) const {
    const std::uint64_t shard = files_->geometry().shard_bytes(piece.span.stripe_bytes);
    unsigned mask = 0;
    for (std::uint64_t i = piece.span.begin / shard;
         i <= (piece.span.begin + piece.span.bytes - 1) / shard; ++i) {
      mask |= 1U << i;
    }
    return static_cast<std::uint16_t>(mask);
  }

  /// Takes the piece from the stripe of the read before, if its shards are all there.
  bool from_last() {
    const std::lock_guard lock(last_->mutex);
    const Piece& piece = pieces_[at_];
    if (last_->extent != piece.extent || last_->stripe != piece.span.stripe) {
      return false;
    }
    return copy_piece(last_->shards);
  }

  /// Copies the piece out of data shards; false if one is missing.
  bool copy_piece(const ShardArray& shards) {
    const Piece& piece = pieces_[at_];
    const std::uint64_t shard = files_->geometry().shard_bytes(piece.span.stripe_bytes);
    const std::uint16_t needed = wanted(piece);
    for (unsigned i = 0; i < files_->geometry().k; ++i) {
      if (has(needed, i) && shards[i].size() != shard) {
        return false;
      }
    }
    std::uint64_t at = piece.span.begin;
    const std::uint64_t end = piece.span.begin + piece.span.bytes;
    while (at < end) {
      const std::uint64_t index = at / shard;
      const std::uint64_t bytes = std::min(end, (index + 1) * shard) - at;
      std::memcpy(out_.data() + filled_, shards[index].bytes.data() + (at - index * shard), bytes);
      filled_ += bytes;
      at += bytes;
    }
    ++at_;
    return true;
  }

  void gathered(Result<ShardArray> shards, const std::vector<SlotFailure>& failures) {
    const ObjectRows& rows = files_->rows();
    for (const SlotFailure& failure : failures) {
      if (is_damage(failure.code)) {
        files_->context().report_damage({rows.family, rows.row_key});
      }
    }
    if (!shards) {
      finish(shards.error());
      return;
    }
    if (const Status complete = fill_missing(*shards); !complete) {
      finish(complete.error());
      return;
    }
    const Piece piece = pieces_[at_];
    MOTE_CHECK(copy_piece(*shards));
    {
      const std::lock_guard lock(last_->mutex);
      last_->extent = piece.extent;
      last_->stripe = piece.span.stripe;
      last_->shards = *std::move(shards);
    }
    next();
  }

  /// Makes the data shards of the piece that did not come out of those that did.
  Status fill_missing(ShardArray& shards) {
    const Piece& piece = pieces_[at_];
    const std::uint64_t bytes = files_->geometry().shard_bytes(piece.span.stripe_bytes);
    const std::uint16_t needed = wanted(piece);
    std::array<ByteView, kShardsMax> present;
    std::vector<WantedShard> missing;
    std::vector<std::pair<unsigned, Buffer>> made;
    for (unsigned i = 0; i < files_->context().drives(); ++i) {
      present[i] = shards[i].bytes;
      if (has(needed, i) && shards[i].bytes.empty()) {
        made.emplace_back(i, Buffer(bytes));
      }
    }
    if (made.empty()) {
      return ok();
    }
    for (auto& [index, buffer] : made) {
      missing.push_back({index, buffer.span()});
    }
    const Status done = files_->context().codec.reconstruct(
        std::span(present.data(), files_->context().drives()), missing);
    for (auto& [index, buffer] : made) {
      shards[index] = std::move(buffer).share();
    }
    return done;
  }

  void finish(Result<Slice> result) {
    Completion<Slice> done = std::move(done_);
    ticket_.leave();
    done(std::move(result));
  }

  const std::shared_ptr<ObjectFiles> files_;
  const std::shared_ptr<LastStripe> last_;
  Gate::Ticket ticket_;
  Completion<Slice> done_;
  Buffer out_;
  std::size_t filled_ = 0;
  std::vector<Piece> pieces_;
  std::size_t at_ = 0;
};

ErasureReader::ErasureReader(std::shared_ptr<ObjectFiles> files, std::stop_token stop)
    : files_(std::move(files)), stop_(std::move(stop)), last_(std::make_shared<LastStripe>()) {}

void ErasureReader::read(std::uint64_t offset, std::size_t count, Completion<Slice> done) {
  MOTE_CHECK(count > 0 && offset + count <= files_->record().bytes);
  if (stop_.stop_requested()) {
    done({Errc::cancelled, "set.read"});
    return;
  }
  std::optional<Gate::Ticket> ticket = files_->context().gate.enter();
  if (!ticket) {
    done({Errc::shutting_down, "set.read"});
    return;
  }
  std::make_shared<RangeRead>(files_, last_, *std::move(ticket), std::move(done))
      ->start(offset, count);
}

}  // namespace mote::erasure
