#include <utility>

#include "erasure/memory/memory_store_impl.h"

namespace mote {
namespace {

constexpr std::uint16_t kPartNumberMax = 10'000;  // AWS: Multipart upload limits
constexpr std::size_t kKeyBytesMax = 1024;

using Uploads = std::map<std::pair<std::string, UploadId>, MemoryUpload>;

auto find_upload(Uploads& uploads, const UploadRef& ref) {
  return uploads.find({ref.key, ref.upload});
}

/// What a Complete makes of the parts it names.
struct Assembly {
  StoredBytes bytes;
  std::vector<PartLayout> layout;
};

Result<Assembly> assemble(const MemoryUpload& upload,
                          const std::vector<CompleteUploadRequest::Part>& named) {
  if (named.empty()) {
    return {Errc::invalid_argument, "memory.complete_upload"};
  }
  Assembly result;
  std::uint16_t last = 0;
  for (const CompleteUploadRequest::Part& part : named) {
    if (part.number <= last) {
      return {Errc::invalid_part_order, "memory.complete_upload"};
    }
    last = part.number;
    const auto found = upload.parts.find(part.number);
    if (found == upload.parts.end() || found->second.info.commit != part.commit) {
      return {Errc::invalid_part, "memory.complete_upload"};
    }
    result.bytes.append(*found->second.bytes);
    result.layout.push_back({part.number, found->second.info.bytes, found->second.info.checksum});
  }
  return result;
}

}  // namespace

Result<UploadInfo> MemoryStore::create_upload_now(CreateUploadRequest request) {
  if (request.key.empty() || request.key.size() > kKeyBytesMax) {
    return {Errc::invalid_argument, "memory.create_upload"};
  }
  const Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(request.bucket);
  if (!bucket) {
    return bucket.error();
  }
  MemoryUpload upload;
  upload.info.ref = {std::move(request.bucket), std::move(request.key), rng_.uuid()};
  upload.info.created_ms = clock_.wall_ms();
  upload.info.attributes = std::move(request.attributes);
  upload.info.checksum = request.checksum;
  upload.info.checksum_full_object = request.checksum_full_object;
  upload.info.owner = std::move(request.owner);
  const ObjectAttributes& attributes = upload.info.attributes;
  const std::uint64_t bytes = kUploadOverheadBytes + 2 * upload.info.ref.key.size() +
                              attributes.headers.size() + attributes.tags.size() +
                              attributes.private_.size() + upload.info.owner.size();
  Result<Charge> charge = Charge::take(budget_, bytes);
  if (!charge) {
    return charge.error();
  }
  upload.charge = *std::move(charge);
  UploadInfo result = upload.info;
  (*bucket)->uploads.emplace(std::pair(result.ref.key, result.ref.upload), std::move(upload));
  commits_.fetch_add(1, std::memory_order_relaxed);
  return result;
}

void MemoryStore::create_upload(CreateUploadRequest request, Completion<UploadInfo> done) {
  done(create_upload_now(std::move(request)));
}

Result<PartInfo> MemoryStore::put_part_now(PutPartRequest request, Body body) {
  if (request.number == 0 || request.number > kPartNumberMax) {
    return {Errc::invalid_argument, "memory.put_part"};
  }
  Result<std::shared_ptr<const StoredBytes>> bytes = take_body(std::move(body));
  const Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(request.upload.bucket, request.stop);
  if (!bucket) {
    return bucket.error();
  }
  const auto upload = find_upload((*bucket)->uploads, request.upload);
  if (upload == (*bucket)->uploads.end()) {
    return Errc::no_such_upload;
  }
  if (!bytes) {
    return bytes.error();
  }
  MemoryPart part;
  part.info.number = request.number;
  part.info.bytes = (*bytes)->size();
  part.info.modified_ms = clock_.wall_ms();
  part.info.etag = request.etag;
  part.info.checksum = std::move(request.checksum);
  part.info.commit = commits_.fetch_add(1, std::memory_order_relaxed) + 1;
  part.bytes = *std::move(bytes);
  Result<Charge> charge =
      Charge::take(budget_, kPartOverheadBytes + part.info.checksum.value.size());
  if (!charge) {
    return charge.error();
  }
  part.charge = *std::move(charge);
  PartInfo result = part.info;
  upload->second.parts.insert_or_assign(request.number, std::move(part));
  return result;
}

void MemoryStore::put_part(PutPartRequest request, Body body, Completion<PartInfo> done) {
  done(put_part_now(std::move(request), std::move(body)));
}

Result<UploadInfo> MemoryStore::get_upload_now(const UploadRef& ref) const {
  const Result<Locked<SharedLock>> bucket = enter<SharedLock>(ref.bucket);
  if (!bucket) {
    return bucket.error();
  }
  const auto upload = find_upload((*bucket)->uploads, ref);
  if (upload == (*bucket)->uploads.end()) {
    return Errc::no_such_upload;
  }
  UploadInfo result = upload->second.info;
  result.parts.reserve(upload->second.parts.size());
  for (const auto& [number, part] : upload->second.parts) {
    result.parts.push_back(part.info);
  }
  return result;
}

void MemoryStore::get_upload(UploadRef upload, Completion<UploadInfo> done) {
  done(get_upload_now(upload));
}

Result<PutResult> MemoryStore::complete_upload_now(const CompleteUploadRequest& request) {
  const Result<Locked<UniqueLock>> locked = enter<UniqueLock>(request.upload.bucket, request.stop);
  if (!locked) {
    return locked.error();
  }
  MemoryBucket& bucket = **locked;
  const auto upload = find_upload(bucket.uploads, request.upload);
  if (upload == bucket.uploads.end()) {
    return Errc::no_such_upload;
  }
  Result<Assembly> assembly = assemble(upload->second, request.parts);
  if (!assembly) {
    return assembly.error();
  }
  if (assembly->bytes.size() > limits_.object_bytes_max) {
    return {Errc::too_large, "memory.complete_upload"};
  }
  if (const Status met = check(request.preconditions, bucket, request.upload.key); !met) {
    return met.error();
  }
  if (assembly->bytes.size() <= limits_.inline_bytes_max) {
    assembly->bytes.join(budget_);
  }
  ObjectHead head;
  head.etag = request.etag;
  head.checksum = request.checksum;
  head.attributes = upload->second.info.attributes;
  head.parts = std::move(assembly->layout);
  Result<std::shared_ptr<const ObjectHead>> stored =
      add_version(bucket, request.upload.key, std::move(head),
                  std::make_shared<const StoredBytes>(std::move(assembly->bytes)));
  if (!stored) {
    return stored.error();
  }
  bucket.uploads.erase(upload);
  return PutResult{*std::move(stored)};
}

void MemoryStore::complete_upload(CompleteUploadRequest request, Completion<PutResult> done) {
  done(complete_upload_now(request));
}

Status MemoryStore::abort_upload_now(const UploadRef& ref) {
  const Result<Locked<UniqueLock>> bucket = enter<UniqueLock>(ref.bucket);
  if (!bucket) {
    return bucket.error();
  }
  const auto upload = find_upload((*bucket)->uploads, ref);
  if (upload == (*bucket)->uploads.end()) {
    return Errc::no_such_upload;
  }
  (*bucket)->uploads.erase(upload);
  commits_.fetch_add(1, std::memory_order_relaxed);
  return ok();
}

void MemoryStore::abort_upload(UploadRef upload, Completion<void> done) {
  done(abort_upload_now(upload));
}

}  // namespace mote
