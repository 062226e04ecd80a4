#include <cstdlib>
#include <iostream>
#include <random>

#include <doctest/doctest.h>

#include "erasure/base/check.h"
#include "tests/contract/store_fixture.h"

namespace mote::contract {

std::vector<std::uint64_t> StoreFixture::sizes() const {
  return {0,
          1,
          2,
          100,
          4 * kKiB - 1,
          4 * kKiB,
          4 * kKiB + 1,
          16 * kKiB,
          128 * kKiB - 1,
          128 * kKiB,
          128 * kKiB + 1,
          kMiB - 1,
          kMiB,
          kMiB + 1,
          5 * kMiB + 7,
          20 * kMiB};
}

std::uint64_t test_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv((std::string("MOTE_TEST_") + name).c_str());
  return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

std::uint64_t test_seed() {
  static const std::uint64_t kSeed = [] {
    const std::uint64_t seed = test_number("SEED", std::random_device{}());
    std::cout << "MOTE_TEST_SEED=" << seed << std::endl;
    return seed;
  }();
  return kSeed;
}

namespace {

std::uint64_t pattern_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15U + index * 0xd1342543de82ef95U;
  z = (z ^ (z >> 32)) * 0xda942042e4dd58b5U;
  return z ^ (z >> 29);
}

constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

void fill_pattern(ByteSpan out, std::uint64_t seed, std::uint64_t offset) {
  while (!out.empty()) {
    const std::uint64_t word = pattern_word(seed, offset / kWord);
    const auto inside = static_cast<std::size_t>(offset % kWord);
    const std::size_t count = std::min(out.size(), kWord - inside);
    std::memcpy(out.data(), reinterpret_cast<const std::byte*>(&word) + inside, count);
    out = out.subspan(count);
    offset += count;
  }
}

Buffer pattern(std::size_t size, std::uint64_t seed, std::uint64_t offset) {
  Buffer buffer(size);
  fill_pattern(buffer.span(), seed, offset);
  return buffer;
}

bool is_pattern(ByteView bytes, std::uint64_t seed, std::uint64_t offset) {
  const Buffer expected = pattern(bytes.size(), seed, offset);
  return as_text(bytes) == as_text(expected.view());
}

Buffer to_buffer(std::string_view text) {
  Buffer buffer(text.size());
  if (!text.empty()) {
    std::memcpy(buffer.data(), text.data(), text.size());
  }
  return buffer;
}

ETag tag_of(std::uint64_t seed, std::uint16_t parts) {
  ETag tag;
  std::memcpy(tag.md5.data(), &seed, sizeof seed);
  tag.md5[15] = std::byte{0x5A};
  tag.parts = parts;
  return tag;
}

Result<std::shared_ptr<const BucketInfo>> Client::create_bucket(const std::string& name) const {
  return await<std::shared_ptr<const BucketInfo>>([&](auto done) {
    store().create_bucket({name, "owner-1", ""}, std::move(done));
  });
}

Status Client::delete_bucket(const std::string& name) const {
  return await<void>([&](auto done) { store().delete_bucket(name, std::move(done)); });
}

Result<std::shared_ptr<const BucketInfo>> Client::update_bucket(UpdateBucketRequest request) const {
  return await<std::shared_ptr<const BucketInfo>>(
      [&](auto done) { store().update_bucket(std::move(request), std::move(done)); });
}

void Client::set_versioning(const std::string& bucket, Versioning versioning) const {
  const auto updated = update_bucket({bucket, versioning, "", {}});
  REQUIRE_OK(updated);
  REQUIRE((*updated)->versioning == versioning);
}

Result<PutResult> Client::put(PutRequest request, Body body) const {
  return await<PutResult>(
      [&](auto done) { store().put(std::move(request), std::move(body), std::move(done)); });
}

Result<std::unique_ptr<BodySink>> Client::fill_sink(const std::string& bucket, std::uint64_t size,
                                                    std::uint64_t seed, std::size_t piece) const {
  Result<std::unique_ptr<BodySink>> sink = store().open_sink(bucket, size, {});
  if (!sink) {
    return sink.error();
  }
  for (std::uint64_t offset = 0; offset < size;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece, size - offset));
    const Status appended = await<void>(
        [&](auto done) { (*sink)->append(pattern(count, seed, offset), std::move(done)); });
    if (!appended) {
      return appended.error();
    }
    offset += count;
  }
  return sink;
}

Result<PutResult> Client::put(const std::string& bucket, const std::string& key, std::uint64_t size,
                              std::uint64_t seed, Preconditions preconditions) const {
  PutRequest request;
  request.bucket = bucket;
  request.key = key;
  request.etag = tag_of(seed);
  request.preconditions = std::move(preconditions);
  Body body;
  if (size <= store().limits().inline_bytes_max) {
    body.bytes = pattern(static_cast<std::size_t>(size), seed);
  } else {
    Result<std::unique_ptr<BodySink>> sink = fill_sink(bucket, size, seed);
    if (!sink) {
      return sink.error();
    }
    body.sink = *std::move(sink);
  }
  return put(std::move(request), std::move(body));
}

Result<std::shared_ptr<const ObjectHead>> Client::head(const std::string& bucket,
                                                       const std::string& key,
                                                       std::optional<VersionId> version) const {
  return await<std::shared_ptr<const ObjectHead>>([&](auto done) {
    store().head({bucket, key, version}, {}, std::move(done));
  });
}

Result<OpenedObject> Client::open(const std::string& bucket, const std::string& key,
                                  std::optional<VersionId> version) const {
  return await<OpenedObject>([&](auto done) {
    store().open({bucket, key, version}, {}, std::move(done));
  });
}

Result<Slice> Client::read(OpenedObject& opened, std::uint64_t offset, std::size_t count) const {
  if (opened.body) {
    return opened.body->sub(static_cast<std::size_t>(offset), count);
  }
  return await<Slice>([&](auto done) { opened.reader->read(offset, count, std::move(done)); });
}

bool Client::holds(OpenedObject& opened, std::uint64_t seed) const {
  const std::uint64_t size = opened.head->bytes;
  for (std::uint64_t offset = 0; offset < size;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kMiB, size - offset));
    const Result<Slice> slice = read(opened, offset, count);
    if (!slice || slice->size() != count || !is_pattern(slice->bytes, seed, offset)) {
      return false;
    }
    offset += count;
  }
  return !opened.body || opened.body->size() == size;
}

Result<DeleteResult> Client::remove(const std::string& bucket, const std::string& key,
                                    std::optional<VersionId> version,
                                    Preconditions preconditions) const {
  DeleteRequest request{{bucket, key, version}, std::move(preconditions), {}};
  return await<DeleteResult>(
      [&](auto done) { store().remove(std::move(request), std::move(done)); });
}

Result<std::shared_ptr<const ObjectHead>> Client::set_tags(const std::string& bucket,
                                                           const std::string& key, std::string tags,
                                                           std::optional<VersionId> version) const {
  return await<std::shared_ptr<const ObjectHead>>([&](auto done) {
    store().set_tags({bucket, key, version}, std::move(tags), std::move(done));
  });
}

Result<ListPage> Client::list(ListRequest request) const {
  return await<ListPage>([&](auto done) { store().list(std::move(request), std::move(done)); });
}

Result<ListVersionsPage> Client::list_versions(ListVersionsRequest request) const {
  return await<ListVersionsPage>(
      [&](auto done) { store().list_versions(std::move(request), std::move(done)); });
}

Result<UploadInfo> Client::create_upload(CreateUploadRequest request) const {
  return await<UploadInfo>(
      [&](auto done) { store().create_upload(std::move(request), std::move(done)); });
}

Result<UploadInfo> Client::create_upload(const std::string& bucket, const std::string& key) const {
  CreateUploadRequest request;
  request.bucket = bucket;
  request.key = key;
  request.owner = "owner-1";
  return create_upload(std::move(request));
}

Result<PartInfo> Client::put_part(const UploadRef& upload, std::uint16_t number, std::uint64_t size,
                                  std::uint64_t seed) const {
  PutPartRequest request;
  request.upload = upload;
  request.number = number;
  request.etag = tag_of(seed);
  Body body;
  if (size <= store().limits().inline_bytes_max) {
    body.bytes = pattern(static_cast<std::size_t>(size), seed);
  } else {
    Result<std::unique_ptr<BodySink>> sink = fill_sink(upload.bucket, size, seed);
    if (!sink) {
      return sink.error();
    }
    body.sink = *std::move(sink);
  }
  return await<PartInfo>(
      [&](auto done) { store().put_part(std::move(request), std::move(body), std::move(done)); });
}

Result<UploadInfo> Client::get_upload(const UploadRef& upload) const {
  return await<UploadInfo>([&](auto done) { store().get_upload(upload, std::move(done)); });
}

Result<PutResult> Client::complete(const UploadRef& upload, const std::vector<PartInfo>& parts,
                                   std::uint64_t seed, Preconditions preconditions) const {
  CompleteUploadRequest request;
  request.upload = upload;
  for (const PartInfo& part : parts) {
    request.parts.push_back({part.number, part.commit});
  }
  request.etag = tag_of(seed, static_cast<std::uint16_t>(parts.size()));
  request.preconditions = std::move(preconditions);
  return await<PutResult>(
      [&](auto done) { store().complete_upload(std::move(request), std::move(done)); });
}

Status Client::abort(const UploadRef& upload) const {
  return await<void>([&](auto done) { store().abort_upload(upload, std::move(done)); });
}

Result<ListUploadsPage> Client::list_uploads(ListUploadsRequest request) const {
  return await<ListUploadsPage>(
      [&](auto done) { store().list_uploads(std::move(request), std::move(done)); });
}

std::uint64_t Client::generation(const std::string& bucket, const std::string& key) const {
  const std::shared_ptr<const BucketInfo> info = store().find_bucket(bucket);
  MOTE_CHECK(info != nullptr);
  const GenerationTable& table = store().generations();
  return table.load(table.stripe(GenerationTable::hash(info->id, key)));
}

Listing list_all(const Client& client, ListRequest request) {
  Listing all;
  for (bool more = true; more;) {
    const Result<ListPage> page = client.list(request);
    REQUIRE_OK(page);
    ++all.pages;
    REQUIRE(page->entries.size() + page->common_prefixes.size() <= request.entries_max);
    for (const ListEntry& entry : page->entries) {
      REQUIRE(entry.key > request.after);
      REQUIRE(entry.head != nullptr);
      all.keys.push_back(entry.key);
    }
    for (const std::string& prefix : page->common_prefixes) {
      REQUIRE(prefix > request.after);
      all.prefixes.push_back(prefix);
    }
    more = page->truncated;
    if (more) {
      REQUIRE(page->next_after > request.after);  // progress
      request.after = page->next_after;
    }
  }
  return all;
}

VersionListing list_all_versions(const Client& client, ListVersionsRequest request) {
  VersionListing all;
  for (bool more = true; more;) {
    Result<ListVersionsPage> page = client.list_versions(request);
    REQUIRE_OK(page);
    REQUIRE(page->entries.size() + page->common_prefixes.size() <= request.entries_max);
    all.entries.insert(all.entries.end(), page->entries.begin(), page->entries.end());
    all.prefixes.insert(all.prefixes.end(), page->common_prefixes.begin(),
                        page->common_prefixes.end());
    more = page->truncated;
    if (more) {
      REQUIRE(page->next_key >= request.key_marker);
      request.key_marker = page->next_key;
      request.version_marker = page->next_version;
    }
  }
  return all;
}

}  // namespace mote::contract
