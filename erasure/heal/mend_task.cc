#include "erasure/heal/mend_task.h"

#include "erasure/set/locked_key.h"

namespace mote::erasure {

MendTask::MendTask(std::shared_ptr<SetContext> context, Executor& executor,
                   std::vector<DamagedRow> rows, Targets targets, Completion<MendReport> done)
    : context_(std::move(context)),
      executor_(executor),
      rows_(std::move(rows)),
      targets_(std::move(targets)),
      done_(std::move(done)) {}

void MendTask::start() {
  std::vector<KeyLocks::Want> wants;
  for (const DamagedRow& row : rows_) {
    if (const std::optional<LockId> lock = lock_of_row(*context_, row.family, row.row)) {
      wants.push_back({*lock, LockMode::exclusive});
    }
  }
  context_->locks.acquire_all(std::move(wants), [self = shared_from_this()](KeyLocks::Held locks) {
    self->on_locked(std::move(locks));
  });
}

void MendTask::on_locked(KeyLocks::Held locks) {
  locks_ = std::move(locks);
  executor_.post([self = shared_from_this()] { self->work(); });
}

void MendTask::work() {
  members_ = context_->members();
  const SlotMask targets = targets_(*members_);
  auto mending = std::make_shared<Mending>(context_->drives());
  Mender mender(*context_, members_);
  for (const DamagedRow& row : rows_) {
    if (const Status looked = mender.mend(row.family, row.row, targets, *mending); !looked) {
      finish(looked.error());
      return;
    }
  }
  const MendReport report{mending->mended, mending->lost, mending->waiting};
  if (!mending->needed()) {
    finish(report);
    return;
  }
  std::shared_ptr<const Commit> commit = mending->commit();
  context_->pipeline->submit(
      std::move(commit), [self = shared_from_this(), mending, report](Result<CommitSeq> seq) {
        if (seq || may_be_decided(seq.error().code)) {
          mending->keep_files();
        }
        self->finish(seq ? Result<MendReport>(report) : Result<MendReport>(seq.error()));
      });
}

void MendTask::finish(Result<MendReport> result) {
  locks_.release();
  members_.reset();
  Completion<MendReport> done = std::move(done_);
  done(std::move(result));
}

}  // namespace mote::erasure
