#include "tests/model/model_store.h"

#include <algorithm>

namespace mote::contract {
namespace {

bool starts_with(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

/// The common prefix that `key` shows as; empty if it shows as itself.
std::string rolled(const std::string& key, const std::string& prefix,
                   const std::string& delimiter) {
  const std::size_t at = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
  return at == std::string::npos ? std::string() : key.substr(0, at + delimiter.size());
}

void add_once(std::vector<std::string>& prefixes, const std::string& prefix) {
  if (prefixes.empty() || prefixes.back() != prefix) {
    prefixes.push_back(prefix);
  }
}

}  // namespace

std::uint64_t ModelVersion::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [size, seed] : pieces) {
    sum += size;
  }
  return sum;
}

Result<ModelVersion> ModelBucket::find(const std::string& key,
                                       const std::optional<VersionId>& version) const {
  const auto found = keys.find(key);
  if (!version) {
    if (found == keys.end()) {
      return Errc::no_such_key;
    }
    const ModelVersion& newest = found->second.back();
    return newest.delete_marker ? Result<ModelVersion>(Errc::delete_marker) : newest;
  }
  if (found != keys.end()) {
    for (const ModelVersion& each : found->second) {
      if (each.id == *version) {
        return each.delete_marker ? Result<ModelVersion>(Errc::delete_marker) : each;
      }
    }
  }
  return Errc::no_such_version;
}

bool ModelBucket::allows(const std::string& key, const Preconditions& preconditions) const {
  const Result<ModelVersion> current = find(key, std::nullopt);
  bool allowed = true;
  if (preconditions.if_absent) {
    allowed = allowed && !current;
  }
  if (preconditions.if_exists) {
    allowed = allowed && current;
  }
  if (preconditions.if_match) {
    bool matches = false;
    for (const ETag& tag : *preconditions.if_match) {
      matches = matches || (current && current->etag == tag);
    }
    allowed = allowed && matches;
  }
  for (const ETag& tag : preconditions.if_none_match) {
    allowed = allowed && !(current && current->etag == tag);
  }
  return allowed;
}

void ModelBucket::add(const std::string& key, ModelVersion version) {
  std::vector<ModelVersion>& versions = keys[key];
  if (version.id == kNullVersion) {  // there is one null version at most
    std::erase_if(versions, [](const ModelVersion& each) { return each.id == kNullVersion; });
  }
  versions.push_back(std::move(version));
}

DeleteResult ModelBucket::remove(const std::string& key, const std::optional<VersionId>& version,
                                 const VersionId& made) {
  DeleteResult result;
  result.versioned = versioning != Versioning::off;
  if (!version && result.versioned) {
    result.existed = find(key, std::nullopt).has_value();
    result.made_marker = true;
    result.version = made;
    ModelVersion marker;
    marker.id = made;
    marker.delete_marker = true;
    marker.versioned = true;
    add(key, std::move(marker));
    return result;
  }
  result.version = version.value_or(kNullVersion);
  const auto found = keys.find(key);
  if (found == keys.end()) {
    return result;
  }
  std::erase_if(found->second, [&](const ModelVersion& each) {
    const bool hit = each.id == result.version;
    result.existed = result.existed || hit;
    result.removed_marker = result.removed_marker || (hit && each.delete_marker);
    return hit;
  });
  if (found->second.empty()) {
    keys.erase(found);
  }
  return result;
}

bool ModelBucket::has_version(const std::string& key, const VersionId& id) const {
  const auto found = keys.find(key);
  return found != keys.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const ModelVersion& each) { return each.id == id; });
}

ModelBucket::Listed ModelBucket::list(const ListRequest& request) const {
  Listed result;
  for (const auto& [key, versions] : keys) {
    if (!starts_with(key, request.prefix) || versions.back().delete_marker) {
      continue;
    }
    const std::string prefix = rolled(key, request.prefix, request.delimiter);
    if (prefix.empty() && key > request.after) {
      result.keys.push_back(key);
    } else if (!prefix.empty() && prefix > request.after) {
      add_once(result.prefixes, prefix);
    }
  }
  return result;
}

std::vector<ModelBucket::ListedVersion> ModelBucket::list_versions(
    const ListVersionsRequest& request, std::vector<std::string>& prefixes) const {
  std::vector<ListedVersion> result;
  for (const auto& [key, versions] : keys) {
    if (!starts_with(key, request.prefix)) {
      continue;
    }
    const std::string prefix = rolled(key, request.prefix, request.delimiter);
    if (!prefix.empty()) {
      if (prefix > request.key_marker) {
        add_once(prefixes, prefix);
      }
      continue;
    }
    // With a version marker: what is older than it; all of the key if it is not there any more.
    bool reached = key > request.key_marker;
    if (key == request.key_marker && request.version_marker) {
      reached = !has_version(key, *request.version_marker);
    }
    for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
      if (reached) {
        result.push_back({key, version->id, version == versions.rbegin(), version->delete_marker});
      }
      reached = reached || (key == request.key_marker && request.version_marker &&
                            version->id == *request.version_marker);
    }
  }
  return result;
}

}  // namespace mote::contract
