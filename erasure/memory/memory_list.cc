#include <algorithm>
#include <utility>

#include "erasure/memory/memory_store_impl.h"

namespace mote {
namespace {

/// The smallest key greater than every key that starts with `prefix`; nullopt if there is none.
std::optional<std::string> past_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) {
    prefix.pop_back();
  }
  if (prefix.empty()) {
    return std::nullopt;
  }
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

/// What a list request selects: keys under a prefix, rolled up at a delimiter.
struct Selection {
  const std::string& prefix;
  const std::string& delimiter;

  [[nodiscard]] bool holds(std::string_view key) const {
    return key.substr(0, prefix.size()) == prefix;
  }
  /// The common prefix that `key` (which has the prefix) rolls up into; empty if none.
  [[nodiscard]] std::string_view rolled(std::string_view key) const {
    if (delimiter.empty()) {
      return {};
    }
    const std::size_t found = key.find(delimiter, prefix.size());
    return found == std::string_view::npos ? std::string_view{}
                                           : key.substr(0, found + delimiter.size());
  }
};

/// The first element past every key that starts with `prefix`.
template <class Map, class MakeKey>
auto seek_past(const Map& map, std::string_view prefix, MakeKey make_key) {
  const std::optional<std::string> next = past_prefix(std::string(prefix));
  return next ? map.lower_bound(make_key(*next)) : map.end();
}

std::string same(std::string key) {
  return key;
}

/// Where a listing of `map` begins: at the prefix, or past `after`; and past the common prefix of
/// `after`, which was given with it or lies before it.
template <class Map>
auto first_after(const Map& map, const Selection& selection, const std::string& after) {
  if (after < selection.prefix) {
    return map.lower_bound(selection.prefix);
  }
  if (selection.holds(after)) {
    if (const std::string_view rolled = selection.rolled(after); !rolled.empty()) {
      return seek_past(map, rolled, same);
    }
  }
  return map.upper_bound(after);
}

bool is_live(const MemoryKey& key) {
  return !key.newest().head->delete_marker;
}

using Keys = std::map<std::string, MemoryKey, std::less<>>;

/// The first live key from `at` on that starts with `prefix`, or end().
Keys::const_iterator next_live(const Keys& keys, Keys::const_iterator at,
                               const Selection& selection) {
  while (at != keys.end() && selection.holds(at->first) && !is_live(at->second)) {
    ++at;
  }
  return at != keys.end() && selection.holds(at->first) ? at : keys.end();
}

ListPage collect(const Keys& keys, const ListRequest& request) {
  const Selection selection{request.prefix, request.delimiter};
  ListPage page;
  if (request.entries_max == 0) {
    return page;
  }
  auto at = next_live(keys, first_after(keys, selection, request.after), selection);
  while (at != keys.end()) {
    if (page.entries.size() + page.common_prefixes.size() >= request.entries_max) {
      page.truncated = true;
      return page;
    }
    if (const std::string_view rolled = selection.rolled(at->first); !rolled.empty()) {
      page.next_after = page.common_prefixes.emplace_back(rolled);
      at = seek_past(keys, page.next_after, same);
    } else {
      page.entries.push_back({at->first, at->second.newest().head});
      page.next_after = at->first;
      ++at;
    }
    at = next_live(keys, at, selection);
  }
  page.next_after.clear();
  return page;
}

/// Builds one page of versions; says through full() when no more fits.
class VersionCollector {
 public:
  explicit VersionCollector(std::uint32_t entries_max) : entries_max_(entries_max) {}

  [[nodiscard]] bool full() const {
    return page_.entries.size() + page_.common_prefixes.size() >= entries_max_;
  }
  /// Adds the versions of `key` that are older than the `from` newest. False if not all fitted.
  bool add_versions(const std::string& key, const MemoryKey& state, std::size_t from) {
    const auto& versions = state.versions;
    for (std::size_t i = from; i < versions.size(); ++i) {
      if (full()) {
        return false;
      }
      const MemoryVersion& version = versions[versions.size() - 1 - i];
      page_.entries.push_back({key, i == 0, version.head});
      page_.next_key = key;
      page_.next_version = version.head->version;
    }
    return true;
  }
  void add_prefix(std::string_view prefix) {
    page_.common_prefixes.emplace_back(prefix);
    page_.next_key = prefix;
    page_.next_version = kNullVersion;
  }
  ListVersionsPage finish(bool truncated) && {
    page_.truncated = truncated;
    if (!truncated) {
      page_.next_key.clear();
      page_.next_version = kNullVersion;
    }
    return std::move(page_);
  }

 private:
  const std::uint32_t entries_max_;
  ListVersionsPage page_;
};

/// How many of the newest versions the marker leaves out. If the marked version has gone meanwhile,
/// none: who deletes page by page must not miss the rest of the key.
std::size_t versions_passed(const MemoryKey& state, const VersionId& marker) {
  const auto& versions = state.versions;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (versions[versions.size() - 1 - i].head->version == marker) {
      return i + 1;
    }
  }
  return 0;
}

ListVersionsPage collect(const Keys& keys, const ListVersionsRequest& request) {
  const Selection selection{request.prefix, request.delimiter};
  VersionCollector page(request.entries_max);
  if (request.entries_max == 0) {
    return std::move(page).finish(false);
  }
  if (request.version_marker && selection.holds(request.key_marker) &&
      selection.rolled(request.key_marker).empty()) {
    const auto marked = keys.find(request.key_marker);
    if (marked != keys.end() &&
        !page.add_versions(marked->first, marked->second,
                           versions_passed(marked->second, *request.version_marker))) {
      return std::move(page).finish(true);
    }
  }
  auto at = first_after(keys, selection, request.key_marker);
  while (at != keys.end() && selection.holds(at->first)) {
    if (page.full()) {
      return std::move(page).finish(true);
    }
    if (const std::string_view rolled = selection.rolled(at->first); !rolled.empty()) {
      page.add_prefix(rolled);
      at = seek_past(keys, rolled, same);
    } else if (page.add_versions(at->first, at->second, 0)) {
      ++at;
    } else {
      return std::move(page).finish(true);
    }
  }
  return std::move(page).finish(false);
}

using Uploads = std::map<std::pair<std::string, UploadId>, MemoryUpload>;

std::pair<std::string, UploadId> first_upload_of(std::string key) {
  return {std::move(key), UploadId{}};
}

/// Where a listing of uploads begins.
Uploads::const_iterator first_upload(const Uploads& uploads, const ListUploadsRequest& request) {
  const Selection selection{request.prefix, request.delimiter};
  const std::string& marker = request.key_marker;
  if (marker < request.prefix || marker.empty()) {
    return uploads.lower_bound(first_upload_of(request.prefix));
  }
  if (selection.holds(marker)) {
    if (const std::string_view rolled = selection.rolled(marker); !rolled.empty()) {
      return seek_past(uploads, rolled, first_upload_of);
    }
  }
  if (request.upload_marker) {
    return uploads.upper_bound({marker, *request.upload_marker});
  }
  return uploads.lower_bound(first_upload_of(marker + '\0'));
}

ListUploadsPage collect(const Uploads& uploads, const ListUploadsRequest& request) {
  const Selection selection{request.prefix, request.delimiter};
  ListUploadsPage page;
  if (request.entries_max == 0) {
    return page;
  }
  auto at = first_upload(uploads, request);
  while (at != uploads.end() && selection.holds(at->first.first)) {
    if (page.entries.size() + page.common_prefixes.size() >= request.entries_max) {
      page.truncated = true;
      return page;
    }
    if (const std::string_view rolled = selection.rolled(at->first.first); !rolled.empty()) {
      page.next_key = page.common_prefixes.emplace_back(rolled);
      page.next_upload = {};
      at = seek_past(uploads, page.next_key, first_upload_of);
    } else {
      page.entries.push_back(at->second.info);
      page.next_key = at->first.first;
      page.next_upload = at->first.second;
      ++at;
    }
  }
  page.next_key.clear();
  page.next_upload = {};
  return page;
}

}  // namespace

void MemoryStore::list(ListRequest request, Completion<ListPage> done) {
  Result<ListPage> result = [&]() -> Result<ListPage> {
    const Result<Locked<SharedLock>> bucket = enter<SharedLock>(request.bucket, request.stop);
    if (!bucket) {
      return bucket.error();
    }
    return collect((*bucket)->keys, request);
  }();
  done(std::move(result));
}

void MemoryStore::list_versions(ListVersionsRequest request, Completion<ListVersionsPage> done) {
  Result<ListVersionsPage> result = [&]() -> Result<ListVersionsPage> {
    const Result<Locked<SharedLock>> bucket = enter<SharedLock>(request.bucket, request.stop);
    if (!bucket) {
      return bucket.error();
    }
    return collect((*bucket)->keys, request);
  }();
  done(std::move(result));
}

void MemoryStore::list_uploads(ListUploadsRequest request, Completion<ListUploadsPage> done) {
  Result<ListUploadsPage> result = [&]() -> Result<ListUploadsPage> {
    const Result<Locked<SharedLock>> bucket = enter<SharedLock>(request.bucket);
    if (!bucket) {
      return bucket.error();
    }
    return collect((*bucket)->uploads, request);
  }();
  done(std::move(result));
}

}  // namespace mote
