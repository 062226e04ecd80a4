#include "erasure/set/replay.h"

#include <deque>
#include <string>
#include <vector>

#include "erasure/meta/keys.h"

namespace mote::erasure {
namespace {

/// Rows gathered for one apply.
class Batch {
 public:
  void add(CommitSeq seq, std::string rows) {
    bytes_ += rows.size();
    rows_.push_back(std::move(rows));
    last_ = seq;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  Status apply_to(Index& index) {
    if (rows_.empty()) {
      return ok();
    }
    std::vector<ByteView> views;
    views.reserve(rows_.size());
    for (const std::string& rows : rows_) {
      views.push_back(as_bytes(rows));
    }
    Status applied = index.apply(views, last_);
    rows_.clear();
    bytes_ = 0;
    return applied;
  }

 private:
  std::deque<std::string> rows_;
  std::uint64_t bytes_ = 0;
  CommitSeq last_;
};

}  // namespace

Status replay_log(LogReader& log, Index& index, std::uint64_t batch_bytes,
                  const std::function<bool(CommitSeq)>& counts) {
  const CommitSeq persisted = index.persisted();
  Batch batch;
  for (const EntryRef& entry : log.contents().entries) {
    if (entry.restated || entry.kind == EntryKind::promise || entry.seq <= persisted ||
        !counts(entry.seq)) {
      continue;
    }
    const auto payload = log.read_payload(entry);
    if (!payload) {
      return payload.error();
    }
    if (entry.kind == EntryKind::cfg) {
      RowBatch rows;
      rows.put(Family::sys, kSysConfig, as_text(payload->view()));
      batch.add(entry.seq, std::move(rows).take());
    } else {
      batch.add(entry.seq, std::string(as_text(payload->view())));
    }
    if (batch.bytes() >= batch_bytes) {
      if (Status applied = batch.apply_to(index); !applied) {
        return applied;
      }
    }
  }
  return batch.apply_to(index);
}

}  // namespace mote::erasure
