#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "erasure/base/result.h"
#include "erasure/base/unique_function.h"
#include "erasure/set/set_context.h"

namespace mote::erasure {

/// A key with its locks held: the bucket shared (it cannot be deleted or reconfigured), the key's
/// stripe as asked. Destruction unlocks.
struct LockedKey {
  std::shared_ptr<const BucketInfo> bucket;
  std::uint64_t key_hash = 0;
  std::size_t stripe = 0;
  KeyLocks::Held locks;
};

/// Takes the locks in their order (storage.md 3.4 step 2). Errors: no_such_bucket.
void lock_key(SetContext& context, const std::string& bucket, const std::string& key, LockMode mode,
              Completion<LockedKey> done);

/// The one way to commit under key locks (INV-7, INV-8): turns the stripe's generation odd,
/// submits, and after the commit is applied (or has failed) turns it even, unlocks, and only then
/// calls `done`.
void commit_locked(SetContext& context, LockedKey key, std::shared_ptr<const Commit> commit,
                   Completion<CommitSeq> done);

/// False if nothing will come of a commit that ended so: files that it referred to may go. After
/// any other error it may still be decided (INV-6) and they must stay.
[[nodiscard]] bool may_be_decided(Errc error) noexcept;

}  // namespace mote::erasure
