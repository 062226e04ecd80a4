#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The documents that clients send, read strictly: nullopt is always 400 MalformedXML. Element
/// order is free, the namespace is optional, unknown elements are ignored where S3 ignores them.
namespace mote::xml {

struct DeleteEntry {
  std::string key;
  std::optional<std::string> version_id;
  std::optional<std::string> etag;  ///< delete only if the object has this tag
  bool unsupported = false;         ///< asks for a condition of directory buckets
};
struct DeleteDocument {
  std::vector<DeleteEntry> objects;  ///< 1 to `objects_max`
  bool quiet = false;
};
[[nodiscard]] std::optional<DeleteDocument> read_delete(std::string_view text,
                                                        std::size_t objects_max);

struct CompletePart {
  std::int64_t number = 0;
  std::string etag;  ///< without quotes
  /// ("ChecksumCRC32", base64) as sent.
  std::vector<std::pair<std::string, std::string>> checksums;
};
struct CompleteDocument {
  std::vector<CompletePart> parts;  ///< 1 to `parts_max`, in the order sent
};
[[nodiscard]] std::optional<CompleteDocument> read_complete(std::string_view text,
                                                            std::size_t parts_max);

using TagList = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] std::optional<TagList> read_tagging(std::string_view text);

struct CreateBucketDocument {
  std::string location;    ///< "" if not given
  bool directory = false;  ///< asks for a directory bucket (Bucket or Location element)
};
/// An empty text is an empty document.
[[nodiscard]] std::optional<CreateBucketDocument> read_create_bucket(std::string_view text);

struct VersioningDocument {
  bool enabled = false;  ///< else Suspended
  bool mfa_delete = false;
};
[[nodiscard]] std::optional<VersioningDocument> read_versioning(std::string_view text);

/// The ObjectOwnership of the one rule: BucketOwnerEnforced, BucketOwnerPreferred or ObjectWriter.
[[nodiscard]] std::optional<std::string> read_ownership_controls(std::string_view text);

struct Grant {
  std::string grantee_id;  ///< "" for a group or an e-mail grantee
  std::string permission;
};
struct AclDocument {
  std::string owner_id;
  std::vector<Grant> grants;
};
[[nodiscard]] std::optional<AclDocument> read_acl(std::string_view text);

struct PublicAccessBlockDocument {
  bool block_public_acls = false;
  bool ignore_public_acls = false;
  bool block_public_policy = false;
  bool restrict_public_buckets = false;
};
/// What is not given is false.
[[nodiscard]] std::optional<PublicAccessBlockDocument> read_public_access_block(
    std::string_view text);

}  // namespace mote::xml
