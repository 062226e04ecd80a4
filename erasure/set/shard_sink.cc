#include "erasure/set/shard_sink.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/set/object_rows.h"

namespace mote::erasure {

StoredFiles::~StoredFiles() {
  for (Written& file : files_) {
    Executor& writes = file.drive->writes();
    writes.post(
        [drive = std::move(file.drive), writer = std::move(file.writer)] { writer->discard(); });
  }
}

void StoredFiles::keep() noexcept {
  files_.clear();
}

ShardStream::ShardStream(std::shared_ptr<SetContext> context,
                         std::shared_ptr<const Members> members, const ShardFileHeader& header,
                         std::uint16_t set_id)
    : context_(std::move(context)),
      members_(std::move(members)),
      header_(header),
      layout_{header.geometry, header.geometry.start_of(header.key_hash), set_id},
      lanes_(members_->slots.size()) {
  for (Slot slot = 0; slot < lanes_.size(); ++slot) {
    if (has(members_->writers(), slot)) {
      lanes_[slot].drive = members_->slots[slot].drive;
    }
  }
}

unsigned ShardStream::live() const {
  return static_cast<unsigned>(
      std::count_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.drive; }));
}

Error ShardStream::verdict() const {
  const bool for_space = live() + full_ >= context_->geometry.write_quorum();
  return {for_space ? Errc::no_space : Errc::write_quorum, 0, "set.shard_stream"};
}

void ShardStream::push(Buffer stripe, Completion<void> done) {
  // Once `room_` is set another thread may run it, and whoever is told may let go of the stream.
  const std::shared_ptr<ShardStream> self = shared_from_this();
  struct Memory {
    Buffer data;
    EncodedStripe encoded;
  };
  auto memory = std::make_shared<Memory>();
  memory->data = std::move(stripe);
  memory->encoded = context_->codec.encode_stripe(memory->data.view());
  std::vector<Slot> idle;
  {
    const std::lock_guard lock(mutex_);
    ++stripes_;
    for (Slot slot = 0; slot < lanes_.size(); ++slot) {
      Lane& lane = lanes_[slot];
      if (!lane.drive) {
        continue;
      }
      const unsigned shard = layout_.geometry.shard_of_slot(slot, layout_.start);
      lane.queue.push_back({memory->encoded.shards[shard], memory});
      idle.push_back(slot);
    }
    room_ = std::move(done);
  }
  watch();
  for (const Slot slot : idle) {
    kick(slot);
  }
  settle();
}

void ShardStream::finish(Completion<std::shared_ptr<StoredFiles>> done) {
  const std::shared_ptr<ShardStream> self = shared_from_this();  // as in push()
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    done_ = std::move(done);
  }
  watch();
  for (Slot slot = 0; slot < lanes_.size(); ++slot) {
    kick(slot);
  }
  settle();
}

void ShardStream::kick(Slot slot) {
  std::shared_ptr<Drive> drive;
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[slot];
    const bool work = !lane.queue.empty() || (finishing_ && !lane.finished);
    if (!lane.drive || lane.busy || !work || abandoned_) {
      return;
    }
    lane.busy = true;
    lane.running = false;
    lane.since = context_->outside.clock.steady();
    drive = lane.drive;
  }
  drive->writes().post([self = shared_from_this(), slot] { self->run(slot); });
}

void ShardStream::run(Slot slot) {
  Slice shard;
  Lane* lane = nullptr;
  std::shared_ptr<Drive> drive;
  std::unique_ptr<ShardFileWriter> unwanted;
  {
    const std::lock_guard lock(mutex_);
    lane = &lanes_[slot];
    if (!lane->drive || abandoned_) {
      lane->busy = false;
      unwanted = std::move(lane->writer);
      return;
    }
    drive = lane->drive;
    lane->running = true;
    lane->since = context_->outside.clock.steady();
    if (!lane->queue.empty()) {
      shard = std::move(lane->queue.front());
      lane->queue.pop_front();
    }
  }
  const Status status = work_on(*lane, *drive, slot, shard);
  const bool finished = shard.bytes.empty();
  shard = {};
  step_done(slot, status, finished && status);
}

/// Appends the shard, or finishes the file when there is none left. `lane.writer` belongs to the
/// one task of the lane that runs.
Status ShardStream::work_on(Lane& lane, Drive& drive, Slot slot, const Slice& shard) {
  if (!lane.writer) {
    ShardFileHeader header = header_;
    header.shard_index = layout_.geometry.shard_of_slot(slot, layout_.start);
    Result<std::unique_ptr<ShardFileWriter>> writer = drive.shard_files().create(header);
    if (!writer) {
      return writer.error();
    }
    lane.writer = *std::move(writer);
  }
  if (shard.bytes.empty()) {
    return lane.writer->finish();
  }
  if (const Status appended = lane.writer->append(shard.bytes); !appended) {
    return appended;
  }
  if (lane.writer->stripe_sums().size() % kEarlySyncStripes == 0) {
    return lane.writer->sync_early();
  }
  return ok();
}

void ShardStream::step_done(Slot slot, const Status& status, bool finished) {
  std::unique_ptr<ShardFileWriter> unwanted;  // removes its file here, on the drive's thread
  bool failed = false;
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[slot];
    lane.busy = false;
    lane.running = false;
    failed = !status && lane.drive && !abandoned_;
    if (!status || !lane.drive || abandoned_) {
      unwanted = std::move(lane.writer);
    } else {
      lane.finished = finished;
    }
  }
  if (unwanted && finished) {
    unwanted->discard();
  }
  unwanted.reset();
  if (failed) {
    lane_failed(slot, status.error());
  }
  kick(slot);
  settle();
}

void ShardStream::lane_failed(Slot slot, Error error) {
  std::shared_ptr<Drive> drive;
  {
    const std::lock_guard lock(mutex_);
    Lane& lane = lanes_[slot];
    if (!lane.drive) {
      return;
    }
    drive = std::move(lane.drive);
    lane.drive = nullptr;
    lane.queue.clear();
    if (error.code == Errc::no_space) {
      ++full_;
    }
  }
  if (error.code == Errc::no_space) {
    context_->pipeline->report_no_space(slot);
  } else {
    context_->pipeline->report_failure(slot, error);
  }
}

void ShardStream::settle() {
  Completion<void> room;
  Completion<std::shared_ptr<StoredFiles>> done;
  Status status = ok();
  std::shared_ptr<StoredFiles> files;
  {
    const std::lock_guard lock(mutex_);
    if (live() < context_->geometry.write_quorum()) {
      status = verdict();
    }
    const bool crowded = std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
      return lane.drive && lane.queue.size() >= kQueuedStripesMax;
    });
    if (room_ && (!status || !crowded)) {
      room = std::move(room_);
    }
    const bool all = std::all_of(lanes_.begin(), lanes_.end(),
                                 [](const Lane& lane) { return !lane.drive || lane.finished; });
    if (done_ && (!status || all)) {
      done = std::move(done_);
      if (status) {
        files = collect();
      }
    }
  }
  if (room) {
    room(status);
  }
  if (done && status) {
    done(std::move(files));
  } else if (done) {
    abandon();
    done(status.error());
  }
}

std::shared_ptr<StoredFiles> ShardStream::collect() {
  auto files = std::make_shared<StoredFiles>();
  files->bytes = header_.object_bytes;
  files->layout = layout_;
  Extent extent;
  extent.place = ShardPlace::file;
  extent.bytes = header_.object_bytes;
  for (Slot slot = 0; slot < lanes_.size(); ++slot) {
    Lane& lane = lanes_[slot];
    LocalExtent local = absent_extent(layout_.geometry, extent);
    if (lane.drive) {
      const std::vector<Sum128>& sums = lane.writer->stripe_sums();
      local.file = lane.writer->id().file;
      local.dirno = lane.writer->id().dirno;
      local.sum = table_sum(sums.data(), sums.size());
      if (!local.stripe_sums.empty()) {
        local.stripe_sums = sums;
      }
      files->holders = static_cast<SlotMask>(files->holders | bit(slot));
      files->files_.push_back({std::move(lane.drive), std::move(lane.writer)});
      lane.drive = nullptr;
    }
    files->locals.push_back(std::move(local));
  }
  return files;
}

void ShardStream::abandon() {
  Completion<void> room;
  Completion<std::shared_ptr<StoredFiles>> done;
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
    for (Lane& lane : lanes_) {
      drop(lane);
    }
    room = std::move(room_);
    done = std::move(done_);
  }
  if (room) {
    room({Errc::cancelled, "set.sink_abandoned"});
  }
  if (done) {
    done({Errc::cancelled, "set.sink_abandoned"});
  }
}

/// Removes what a lane has written, on its drive's thread; a task that runs does it itself at its
/// end.
void ShardStream::drop(Lane& lane) {
  lane.queue.clear();
  const std::shared_ptr<Drive> drive = std::move(lane.drive);
  lane.drive = nullptr;
  if (!drive || lane.busy || !lane.writer) {
    return;
  }
  drive->writes().post(
      [drive, finished = lane.finished, writer = std::move(lane.writer)]() mutable {
        if (finished) {
          writer->discard();
        }
        writer.reset();
      });
}

/// Arms the watch over the lanes while there is work: a task that hangs costs the drive its place.
void ShardStream::watch() {
  {
    const std::lock_guard lock(mutex_);
    if (watching_ || abandoned_) {
      return;
    }
    watching_ = true;
  }
  context_->outside.scheduler.after(context_->options.drive_timeout / 2, [weak = weak_from_this()] {
    if (const std::shared_ptr<ShardStream> self = weak.lock()) {
      self->look_after_lanes();
    }
  });
}

void ShardStream::look_after_lanes() {
  for (const Slot slot : hung_lanes()) {
    lane_failed(slot, {Errc::timed_out, 0, "set.shard_write"});
  }
  settle();
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    watching_ = false;
    again = std::any_of(lanes_.begin(), lanes_.end(),
                        [](const Lane& lane) { return lane.busy && lane.drive; });
  }
  if (again) {
    watch();
  }
}

std::vector<Slot> ShardStream::hung_lanes() {
  const std::shared_ptr<const Members> now = context_->members();
  const Clock::Steady time = context_->outside.clock.steady();
  const std::lock_guard lock(mutex_);
  std::vector<Slot> hung;
  for (Slot slot = 0; slot < lanes_.size(); ++slot) {
    const Lane& lane = lanes_[slot];
    if (!lane.drive || !lane.busy) {
      continue;
    }
    // A task that waits behind others is no proof of a hung drive, only of a busy one.
    const auto limit = context_->options.drive_timeout * (lane.running ? 1 : 10);
    if (time - lane.since >= limit || !has(now->writers(), slot)) {
      hung.push_back(slot);
    }
  }
  return hung;
}

/// What append() fills: the stripe in hand. Outlives the sink while a push is on its way.
class ShardSink::Feed : public std::enable_shared_from_this<Feed> {
 public:
  Feed(std::shared_ptr<ShardStream> stream_, std::uint64_t announced, std::uint32_t stripe_bytes,
       std::stop_token stop)
      : stream(std::move(stream_)),
        announced_(announced),
        stripe_bytes_(stripe_bytes),
        stop_(std::move(stop)) {}

  void append(Buffer bytes, Completion<void> done) {
    if (stop_.stop_requested()) {
      done({Errc::cancelled, "set.append"});
      return;
    }
    if (failed_ || bytes.size() > announced_ - taken_) {
      failed_ = true;
      done({Errc::invalid_argument, "set.append"});
      return;
    }
    input_ = std::move(bytes);
    used_ = 0;
    done_ = std::move(done);
    go_on();
  }
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }
  [[nodiscard]] bool is_whole() const noexcept { return !failed_ && taken_ == announced_; }

  const std::shared_ptr<ShardStream> stream;

 private:
  void go_on() {
    while (used_ < input_.size()) {
      const std::size_t stripe = static_cast<std::size_t>(
          std::min<std::uint64_t>(stripe_bytes_, announced_ - (taken_ - filled_)));
      if (filled_ == 0 && used_ == 0 && input_.size() == stripe) {
        taken_ += stripe;
        used_ = stripe;
        push(std::exchange(input_, Buffer()));
        return;
      }
      if (filled_ == 0) {
        stripe_ = Buffer(stripe);
      }
      const std::size_t count = std::min(input_.size() - used_, stripe - filled_);
      std::memcpy(stripe_.data() + filled_, input_.data() + used_, count);
      filled_ += count;
      used_ += count;
      taken_ += count;
      if (filled_ == stripe) {
        filled_ = 0;
        push(std::exchange(stripe_, Buffer()));
        return;
      }
    }
    finish(ok());
  }
  void push(Buffer stripe) {
    stream->push(std::move(stripe), [self = shared_from_this()](Status pushed) {
      if (!pushed) {
        self->failed_ = true;
        self->finish(pushed);
      } else if (self->used_ >= self->input_.size()) {
        self->finish(ok());
      } else {
        self->go_on();
      }
    });
  }
  void finish(const Status& status) {
    input_ = Buffer();
    Completion<void> done = std::move(done_);
    done(status);
  }

  const std::uint64_t announced_;
  const std::uint32_t stripe_bytes_;
  const std::stop_token stop_;
  Buffer stripe_;
  std::size_t filled_ = 0;
  std::uint64_t taken_ = 0;
  Buffer input_;
  std::size_t used_ = 0;
  bool failed_ = false;
  Completion<void> done_;
};

ShardSink::ShardSink(std::shared_ptr<ShardStream> stream, std::uint64_t bytes,
                     std::uint32_t stripe_bytes, std::stop_token stop)
    : feed_(std::make_shared<Feed>(std::move(stream), bytes, stripe_bytes, std::move(stop))) {}

ShardSink::~ShardSink() {
  if (feed_->stream) {
    feed_->stream->abandon();
  }
}

void ShardSink::append(Buffer bytes, Completion<void> done) {
  feed_->append(std::move(bytes), std::move(done));
}

std::uint64_t ShardSink::bytes() const {
  return feed_->taken();
}

void ShardSink::finish(Completion<std::shared_ptr<StoredFiles>> done) {
  if (!feed_->is_whole()) {
    done({Errc::invalid_argument, "set.body_incomplete"});
    return;
  }
  if (!feed_->stream) {
    done(std::make_shared<StoredFiles>());
    return;
  }
  feed_->stream->finish(std::move(done));
}

Result<std::unique_ptr<ShardSink>> open_shard_sink(const std::shared_ptr<SetContext>& context,
                                                   const BucketInfo& bucket, std::uint64_t bytes,
                                                   std::stop_token stop) {
  const std::uint32_t stripe_bytes = context->geometry.stripe_bytes;
  if (bytes == 0) {
    return std::make_unique<ShardSink>(nullptr, bytes, stripe_bytes, std::move(stop));
  }
  std::shared_ptr<const Members> members = context->members();
  if (members->read_only ||
      static_cast<unsigned>(std::popcount(members->writers())) < context->geometry.write_quorum()) {
    return {Errc::write_quorum, "set.open_sink"};
  }
  if (members->full) {
    return {Errc::no_space, "set.open_sink"};
  }
  ShardFileHeader header;
  header.bucket_id = bucket.id;
  // The key is not known yet, and all parts of an upload must be laid out alike: one rotation per
  // bucket.
  header.key_hash = GenerationTable::hash(bucket.id, {});
  header.writer = context->outside.rng.uuid();
  header.geometry = context->geometry;
  header.object_bytes = bytes;
  auto stream =
      std::make_shared<ShardStream>(context, std::move(members), header, context->options.set_id);
  context->streams.add(stream);
  return std::make_unique<ShardSink>(std::move(stream), bytes, stripe_bytes, std::move(stop));
}

}  // namespace mote::erasure
