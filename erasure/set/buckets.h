#pragma once

#include <memory>
#include <string>

#include "erasure/set/set_context.h"
#include "erasure/store.h"

namespace mote::erasure {

/// Fills the bucket table from a current drive's sys rows. Blocks; at open, before the first
/// operation, and when the set was started anew, before the first write. Errors: read_quorum,
/// corrupt.
Status load_buckets(SetContext& context);

// Each under the bucket's exclusive lock; the table changes after the commit is applied.
void start_create_bucket(const std::shared_ptr<SetContext>& context, CreateBucketRequest request,
                         Completion<std::shared_ptr<const BucketInfo>> done);
void start_update_bucket(const std::shared_ptr<SetContext>& context, UpdateBucketRequest request,
                         Completion<std::shared_ptr<const BucketInfo>> done);
void start_delete_bucket(const std::shared_ptr<SetContext>& context, std::string name,
                         Completion<void> done);

}  // namespace mote::erasure
