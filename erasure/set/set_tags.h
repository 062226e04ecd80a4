#pragma once

#include <memory>
#include <optional>
#include <string>

#include "erasure/set/locked_key.h"
#include "erasure/set/object_rows.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Replaces the tags of one version: its record is written anew, with the same bytes, sums and
/// data_seq.
class TagOperation : public std::enable_shared_from_this<TagOperation> {
 public:
  TagOperation(std::shared_ptr<SetContext> context, ObjectRef object, std::string tags,
               Completion<std::shared_ptr<const ObjectHead>> done);
  void start();

 private:
  void on_locked();
  void on_row(Family family, std::string row_key, const Slice& row);
  void on_rows(std::shared_ptr<ObjectRows> rows);
  void finish(Result<std::shared_ptr<const ObjectHead>> result);

  const std::shared_ptr<SetContext> context_;
  const ObjectRef object_;
  std::string tags_;
  Completion<std::shared_ptr<const ObjectHead>> done_;
  std::optional<Gate::Ticket> ticket_;
  LockedKey lock_;
  std::shared_ptr<const Members> members_;
  ObjectRecord record_;
};

}  // namespace mote::erasure
