#pragma once

#include <memory>
#include <optional>

#include "erasure/set/key_change.h"
#include "erasure/store.h"

namespace mote::erasure {

/// DeleteObject: a delete marker in a versioned bucket, else the version named (or the only one)
/// goes.
class RemoveOperation : public std::enable_shared_from_this<RemoveOperation> {
 public:
  RemoveOperation(std::shared_ptr<SetContext> context, DeleteRequest request,
                  Completion<DeleteResult> done);
  void start();

 private:
  void on_locked(LockedKey lock);
  void on_head();
  void add_marker();
  void take_version();
  void finish(Result<DeleteResult> result);

  const std::shared_ptr<SetContext> context_;
  const DeleteRequest request_;
  Completion<DeleteResult> done_;
  std::optional<Gate::Ticket> ticket_;
  std::shared_ptr<KeyChange> change_;
  DeleteResult result_;
  NewVersion marker_;
  std::optional<ObjectRecord> removed_;
};

}  // namespace mote::erasure
