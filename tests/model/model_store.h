#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "erasure/store.h"

namespace mote::contract {

/// What the model knows of one version: enough to say everything the store must answer about it.
struct ModelVersion {
  VersionId id = kNullVersion;
  bool delete_marker = false;
  bool versioned = false;
  ETag etag;
  std::string tags;
  std::string headers;
  /// The body as pieces of patterns: size and seed of each part, one for an object put whole.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
  std::vector<std::uint16_t> part_numbers;  ///< of a multipart object

  [[nodiscard]] std::uint64_t bytes() const;
};

struct ModelPart {
  std::uint64_t size = 0;
  std::uint64_t seed = 0;
  std::uint64_t commit = 0;
};

struct ModelUpload {
  std::string key;
  std::map<std::uint16_t, ModelPart> parts;
};

/// The oracle: the semantics of one bucket, written down for reading, not for speed. Everything is
/// computed from plain maps by the definitions of erasure/store.h and AWS's rules for versions;
/// nothing is shared with a store.
class ModelBucket {
 public:
  Versioning versioning = Versioning::off;
  std::map<std::string, std::string> documents;
  std::map<std::string, std::vector<ModelVersion>> keys;  ///< newest version last; no empty vectors
  std::map<UploadId, ModelUpload> uploads;

  /// The version a read must find, or why it must not.
  [[nodiscard]] Result<ModelVersion> find(const std::string& key,
                                          const std::optional<VersionId>& version) const;
  [[nodiscard]] bool allows(const std::string& key, const Preconditions& preconditions) const;
  /// Must the store give the next version of this bucket an id of its own?
  [[nodiscard]] bool next_has_id() const { return versioning == Versioning::enabled; }
  void add(const std::string& key, ModelVersion version);
  /// What a delete must report; `made` is the id of the marker, if the store says it made one.
  DeleteResult remove(const std::string& key, const std::optional<VersionId>& version,
                      const VersionId& made);
  [[nodiscard]] bool has_version(const std::string& key, const VersionId& id) const;

  struct Listed {
    std::vector<std::string> keys;
    std::vector<std::string> prefixes;
  };
  /// All keys that a listing shows, in one page without end.
  [[nodiscard]] Listed list(const ListRequest& request) const;
  /// Key, id and place (0: latest) of all versions that a listing shows after `key_marker`.
  struct ListedVersion {
    std::string key;
    VersionId id;
    bool latest;
    bool delete_marker;

    friend bool operator==(const ListedVersion&, const ListedVersion&) = default;
  };
  [[nodiscard]] std::vector<ListedVersion> list_versions(const ListVersionsRequest& request,
                                                         std::vector<std::string>& prefixes) const;
};

}  // namespace mote::contract
