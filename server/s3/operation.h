#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mote::s3 {

/// What an operation acts on.
enum class Resource : std::uint8_t { service, bucket, object };

/// What an operation does with the request's body.
enum class BodyUse : std::uint8_t {
  none,      ///< ignored if there is one
  document,  ///< a small XML document, read whole
  payload,   ///< an object's bytes, streamed; the only kind that may be aws-chunked (A-13)
};

/// Who may ask at all, before ownership is looked at.
enum class Access : std::uint8_t {
  signed_in,     ///< any verified identity: the operation names no bucket that is there yet
  bucket_owner,  ///< the identity that owns the bucket
  in_form,       ///< credentials come inside the body (POST policy)
  anyone,        ///< CORS preflight: carries no credentials by definition
};

/// Every operation of the S3 API (the 2025 service model, the form upload and the preflight):
/// enumerator, name, IAM action, resource, body, access. Which of them are built is known by the
/// dispatch table (handlers/dispatch.cc); the rest answer 501 with their name.
#define MOTE_S3_OPERATIONS(X)                                                                      \
  X(abort_multipart_upload, "AbortMultipartUpload", "s3:AbortMultipartUpload", object, none,       \
    bucket_owner)                                                                                  \
  X(complete_multipart_upload, "CompleteMultipartUpload", "s3:PutObject", object, document,        \
    bucket_owner)                                                                                  \
  X(copy_object, "CopyObject", "s3:PutObject", object, none, bucket_owner)                         \
  X(create_bucket, "CreateBucket", "s3:CreateBucket", bucket, document, signed_in)                 \
  X(create_bucket_metadata, "CreateBucketMetadataConfiguration",                                   \
    "s3:CreateBucketMetadataTableConfiguration", bucket, document, bucket_owner)                   \
  X(create_bucket_metadata_table, "CreateBucketMetadataTableConfiguration",                        \
    "s3:CreateBucketMetadataTableConfiguration", bucket, document, bucket_owner)                   \
  X(create_multipart_upload, "CreateMultipartUpload", "s3:PutObject", object, none, bucket_owner)  \
  X(create_session, "CreateSession", "s3express:CreateSession", bucket, none, bucket_owner)        \
  X(delete_bucket, "DeleteBucket", "s3:DeleteBucket", bucket, none, bucket_owner)                  \
  X(delete_bucket_analytics, "DeleteBucketAnalyticsConfiguration", "s3:PutAnalyticsConfiguration", \
    bucket, none, bucket_owner)                                                                    \
  X(delete_bucket_cors, "DeleteBucketCors", "s3:PutBucketCORS", bucket, none, bucket_owner)        \
  X(delete_bucket_encryption, "DeleteBucketEncryption", "s3:PutEncryptionConfiguration", bucket,   \
    none, bucket_owner)                                                                            \
  X(delete_bucket_intelligent_tiering, "DeleteBucketIntelligentTieringConfiguration",              \
    "s3:PutIntelligentTieringConfiguration", bucket, none, bucket_owner)                           \
  X(delete_bucket_inventory, "DeleteBucketInventoryConfiguration", "s3:PutInventoryConfiguration", \
    bucket, none, bucket_owner)                                                                    \
  X(delete_bucket_lifecycle, "DeleteBucketLifecycle", "s3:PutLifecycleConfiguration", bucket,      \
    none, bucket_owner)                                                                            \
  X(delete_bucket_metadata, "DeleteBucketMetadataConfiguration",                                   \
    "s3:DeleteBucketMetadataTableConfiguration", bucket, none, bucket_owner)                       \
  X(delete_bucket_metadata_table, "DeleteBucketMetadataTableConfiguration",                        \
    "s3:DeleteBucketMetadataTableConfiguration", bucket, none, bucket_owner)                       \
  X(delete_bucket_metrics, "DeleteBucketMetricsConfiguration", "s3:PutMetricsConfiguration",       \
    bucket, none, bucket_owner)                                                                    \
  X(delete_bucket_ownership_controls, "DeleteBucketOwnershipControls",                             \
    "s3:PutBucketOwnershipControls", bucket, none, bucket_owner)                                   \
  X(delete_bucket_policy, "DeleteBucketPolicy", "s3:DeleteBucketPolicy", bucket, none,             \
    bucket_owner)                                                                                  \
  X(delete_bucket_replication, "DeleteBucketReplication", "s3:PutReplicationConfiguration",        \
    bucket, none, bucket_owner)                                                                    \
  X(delete_bucket_tagging, "DeleteBucketTagging", "s3:PutBucketTagging", bucket, none,             \
    bucket_owner)                                                                                  \
  X(delete_bucket_website, "DeleteBucketWebsite", "s3:DeleteBucketWebsite", bucket, none,          \
    bucket_owner)                                                                                  \
  X(delete_object, "DeleteObject", "s3:DeleteObject", object, none, bucket_owner)                  \
  X(delete_objects, "DeleteObjects", "s3:DeleteObject", bucket, document, bucket_owner)            \
  X(delete_object_tagging, "DeleteObjectTagging", "s3:DeleteObjectTagging", object, none,          \
    bucket_owner)                                                                                  \
  X(delete_public_access_block, "DeletePublicAccessBlock", "s3:PutBucketPublicAccessBlock",        \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_abac, "GetBucketAbac", "s3:GetBucketAbac", bucket, none, bucket_owner)              \
  X(get_bucket_accelerate, "GetBucketAccelerateConfiguration", "s3:GetAccelerateConfiguration",    \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_acl, "GetBucketAcl", "s3:GetBucketAcl", bucket, none, bucket_owner)                 \
  X(get_bucket_analytics, "GetBucketAnalyticsConfiguration", "s3:GetAnalyticsConfiguration",       \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_cors, "GetBucketCors", "s3:GetBucketCORS", bucket, none, bucket_owner)              \
  X(get_bucket_encryption, "GetBucketEncryption", "s3:GetEncryptionConfiguration", bucket, none,   \
    bucket_owner)                                                                                  \
  X(get_bucket_intelligent_tiering, "GetBucketIntelligentTieringConfiguration",                    \
    "s3:GetIntelligentTieringConfiguration", bucket, none, bucket_owner)                           \
  X(get_bucket_inventory, "GetBucketInventoryConfiguration", "s3:GetInventoryConfiguration",       \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_lifecycle, "GetBucketLifecycleConfiguration", "s3:GetLifecycleConfiguration",       \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_location, "GetBucketLocation", "s3:GetBucketLocation", bucket, none, bucket_owner)  \
  X(get_bucket_logging, "GetBucketLogging", "s3:GetBucketLogging", bucket, none, bucket_owner)     \
  X(get_bucket_metadata, "GetBucketMetadataConfiguration",                                         \
    "s3:GetBucketMetadataTableConfiguration", bucket, none, bucket_owner)                          \
  X(get_bucket_metadata_table, "GetBucketMetadataTableConfiguration",                              \
    "s3:GetBucketMetadataTableConfiguration", bucket, none, bucket_owner)                          \
  X(get_bucket_metrics, "GetBucketMetricsConfiguration", "s3:GetMetricsConfiguration", bucket,     \
    none, bucket_owner)                                                                            \
  X(get_bucket_notification, "GetBucketNotificationConfiguration", "s3:GetBucketNotification",     \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_ownership_controls, "GetBucketOwnershipControls", "s3:GetBucketOwnershipControls",  \
    bucket, none, bucket_owner)                                                                    \
  X(get_bucket_policy, "GetBucketPolicy", "s3:GetBucketPolicy", bucket, none, bucket_owner)        \
  X(get_bucket_policy_status, "GetBucketPolicyStatus", "s3:GetBucketPolicyStatus", bucket, none,   \
    bucket_owner)                                                                                  \
  X(get_bucket_replication, "GetBucketReplication", "s3:GetReplicationConfiguration", bucket,      \
    none, bucket_owner)                                                                            \
  X(get_bucket_request_payment, "GetBucketRequestPayment", "s3:GetBucketRequestPayment", bucket,   \
    none, bucket_owner)                                                                            \
  X(get_bucket_tagging, "GetBucketTagging", "s3:GetBucketTagging", bucket, none, bucket_owner)     \
  X(get_bucket_versioning, "GetBucketVersioning", "s3:GetBucketVersioning", bucket, none,          \
    bucket_owner)                                                                                  \
  X(get_bucket_website, "GetBucketWebsite", "s3:GetBucketWebsite", bucket, none, bucket_owner)     \
  X(get_object, "GetObject", "s3:GetObject", object, none, bucket_owner)                           \
  X(get_object_acl, "GetObjectAcl", "s3:GetObjectAcl", object, none, bucket_owner)                 \
  X(get_object_attributes, "GetObjectAttributes", "s3:GetObjectAttributes", object, none,          \
    bucket_owner)                                                                                  \
  X(get_object_legal_hold, "GetObjectLegalHold", "s3:GetObjectLegalHold", object, none,            \
    bucket_owner)                                                                                  \
  X(get_object_lock, "GetObjectLockConfiguration", "s3:GetBucketObjectLockConfiguration", bucket,  \
    none, bucket_owner)                                                                            \
  X(get_object_retention, "GetObjectRetention", "s3:GetObjectRetention", object, none,             \
    bucket_owner)                                                                                  \
  X(get_object_tagging, "GetObjectTagging", "s3:GetObjectTagging", object, none, bucket_owner)     \
  X(get_object_torrent, "GetObjectTorrent", "s3:GetObjectTorrent", object, none, bucket_owner)     \
  X(get_public_access_block, "GetPublicAccessBlock", "s3:GetBucketPublicAccessBlock", bucket,      \
    none, bucket_owner)                                                                            \
  X(head_bucket, "HeadBucket", "s3:ListBucket", bucket, none, bucket_owner)                        \
  X(head_object, "HeadObject", "s3:GetObject", object, none, bucket_owner)                         \
  X(list_bucket_analytics, "ListBucketAnalyticsConfigurations", "s3:GetAnalyticsConfiguration",    \
    bucket, none, bucket_owner)                                                                    \
  X(list_bucket_intelligent_tiering, "ListBucketIntelligentTieringConfigurations",                 \
    "s3:GetIntelligentTieringConfiguration", bucket, none, bucket_owner)                           \
  X(list_bucket_inventory, "ListBucketInventoryConfigurations", "s3:GetInventoryConfiguration",    \
    bucket, none, bucket_owner)                                                                    \
  X(list_bucket_metrics, "ListBucketMetricsConfigurations", "s3:GetMetricsConfiguration", bucket,  \
    none, bucket_owner)                                                                            \
  X(list_buckets, "ListBuckets", "s3:ListAllMyBuckets", service, none, signed_in)                  \
  X(list_multipart_uploads, "ListMultipartUploads", "s3:ListBucketMultipartUploads", bucket, none, \
    bucket_owner)                                                                                  \
  X(list_objects, "ListObjects", "s3:ListBucket", bucket, none, bucket_owner)                      \
  X(list_objects_v2, "ListObjectsV2", "s3:ListBucket", bucket, none, bucket_owner)                 \
  X(list_object_versions, "ListObjectVersions", "s3:ListBucketVersions", bucket, none,             \
    bucket_owner)                                                                                  \
  X(list_parts, "ListParts", "s3:ListMultipartUploadParts", object, none, bucket_owner)            \
  X(post_object, "PostObject", "s3:PutObject", bucket, payload, in_form)                           \
  X(preflight, "PreflightRequest", "", service, none, anyone)                                      \
  X(put_bucket_abac, "PutBucketAbac", "s3:PutBucketAbac", bucket, document, bucket_owner)          \
  X(put_bucket_accelerate, "PutBucketAccelerateConfiguration", "s3:PutAccelerateConfiguration",    \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_acl, "PutBucketAcl", "s3:PutBucketAcl", bucket, document, bucket_owner)             \
  X(put_bucket_analytics, "PutBucketAnalyticsConfiguration", "s3:PutAnalyticsConfiguration",       \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_cors, "PutBucketCors", "s3:PutBucketCORS", bucket, document, bucket_owner)          \
  X(put_bucket_encryption, "PutBucketEncryption", "s3:PutEncryptionConfiguration", bucket,         \
    document, bucket_owner)                                                                        \
  X(put_bucket_intelligent_tiering, "PutBucketIntelligentTieringConfiguration",                    \
    "s3:PutIntelligentTieringConfiguration", bucket, document, bucket_owner)                       \
  X(put_bucket_inventory, "PutBucketInventoryConfiguration", "s3:PutInventoryConfiguration",       \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_lifecycle, "PutBucketLifecycleConfiguration", "s3:PutLifecycleConfiguration",       \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_logging, "PutBucketLogging", "s3:PutBucketLogging", bucket, document, bucket_owner) \
  X(put_bucket_metrics, "PutBucketMetricsConfiguration", "s3:PutMetricsConfiguration", bucket,     \
    document, bucket_owner)                                                                        \
  X(put_bucket_notification, "PutBucketNotificationConfiguration", "s3:PutBucketNotification",     \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_ownership_controls, "PutBucketOwnershipControls", "s3:PutBucketOwnershipControls",  \
    bucket, document, bucket_owner)                                                                \
  X(put_bucket_policy, "PutBucketPolicy", "s3:PutBucketPolicy", bucket, document, bucket_owner)    \
  X(put_bucket_replication, "PutBucketReplication", "s3:PutReplicationConfiguration", bucket,      \
    document, bucket_owner)                                                                        \
  X(put_bucket_request_payment, "PutBucketRequestPayment", "s3:PutBucketRequestPayment", bucket,   \
    document, bucket_owner)                                                                        \
  X(put_bucket_tagging, "PutBucketTagging", "s3:PutBucketTagging", bucket, document, bucket_owner) \
  X(put_bucket_versioning, "PutBucketVersioning", "s3:PutBucketVersioning", bucket, document,      \
    bucket_owner)                                                                                  \
  X(put_bucket_website, "PutBucketWebsite", "s3:PutBucketWebsite", bucket, document, bucket_owner) \
  X(put_object, "PutObject", "s3:PutObject", object, payload, bucket_owner)                        \
  X(put_object_acl, "PutObjectAcl", "s3:PutObjectAcl", object, document, bucket_owner)             \
  X(put_object_legal_hold, "PutObjectLegalHold", "s3:PutObjectLegalHold", object, document,        \
    bucket_owner)                                                                                  \
  X(put_object_lock, "PutObjectLockConfiguration", "s3:PutBucketObjectLockConfiguration", bucket,  \
    document, bucket_owner)                                                                        \
  X(put_object_retention, "PutObjectRetention", "s3:PutObjectRetention", object, document,         \
    bucket_owner)                                                                                  \
  X(put_object_tagging, "PutObjectTagging", "s3:PutObjectTagging", object, document, bucket_owner) \
  X(put_public_access_block, "PutPublicAccessBlock", "s3:PutBucketPublicAccessBlock", bucket,      \
    document, bucket_owner)                                                                        \
  X(rename_object, "RenameObject", "s3express:CreateSession", object, none, bucket_owner)          \
  X(restore_object, "RestoreObject", "s3:RestoreObject", object, document, bucket_owner)           \
  X(select_object_content, "SelectObjectContent", "s3:GetObject", object, document, bucket_owner)  \
  X(update_bucket_inventory_table, "UpdateBucketMetadataInventoryTableConfiguration",              \
    "s3:UpdateBucketMetadataInventoryTableConfiguration", bucket, document, bucket_owner)          \
  X(update_bucket_journal_table, "UpdateBucketMetadataJournalTableConfiguration",                  \
    "s3:UpdateBucketMetadataJournalTableConfiguration", bucket, document, bucket_owner)            \
  X(upload_part, "UploadPart", "s3:PutObject", object, payload, bucket_owner)                      \
  X(upload_part_copy, "UploadPartCopy", "s3:PutObject", object, none, bucket_owner)

enum class Op : std::uint8_t {
#define MOTE_S3_OP_ENUM(id, name, action, resource, body, access) id,
  MOTE_S3_OPERATIONS(MOTE_S3_OP_ENUM)
#undef MOTE_S3_OP_ENUM
};

struct OperationInfo {
  Op op = Op::list_buckets;
  std::string_view name;    ///< as in the service model: "PutObject"
  std::string_view action;  ///< IAM action, "" where there is none
  Resource resource = Resource::service;
  BodyUse body = BodyUse::none;
  Access access = Access::bucket_owner;
};

/// All rows, in enumerator order.
[[nodiscard]] std::span<const OperationInfo> operations() noexcept;
[[nodiscard]] const OperationInfo& describe(Op op) noexcept;

}  // namespace mote::s3
