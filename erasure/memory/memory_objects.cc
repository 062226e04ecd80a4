#include <algorithm>
#include <utility>

#include "erasure/base/check.h"
#include "erasure/memory/memory_store_impl.h"

namespace mote {
namespace {

constexpr std::size_t kKeyBytesMax = 1024;  // AWS: Naming Amazon S3 objects

bool is_valid_key(std::string_view key) {
  return !key.empty() && key.size() <= kKeyBytesMax;
}

auto find_version(std::vector<MemoryVersion>& versions, const VersionId& id) {
  return std::find_if(versions.begin(), versions.end(),
                      [&](const MemoryVersion& version) { return version.head->version == id; });
}

}  // namespace

Result<const MemoryVersion*> resolve(const MemoryBucket& bucket, std::string_view key,
                                     const std::optional<VersionId>& version) {
  const auto found = bucket.keys.find(key);
  if (found == bucket.keys.end()) {
    return version ? Errc::no_such_version : Errc::no_such_key;
  }
  const MemoryVersion* chosen = &found->second.newest();
  if (version) {
    const auto& versions = found->second.versions;
    const auto named =
        std::find_if(versions.begin(), versions.end(),
                     [&](const MemoryVersion& each) { return each.head->version == *version; });
    if (named == versions.end()) {
      return Errc::no_such_version;
    }
    chosen = &*named;
  }
  if (chosen->head->delete_marker) {
    return Errc::delete_marker;
  }
  return chosen;
}

Status check(const Preconditions& preconditions, const MemoryBucket& bucket, std::string_view key) {
  const Result<const MemoryVersion*> current = resolve(bucket, key, std::nullopt);
  if (preconditions.if_absent && current) {
    return {Errc::precondition_failed, "memory.if_absent"};
  }
  if (preconditions.if_exists && !current) {
    return {Errc::precondition_failed, "memory.if_exists"};
  }
  if (preconditions.if_match) {
    const auto& tags = *preconditions.if_match;
    if (!current || std::find(tags.begin(), tags.end(), (*current)->head->etag) == tags.end()) {
      return {Errc::precondition_failed, "memory.if_match"};
    }
  }
  const auto& unwanted = preconditions.if_none_match;
  if (current &&
      std::find(unwanted.begin(), unwanted.end(), (*current)->head->etag) != unwanted.end()) {
    return {Errc::precondition_failed, "memory.if_none_match"};
  }
  return ok();
}

std::uint64_t accounted_bytes(std::string_view key, const ObjectHead& head) {
  std::uint64_t bytes = kVersionOverheadBytes + key.size() + head.checksum.value.size();
  bytes += head.attributes.headers.size() + head.attributes.tags.size();
  bytes += head.attributes.private_.size();
  for (const PartLayout& part : head.parts) {
    bytes += sizeof part + part.checksum.value.size();
  }
  return bytes;
}

void MemoryStore::head(ObjectRef object, std::stop_token stop,
                       Completion<std::shared_ptr<const ObjectHead>> done) {
  Result<OpenedObject> opened = open_now(object, stop);
  if (!opened) {
    done(opened.error());
    return;
  }
  done(std::move(opened->head));
}

Result<OpenedObject> MemoryStore::open_now(const ObjectRef& object, const std::stop_token& stop) {
  const Result<Locked<SharedLock>> bucket = enter<SharedLock>(object.bucket, stop);
  if (!bucket) {
    return bucket.error();
  }
  const Result<const MemoryVersion*> version = resolve(**bucket, object.key, object.version);
  if (!version) {
    return version.error();
  }
  OpenedObject opened;
  opened.head = (*version)->head;
  const std::shared_ptr<const StoredBytes>& bytes = (*version)->bytes;
  if (bytes->size() <= limits_.inline_bytes_max) {
    opened.body = bytes->whole();
  } else {
    opened.reader = std::make_unique<MemoryReader>(bytes, stop);
  }
  return opened;
}

void MemoryStore::open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) {
  done(open_now(object, stop));
}

Result<std::unique_ptr<BodySink>> MemoryStore::open_sink(std::string_view bucket,
                                                         std::uint64_t bytes,
                                                         std::stop_token stop) {
  if (const Result<Locked<SharedLock>> found = enter<SharedLock>(bucket, stop); !found) {
    return found.error();
  }
  if (bytes > limits_.object_bytes_max) {
    return {Errc::too_large, "memory.open_sink"};
  }
  Result<Charge> charge = Charge::take(budget_, bytes);
  if (!charge) {
    return charge.error();
  }
  return std::make_unique<MemorySink>(*std::move(charge), bytes, std::move(stop));
}

Result<std::shared_ptr<const StoredBytes>> MemoryStore::take_body(Body body) const {
  StoredBytes stored;
  if (body.sink) {
    auto* sink = dynamic_cast<MemorySink*>(body.sink.get());
    MOTE_CHECK(sink != nullptr);  // a sink goes back to the store that made it
    Result<StoredBytes> finished = std::move(*sink).finish();
    if (!finished) {
      return finished.error();
    }
    stored = *std::move(finished);
    if (stored.size() <= limits_.inline_bytes_max) {
      stored.join(budget_);
    }
  } else if (body.bytes.size() > limits_.inline_bytes_max) {
    return {Errc::too_large, "memory.body"};
  } else {
    Result<Charge> charge = Charge::take(budget_, body.bytes.size());
    if (!charge) {
      return charge.error();
    }
    stored.append(charged_slice(std::move(body.bytes), *std::move(charge)));
  }
  return std::make_shared<const StoredBytes>(std::move(stored));
}

Result<std::shared_ptr<const ObjectHead>> MemoryStore::add_version(
    MemoryBucket& bucket, const std::string& key, ObjectHead head,
    std::shared_ptr<const StoredBytes> bytes) {
  const Versioning versioning = bucket.info->versioning;
  head.bytes = bytes ? bytes->size() : 0;
  head.modified_ms = clock_.wall_ms();
  head.versioned = versioning != Versioning::off;
  head.version = versioning == Versioning::enabled ? rng_.uuid() : kNullVersion;
  head.commit = commits_.fetch_add(1, std::memory_order_relaxed) + 1;
  Result<Charge> charge = Charge::take(budget_, accounted_bytes(key, head));
  if (!charge) {
    return charge.error();
  }
  std::shared_ptr<const ObjectHead> result = std::make_shared<const ObjectHead>(std::move(head));
  const WriteScope scope(*this, bucket, key);
  std::vector<MemoryVersion>& versions = bucket.keys[key].versions;
  if (const auto replaced = find_version(versions, result->version); replaced != versions.end()) {
    versions.erase(replaced);
  }
  versions.push_back({result, std::move(bytes), *std::move(charge)});
  return result;
}

Result<PutResult> MemoryStore::put_now(PutRequest request, Body body) {
  if (!is_valid_key(request.key)) {
    return {Errc::invalid_argument, "memory.put"};
  }
  Result<std::shared_ptr<const StoredBytes>> bytes = take_body(std::move(body));
  const Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(request.bucket, request.stop);
  if (!bucket) {
    return bucket.error();
  }
  if (const Status met = check(request.preconditions, **bucket, request.key); !met) {
    return met.error();
  }
  if (!bytes) {
    return bytes.error();
  }
  ObjectHead head;
  head.etag = request.etag;
  head.checksum = std::move(request.checksum);
  head.attributes = std::move(request.attributes);
  Result<std::shared_ptr<const ObjectHead>> stored =
      add_version(**bucket, request.key, std::move(head), *std::move(bytes));
  if (!stored) {
    return stored.error();
  }
  return PutResult{*std::move(stored)};
}

void MemoryStore::put(PutRequest request, Body body, Completion<PutResult> done) {
  done(put_now(std::move(request), std::move(body)));
}

void MemoryStore::remove_version(MemoryBucket& bucket, const std::string& key, VersionId version,
                                 DeleteResult& result) {
  result.version = version;
  const auto found = bucket.keys.find(key);
  if (found == bucket.keys.end()) {
    return;
  }
  std::vector<MemoryVersion>& versions = found->second.versions;
  const auto named = find_version(versions, version);
  if (named == versions.end()) {
    return;
  }
  result.existed = true;
  result.removed_marker = named->head->delete_marker;
  const WriteScope scope(*this, bucket, key);
  commits_.fetch_add(1, std::memory_order_relaxed);
  versions.erase(named);
  if (versions.empty()) {
    bucket.keys.erase(found);
  }
}

Status MemoryStore::remove_current(MemoryBucket& bucket, const std::string& key,
                                   DeleteResult& result) {
  result.existed = resolve(bucket, key, std::nullopt).has_value();
  ObjectHead marker;
  marker.delete_marker = true;
  Result<std::shared_ptr<const ObjectHead>> made =
      add_version(bucket, key, std::move(marker), nullptr);
  if (!made) {
    return made.error();
  }
  result.made_marker = true;
  result.version = (*made)->version;
  return ok();
}

Result<DeleteResult> MemoryStore::remove_now(const DeleteRequest& request) {
  const Result<Locked<UniqueLock>> locked = enter<UniqueLock>(request.object.bucket, request.stop);
  if (!locked) {
    return locked.error();
  }
  MemoryBucket& bucket = **locked;
  const std::string& key = request.object.key;
  if (!is_valid_key(key)) {
    return {Errc::invalid_argument, "memory.remove"};
  }
  if (const Status met = check(request.preconditions, bucket, key); !met) {
    return met.error();
  }
  DeleteResult result;
  result.versioned = bucket.info->versioning != Versioning::off;
  if (request.object.version) {
    remove_version(bucket, key, *request.object.version, result);
    return result;
  }
  if (!result.versioned) {
    remove_version(bucket, key, kNullVersion, result);
    return result;
  }
  if (const Status removed = remove_current(bucket, key, result); !removed) {
    return removed.error();
  }
  return result;
}

void MemoryStore::remove(DeleteRequest request, Completion<DeleteResult> done) {
  done(remove_now(request));
}

Result<std::shared_ptr<const ObjectHead>> MemoryStore::set_tags_now(const ObjectRef& object,
                                                                    std::string tags) {
  const Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(object.bucket);
  if (!bucket) {
    return bucket.error();
  }
  const Result<const MemoryVersion*> found = resolve(**bucket, object.key, object.version);
  if (!found) {
    return found.error();
  }
  ObjectHead head = *(*found)->head;
  head.attributes.tags = std::move(tags);
  std::vector<MemoryVersion>& versions = (*bucket)->keys.find(object.key)->second.versions;
  MemoryVersion& version = *find_version(versions, head.version);
  const std::uint64_t bytes = accounted_bytes(object.key, head);
  if (const Status resized = version.charge.resize(budget_, bytes); !resized) {
    return resized.error();
  }
  const WriteScope scope(*this, **bucket, object.key);
  commits_.fetch_add(1, std::memory_order_relaxed);
  version.head = std::make_shared<const ObjectHead>(std::move(head));
  return version.head;
}

void MemoryStore::set_tags(ObjectRef object, std::string tags,
                           Completion<std::shared_ptr<const ObjectHead>> done) {
  done(set_tags_now(object, std::move(tags)));
}

}  // namespace mote
