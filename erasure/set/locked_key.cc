#include "erasure/set/locked_key.h"

#include <utility>

namespace mote::erasure {

void lock_key(SetContext& context, const std::string& bucket, const std::string& key, LockMode mode,
              Completion<LockedKey> done) {
  const std::shared_ptr<const BucketInfo> info = context.buckets.find(bucket);
  if (!info) {
    done(Errc::no_such_bucket);
    return;
  }
  const std::uint64_t hash = GenerationTable::hash(info->id, key);
  const std::size_t stripe = context.stripe(hash);
  std::vector<KeyLocks::Want> wants;
  wants.push_back({LockId::bucket(bucket), LockMode::shared});
  wants.push_back({LockId::stripe(stripe), mode});
  context.locks.acquire_all(
      std::move(wants), [&context, bucket, key, mode, id = info->id, hash, stripe,
                         done = std::move(done)](KeyLocks::Held held) mutable {
        std::shared_ptr<const BucketInfo> now = context.buckets.find(bucket);
        if (!now) {
          held.release();
          done(Errc::no_such_bucket);
          return;
        }
        if (now->id != id) {  // deleted and created again while this waited: another hash
          held.release();
          lock_key(context, bucket, key, mode, std::move(done));
          return;
        }
        LockedKey locked;
        locked.bucket = std::move(now);
        locked.key_hash = hash;
        locked.stripe = stripe;
        locked.locks = std::move(held);
        done(std::move(locked));
      });
}

void commit_locked(SetContext& context, LockedKey key, std::shared_ptr<const Commit> commit,
                   Completion<CommitSeq> done) {
  const std::size_t stripe = key.stripe;
  context.generations.begin_write(stripe);
  context.pipeline->submit(std::move(commit),
                           [&context, stripe, key = std::move(key),
                            done = std::move(done)](Result<CommitSeq> seq) mutable {
                             context.generations.end_write(stripe);
                             key.locks.release();
                             done(seq);
                           });
}

bool may_be_decided(Errc error) noexcept {
  return error == Errc::timed_out || error == Errc::io_error || error == Errc::drive_failed;
}

}  // namespace mote::erasure
