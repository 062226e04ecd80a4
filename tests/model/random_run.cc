#include "tests/model/random_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "tests/model/model_store.h"

namespace mote::contract {
namespace {

class RandomRun {
 public:
  RandomRun(StoreFixture& fixture, const RandomRunOptions& options)
      : client_(fixture), options_(options), random_(options.seed) {}

  RandomRunResult run() {
    struct Choice {
      std::uint64_t weight;
      void (RandomRun::*operation)();
    };
    static constexpr std::array<Choice, 16> kChoices = {{
        {16, &RandomRun::put},
        {12, &RandomRun::read},
        {8, &RandomRun::head},
        {8, &RandomRun::remove},
        {3, &RandomRun::remove_version},
        {3, &RandomRun::set_tags},
        {6, &RandomRun::list},
        {4, &RandomRun::list_versions},
        {3, &RandomRun::create_upload},
        {5, &RandomRun::put_part},
        {3, &RandomRun::complete},
        {1, &RandomRun::abort},
        {2, &RandomRun::list_uploads},
        {1, &RandomRun::create_or_delete_bucket},
        {1, &RandomRun::update_bucket},
        {2, &RandomRun::get_upload},
    }};
    std::uint64_t total = 0;
    for (const Choice& choice : kChoices) {
      total += choice.weight;
    }
    for (std::uint64_t step = 0; step < options_.operations; ++step) {
      CAPTURE(options_.seed);
      CAPTURE(step);
      std::uint64_t dice = below(total);
      const Choice* choice = kChoices.data();
      for (; dice >= choice->weight; ++choice) {
        dice -= choice->weight;
      }
      bucket_ = std::string("bucket-") + "abc"[below(3)];
      key_ = kKeys[below(kKeys.size())];
      CAPTURE(bucket_);
      CAPTURE(key_);
      (this->*choice->operation)();
      ++result_.operations;
    }
    check_everything();
    return result_;
  }

 private:
  static constexpr std::array<const char*, 18> kKeys = {
      "a",   "a/",    "a/b",   "a/b/c", "a.b",        "a//",   "ab",    "b",       "b/1",
      "b/2", "b/3/x", "c\x01", "c\xFF", "c\xFF/\xFF", "dir/x", "dir/y", "z/z/z/z", "\xFF\xFF"};

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(std::uint64_t one_in) { return below(one_in) == 0; }
  template <class T>
  bool succeeded(const Result<T>& result) {
    result_.succeeded += result ? 1U : 0U;
    return result.has_value();
  }
  [[nodiscard]] ModelBucket* model() {
    const auto found = buckets_.find(bucket_);
    return found == buckets_.end() ? nullptr : &found->second;
  }
  std::uint64_t some_size() {
    switch (below(12)) {
      case 0:
        return 0;
      case 1:
        return below(options_.object_bytes_max);
      case 2:
        return 4095 + below(3);
      default:
        return below(2000);
    }
  }
  /// A version id that exists, existed, or never did; null or current at times.
  std::optional<VersionId> some_version() {
    if (chance(4)) {
      return kNullVersion;
    }
    const auto& seen = seen_versions_[{bucket_, key_}];
    return seen.empty() || chance(20) ? VersionId{std::byte{1}} : seen[below(seen.size())];
  }
  Preconditions some_preconditions() {
    Preconditions preconditions;
    switch (below(12)) {
      case 0:
        preconditions.if_absent = true;
        break;
      case 1:
        preconditions.if_exists = true;
        break;
      case 2:
      case 3:
        preconditions.if_match = std::vector<ETag>{};
        if (const ModelBucket* bucket = model(); bucket && !chance(3)) {
          if (const auto current = bucket->find(key_, std::nullopt)) {
            preconditions.if_match->push_back(current->etag);
          }
        }
        preconditions.if_match->push_back(tag_of(below(seed_ + 1)));
        break;
      case 4:
        preconditions.if_none_match.push_back(tag_of(below(seed_ + 1)));
        if (const ModelBucket* bucket = model(); bucket && chance(2)) {
          if (const auto current = bucket->find(key_, std::nullopt)) {
            preconditions.if_none_match.push_back(current->etag);
          }
        }
        break;
      default:
        break;
    }
    return preconditions;
  }
  void check_same(const ModelVersion& expected, const ObjectHead& head) {
    CHECK(head.bytes == expected.bytes());
    CHECK(head.etag == expected.etag);
    CHECK(head.version == expected.id);
    CHECK(head.versioned == expected.versioned);
    CHECK(head.delete_marker == expected.delete_marker);
    CHECK(head.attributes.tags == expected.tags);
    CHECK(head.attributes.headers == expected.headers);
    REQUIRE(head.parts.size() == expected.part_numbers.size());
    for (std::size_t i = 0; i < head.parts.size(); ++i) {
      CHECK(head.parts[i].number == expected.part_numbers[i]);
      CHECK(head.parts[i].bytes == expected.pieces[i].first);
    }
  }
  /// Takes over what only the store can choose, and checks that it chose right.
  void add_stored(ModelBucket& bucket, ModelVersion version, const ObjectHead& head) {
    version.versioned = bucket.versioning != Versioning::off;
    version.id = head.version;
    check_new_version(bucket, head.version);
    check_same(version, head);
    REQUIRE(head.commit > last_commit_[{bucket_, key_}]);
    last_commit_[{bucket_, key_}] = head.commit;
    bucket.add(key_, std::move(version));
  }
  void check_new_version(const ModelBucket& bucket, const VersionId& id) {
    if (bucket.next_has_id()) {
      REQUIRE(id != kNullVersion);
      REQUIRE(version_ids_.insert(id).second);
      seen_versions_[{bucket_, key_}].push_back(id);
    } else {
      REQUIRE(id == kNullVersion);
    }
  }

  void put();
  void read();
  void head();
  void remove();
  void remove_version();
  void remove_one(const std::optional<VersionId>& version);
  void set_tags();
  void list();
  void list_versions();
  void create_upload();
  void put_part();
  void complete();
  void abort();
  void get_upload();
  void list_uploads();
  void create_or_delete_bucket();
  void update_bucket();
  void check_everything();
  void check_content(const ModelVersion& expected, OpenedObject& opened);
  UploadRef some_upload();

  const Client client_;
  const RandomRunOptions options_;
  std::mt19937_64 random_;
  RandomRunResult result_;
  std::map<std::string, ModelBucket> buckets_;
  std::map<std::pair<std::string, std::string>, std::vector<VersionId>> seen_versions_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> last_commit_;
  std::set<VersionId> version_ids_;
  std::vector<UploadRef> seen_uploads_;
  std::uint64_t seed_ = 0;  // of the last body
  std::string bucket_;
  std::string key_;
};

void RandomRun::put() {
  PutRequest request;
  request.bucket = bucket_;
  request.key = key_;
  request.etag = tag_of(++seed_);
  request.preconditions = some_preconditions();
  request.attributes.tags = chance(3) ? "t=" + std::to_string(below(10)) : std::string();
  request.attributes.headers = "X: " + std::string(below(60), 'h') + "\r\n";
  const std::uint64_t size = some_size();
  Body body;
  ModelBucket* bucket = model();
  if (size <= client_.store().limits().inline_bytes_max && !chance(4)) {
    body.bytes = pattern(static_cast<std::size_t>(size), seed_);
  } else {
    auto sink =
        client_.fill_sink(bucket_, size, seed_, 1 + static_cast<std::size_t>(below(100'000)));
    if (bucket == nullptr) {
      CHECK_ERR(sink, Errc::no_such_bucket);
      return;
    }
    REQUIRE_OK(sink);
    body.sink = *std::move(sink);
  }
  const Result<PutResult> put = client_.put(request, std::move(body));
  if (bucket == nullptr) {
    CHECK_ERR(put, Errc::no_such_bucket);
  } else if (!bucket->allows(key_, request.preconditions)) {
    CHECK_ERR(put, Errc::precondition_failed);
  } else {
    REQUIRE(succeeded(put));
    ModelVersion version;
    version.etag = request.etag;
    version.tags = request.attributes.tags;
    version.headers = request.attributes.headers;
    version.pieces = {{size, seed_}};
    add_stored(*bucket, std::move(version), *put->head);
  }
}

void RandomRun::check_content(const ModelVersion& expected, OpenedObject& opened) {
  std::uint64_t start = 0;
  for (const auto& [size, seed] : expected.pieces) {
    if (size > 0) {  // a random range of each piece, and at times all of it
      const bool whole = chance(3);
      const std::uint64_t offset = whole ? 0 : below(size);
      const std::uint64_t count = std::min(whole ? size : 1 + below(size - offset), kMiB);
      const auto slice = client_.read(opened, start + offset, static_cast<std::size_t>(count));
      REQUIRE_OK(slice);
      REQUIRE(slice->size() == count);
      REQUIRE(is_pattern(slice->bytes, seed, offset));
    }
    start += size;
  }
}

void RandomRun::read() {
  const std::optional<VersionId> version = chance(3) ? some_version() : std::nullopt;
  Result<OpenedObject> opened = client_.open(bucket_, key_, version);
  const ModelBucket* bucket = model();
  const Result<ModelVersion> expected =
      bucket ? bucket->find(key_, version) : Result<ModelVersion>(Errc::no_such_bucket);
  if (!expected) {
    CHECK_ERR(opened, expected.error().code);
    return;
  }
  REQUIRE(succeeded(opened));
  check_same(*expected, *opened->head);
  check_content(*expected, *opened);
}

void RandomRun::head() {
  const std::optional<VersionId> version = chance(3) ? some_version() : std::nullopt;
  const auto head = client_.head(bucket_, key_, version);
  const ModelBucket* bucket = model();
  const Result<ModelVersion> expected =
      bucket ? bucket->find(key_, version) : Result<ModelVersion>(Errc::no_such_bucket);
  if (!expected) {
    CHECK_ERR(head, expected.error().code);
    return;
  }
  REQUIRE(succeeded(head));
  check_same(*expected, **head);
}

void RandomRun::remove() {
  remove_one(std::nullopt);
}
void RandomRun::remove_version() {
  remove_one(some_version());
}

void RandomRun::remove_one(const std::optional<VersionId>& version) {
  const Preconditions preconditions = some_preconditions();
  const auto removed = client_.remove(bucket_, key_, version, preconditions);
  ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(removed, Errc::no_such_bucket);
    return;
  }
  if (!bucket->allows(key_, preconditions)) {
    CHECK_ERR(removed, Errc::precondition_failed);
    return;
  }
  REQUIRE(succeeded(removed));
  if (removed->made_marker) {
    check_new_version(*bucket, removed->version);
  }
  const DeleteResult expected = bucket->remove(key_, version, removed->version);
  CHECK(removed->existed == expected.existed);
  CHECK(removed->made_marker == expected.made_marker);
  CHECK(removed->removed_marker == expected.removed_marker);
  CHECK(removed->version == expected.version);
  CHECK(removed->versioned == expected.versioned);
}

void RandomRun::set_tags() {
  const std::optional<VersionId> version = chance(3) ? some_version() : std::nullopt;
  const std::string tags = "n=" + std::to_string(below(1000));
  const auto tagged = client_.set_tags(bucket_, key_, tags, version);
  ModelBucket* bucket = model();
  Result<ModelVersion> expected =
      bucket ? bucket->find(key_, version) : Result<ModelVersion>(Errc::no_such_bucket);
  if (!expected) {
    CHECK_ERR(tagged, expected.error().code);
    return;
  }
  REQUIRE(succeeded(tagged));
  for (ModelVersion& each : bucket->keys[key_]) {
    if (each.id == expected->id) {
      each.tags = tags;
      check_same(each, **tagged);
    }
  }
  last_commit_[{bucket_, key_}] = std::max(last_commit_[{bucket_, key_}], (*tagged)->commit);
}

void RandomRun::list() {
  static constexpr std::array<const char*, 7> kPrefixes = {"",  "a",    "a/",  "b/",
                                                           "c", "z/z/", "\xFF"};
  static constexpr std::array<const char*, 5> kDelimiters = {"", "/", "/", "b", "//"};
  ListRequest request;
  request.bucket = bucket_;
  request.prefix = kPrefixes[below(kPrefixes.size())];
  request.delimiter = kDelimiters[below(kDelimiters.size())];
  request.after = chance(2) ? "" : kKeys[below(kKeys.size())];
  request.entries_max = static_cast<std::uint32_t>(1 + below(chance(2) ? 4 : 1000));
  const ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(client_.list(request), Errc::no_such_bucket);
    return;
  }
  const Listing got = list_all(client_, request);
  const ModelBucket::Listed expected = bucket->list(request);
  CHECK(got.keys == expected.keys);
  CHECK(got.prefixes == expected.prefixes);
  ++result_.succeeded;
}

void RandomRun::list_versions() {
  ListVersionsRequest request;
  request.bucket = bucket_;
  request.prefix = chance(2) ? "" : "a";
  request.delimiter = chance(2) ? "" : "/";
  request.entries_max = static_cast<std::uint32_t>(1 + below(chance(2) ? 4 : 1000));
  if (chance(2)) {
    request.key_marker = key_;
    // A version marker means nothing within a common prefix.
    if (chance(2) && (request.delimiter.empty() || key_.find('/') == std::string::npos)) {
      request.version_marker = some_version();
    }
  }
  const ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(client_.list_versions(request), Errc::no_such_bucket);
    return;
  }
  const VersionListing got = list_all_versions(client_, request);
  std::vector<std::string> prefixes;
  const auto expected = bucket->list_versions(request, prefixes);
  CHECK(got.prefixes == prefixes);
  REQUIRE(got.entries.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const VersionEntry& entry = got.entries[i];
    CHECK(ModelBucket::ListedVersion{entry.key, entry.head->version, entry.latest,
                                     entry.head->delete_marker} == expected[i]);
  }
  ++result_.succeeded;
}

void RandomRun::create_upload() {
  CreateUploadRequest request;
  request.bucket = bucket_;
  request.key = key_;
  request.attributes.headers = "U: 1\r\n";
  request.attributes.tags = "u=1";
  const auto upload = client_.create_upload(request);
  ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(upload, Errc::no_such_bucket);
    return;
  }
  REQUIRE(succeeded(upload));
  REQUIRE(bucket->uploads.emplace(upload->ref.upload, ModelUpload{key_, {}}).second);
  seen_uploads_.push_back(upload->ref);
  if (seen_uploads_.size() > 12) {
    seen_uploads_.erase(seen_uploads_.begin());
  }
}

/// An upload that is open or was; sets bucket and key to its own.
UploadRef RandomRun::some_upload() {
  if (seen_uploads_.empty()) {
    return {bucket_, key_, UploadId{std::byte{1}}};
  }
  const UploadRef ref = seen_uploads_[below(seen_uploads_.size())];
  bucket_ = ref.bucket;
  key_ = ref.key;
  return ref;
}

void RandomRun::put_part() {
  const UploadRef ref = some_upload();
  const auto number = static_cast<std::uint16_t>(1 + below(5));
  const std::uint64_t size = some_size();
  ModelBucket* bucket = model();
  ++seed_;
  const auto part = client_.put_part(ref, number, size, seed_);
  if (bucket == nullptr) {
    CHECK_ERR(part, Errc::no_such_bucket);
  } else if (!bucket->uploads.contains(ref.upload)) {
    CHECK_ERR(part, Errc::no_such_upload);
  } else {
    REQUIRE(succeeded(part));
    CHECK(part->bytes == size);
    CHECK(part->number == number);
    bucket->uploads[ref.upload].parts[number] = {size, seed_, part->commit};
  }
}

void RandomRun::complete() {
  const UploadRef ref = some_upload();
  ModelBucket* bucket = model();
  const Preconditions preconditions = some_preconditions();
  std::vector<PartInfo> parts;
  ModelVersion version;
  bool stale = false;
  if (bucket != nullptr && bucket->uploads.contains(ref.upload)) {
    for (const auto& [number, part] : bucket->uploads[ref.upload].parts) {
      if (chance(5)) {
        continue;  // not named
      }
      PartInfo info;
      info.number = number;
      info.commit = part.commit;
      if (chance(25)) {
        info.commit += 1'000'000;
        stale = true;
      }
      parts.push_back(info);
      version.pieces.emplace_back(part.size, part.seed);
      version.part_numbers.push_back(number);
    }
  }
  ++seed_;
  const auto done = client_.complete(ref, parts, seed_, preconditions);
  if (bucket == nullptr) {
    CHECK_ERR(done, Errc::no_such_bucket);
  } else if (!bucket->uploads.contains(ref.upload)) {
    CHECK_ERR(done, Errc::no_such_upload);
  } else if (parts.empty() || stale || !bucket->allows(key_, preconditions)) {
    REQUIRE(done.has_error());
    const Errc code = done.error().code;
    const bool fits = (parts.empty() && code == Errc::invalid_argument) ||
                      (stale && code == Errc::invalid_part) ||
                      (!bucket->allows(key_, preconditions) && code == Errc::precondition_failed);
    CHECK(fits);
  } else {
    REQUIRE(succeeded(done));
    version.etag = tag_of(seed_, static_cast<std::uint16_t>(parts.size()));
    version.headers = "U: 1\r\n";
    version.tags = "u=1";
    bucket->uploads.erase(ref.upload);
    add_stored(*bucket, std::move(version), *done->head);
  }
}

void RandomRun::abort() {
  const UploadRef ref = some_upload();
  const Status aborted = client_.abort(ref);
  ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(aborted, Errc::no_such_bucket);
  } else if (bucket->uploads.erase(ref.upload) == 0) {
    CHECK_ERR(aborted, Errc::no_such_upload);
  } else {
    CHECK(succeeded(aborted));
  }
}

void RandomRun::get_upload() {
  const UploadRef ref = some_upload();
  const auto info = client_.get_upload(ref);
  ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(info, Errc::no_such_bucket);
  } else if (!bucket->uploads.contains(ref.upload)) {
    CHECK_ERR(info, Errc::no_such_upload);
  } else {
    REQUIRE(succeeded(info));
    const auto& parts = bucket->uploads[ref.upload].parts;
    REQUIRE(info->parts.size() == parts.size());
    std::size_t i = 0;
    for (const auto& [number, part] : parts) {
      CHECK(info->parts[i].number == number);
      CHECK(info->parts[i].bytes == part.size);
      CHECK(info->parts[i].commit == part.commit);
      CHECK(info->parts[i].etag == tag_of(part.seed));
      ++i;
    }
  }
}

void RandomRun::list_uploads() {
  ListUploadsRequest request{bucket_, chance(2) ? "" : "a", "", "", {}, 1000};
  request.entries_max = static_cast<std::uint32_t>(1 + below(20));
  const ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(client_.list_uploads(request), Errc::no_such_bucket);
    return;
  }
  std::vector<std::pair<std::string, UploadId>> expected;
  for (const auto& [id, upload] : bucket->uploads) {
    if (upload.key.compare(0, request.prefix.size(), request.prefix) == 0) {
      expected.emplace_back(upload.key, id);
    }
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::pair<std::string, UploadId>> got;
  for (bool more = true; more;) {
    const auto page = client_.list_uploads(request);
    REQUIRE_OK(page);
    for (const UploadInfo& info : page->entries) {
      got.emplace_back(info.ref.key, info.ref.upload);
    }
    more = page->truncated;
    request.key_marker = page->next_key;
    request.upload_marker = page->next_upload;
  }
  CHECK(got == expected);
  ++result_.succeeded;
}

void RandomRun::create_or_delete_bucket() {
  ModelBucket* bucket = model();
  if (bucket == nullptr || chance(4)) {
    const auto created = client_.create_bucket(bucket_);
    if (bucket != nullptr) {
      CHECK_ERR(created, Errc::bucket_exists);
      return;
    }
    REQUIRE(succeeded(created));
    buckets_.emplace(bucket_, ModelBucket());
    return;
  }
  if (chance(3)) {  // make room, so that deleting succeeds at times
    const auto keys = bucket->keys;
    for (const auto& [key, versions] : keys) {
      for (const ModelVersion& version : versions) {
        REQUIRE_OK(client_.remove(bucket_, key, version.id));
        bucket->remove(key, version.id, kNullVersion);
      }
    }
  }
  const Status deleted = client_.delete_bucket(bucket_);
  if (!bucket->keys.empty()) {
    CHECK_ERR(deleted, Errc::bucket_not_empty);
    return;
  }
  REQUIRE(succeeded(deleted));
  buckets_.erase(bucket_);
}

void RandomRun::update_bucket() {
  UpdateBucketRequest request{bucket_, {}, "", {}};
  if (options_.versioning && chance(2)) {
    request.versioning = chance(2) ? Versioning::enabled : Versioning::suspended;
  } else {
    request.document = chance(2) ? "cors" : "tagging";
    request.content =
        chance(3) ? std::nullopt : std::optional("<" + std::to_string(below(100)) + "/>");
  }
  const auto updated = client_.update_bucket(request);
  ModelBucket* bucket = model();
  if (bucket == nullptr) {
    CHECK_ERR(updated, Errc::no_such_bucket);
    return;
  }
  REQUIRE(succeeded(updated));
  bucket->versioning = request.versioning.value_or(bucket->versioning);
  if (request.content) {
    bucket->documents[request.document] = *request.content;
  } else {
    bucket->documents.erase(request.document);
  }
  const auto found = client_.store().find_bucket(bucket_);
  REQUIRE(found != nullptr);
  CHECK(found->versioning == bucket->versioning);
  CHECK(std::map<std::string, std::string>(found->documents.begin(), found->documents.end()) ==
        bucket->documents);
}

void RandomRun::check_everything() {
  for (const char* name : {"bucket-a", "bucket-b", "bucket-c"}) {
    bucket_ = name;
    const ModelBucket* bucket = model();
    CHECK((client_.store().find_bucket(name) != nullptr) == (bucket != nullptr));
    if (bucket == nullptr) {
      continue;
    }
    for (const auto& entry : bucket->keys) {
      const std::string& key = entry.first;
      const auto& versions = entry.second;
      CAPTURE(key);
      for (const ModelVersion& version : versions) {
        Result<OpenedObject> opened = client_.open(name, key, version.id);
        if (version.delete_marker) {
          CHECK_ERR(opened, Errc::delete_marker);
          continue;
        }
        REQUIRE_OK(opened);
        check_same(version, *opened->head);
        check_content(version, *opened);
      }
    }
  }
}

}  // namespace

RandomRunResult run_random(StoreFixture& fixture, const RandomRunOptions& options) {
  return RandomRun(fixture, options).run();
}

}  // namespace mote::contract
