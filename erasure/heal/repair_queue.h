#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "erasure/set/repair_sink.h"
#include "erasure/set/set_context.h"

namespace mote::erasure {

/// Repairs single rows that a read or a commit found damaged on some drive, one after the other, in
/// the background (storage.md 3.6). A row that cannot be repaired now is dropped; the next read
/// that meets it brings it back.
class RepairQueue final : public RepairSink, public std::enable_shared_from_this<RepairQueue> {
 public:
  explicit RepairQueue(std::shared_ptr<SetContext> context);
  ~RepairQueue() override;

  void enqueue(DamagedRow row) override;
  /// Begins to work. Before, rows only queue.
  void start();
  /// Takes and begins no more rows.
  void stop();
  /// After stop(): waits for its thread. Not from that thread.
  void join() { executor_->shutdown(); }
  [[nodiscard]] std::size_t waiting() const;

 private:
  static constexpr std::size_t kRowsMax = 10'000;
  void next();

  const std::weak_ptr<SetContext> context_;
  mutable std::mutex mutex_;
  std::unique_ptr<Executor> executor_;
  std::deque<DamagedRow> rows_;
  std::set<std::pair<Family, std::string>> known_;
  bool running_ = false;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace mote::erasure
