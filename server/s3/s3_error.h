#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/system/result.hpp>

#include "server/auth/failure.h"

namespace mote::s3 {

/// A refusal on its way to the client: code, status, message and further elements of the document.
/// One type with the authentication layer, so that nothing is translated twice.
using S3Error = auth::Failure;

/// A value or an S3Error.
template <class T>
using Outcome = auth::Outcome<T>;

/// For what yields nothing on success: the error, or nullopt.
using Refusal = std::optional<S3Error>;

/// A text as a successful Outcome: an aggregate S3Error could be made from a string too, so the
/// conversion has to be spelled out.
[[nodiscard]] inline Outcome<std::string> text_outcome(std::string text) {
  return Outcome<std::string>(boost::system::in_place_value, std::move(text));
}

/// Every error this layer raises itself: enumerator, S3 code, HTTP status, S3's own message (AWS
/// "Error responses" and the messages its service sends). The one table (reliability.md 3.3 and
/// wire.md 58 are its tests).
#define MOTE_S3_ERRORS(X)                                                                          \
  X(access_control_list_not_supported, "AccessControlListNotSupported", 400,                       \
    "The bucket does not allow ACLs")                                                              \
  X(access_denied, "AccessDenied", 403, "Access Denied")                                           \
  X(access_forbidden, "AccessForbidden", 403,                                                      \
    "CORSResponse: CORS is not enabled for this bucket.")                                          \
  X(bad_digest, "BadDigest", 400, "The Content-MD5 you specified did not match what we received.") \
  X(bad_request, "BadRequest", 400, "An error occurred when parsing the HTTP request.")            \
  X(bucket_already_exists, "BucketAlreadyExists", 409,                                             \
    "The requested bucket name is not available. The bucket namespace is shared by all users of "  \
    "the system. Please select a different name and try again.")                                   \
  X(bucket_already_owned_by_you, "BucketAlreadyOwnedByYou", 409,                                   \
    "Your previous request to create the named bucket succeeded and you already own it.")          \
  X(bucket_not_empty, "BucketNotEmpty", 409, "The bucket you tried to delete is not empty")        \
  X(corrupt_data, "XMoteDataCorrupt", 500,                                                         \
    "The stored data of this object did not verify and could not be rebuilt.")                     \
  X(entity_too_large, "EntityTooLarge", 400,                                                       \
    "Your proposed upload exceeds the maximum allowed size")                                       \
  X(entity_too_small, "EntityTooSmall", 400,                                                       \
    "Your proposed upload is smaller than the minimum allowed size")                               \
  X(illegal_location_constraint, "IllegalLocationConstraintException", 400,                        \
    "The location constraint is incompatible for the region specific endpoint this request was "   \
    "sent to.")                                                                                    \
  X(incomplete_body, "IncompleteBody", 400,                                                        \
    "You did not provide the number of bytes specified by the Content-Length HTTP header")         \
  X(insufficient_storage, "InsufficientStorage", 507,                                              \
    "There is not enough free space to complete the request.")                                     \
  X(internal_error, "InternalError", 500, "We encountered an internal error. Please try again.")   \
  X(invalid_argument, "InvalidArgument", 400, "Invalid Argument")                                  \
  X(invalid_bucket_name, "InvalidBucketName", 400, "The specified bucket is not valid.")           \
  X(invalid_bucket_state, "InvalidBucketState", 409,                                               \
    "The request is not valid with the current state of the bucket.")                              \
  X(invalid_digest, "InvalidDigest", 400, "The Content-MD5 you specified was invalid.")            \
  X(invalid_location_constraint, "InvalidLocationConstraint", 400,                                 \
    "The specified location-constraint is not valid")                                              \
  X(invalid_object_state, "InvalidObjectState", 403,                                               \
    "The operation is not valid for the object's storage class")                                   \
  X(invalid_part, "InvalidPart", 400,                                                              \
    "One or more of the specified parts could not be found.  The part may not have been "          \
    "uploaded, or the specified entity tag may not match the part's entity tag.")                  \
  X(invalid_part_number, "InvalidPartNumber", 416, "The requested partnumber is not satisfiable")  \
  X(invalid_part_order, "InvalidPartOrder", 400,                                                   \
    "The list of parts was not in ascending order. Parts must be ordered by part number.")         \
  X(invalid_range, "InvalidRange", 416, "The requested range is not satisfiable")                  \
  X(invalid_request, "InvalidRequest", 400, "Invalid Request")                                     \
  X(invalid_storage_class, "InvalidStorageClass", 400,                                             \
    "The storage class you specified is not valid")                                                \
  X(invalid_tag, "InvalidTag", 400,                                                                \
    "The tag provided was not a valid tag. This error can occur if the tag did not pass input "    \
    "validation.")                                                                                 \
  X(invalid_uri, "InvalidURI", 400, "Couldn't parse the specified URI.")                           \
  X(key_too_long, "KeyTooLongError", 400, "Your key is too long")                                  \
  X(malformed_acl, "MalformedACLError", 400,                                                       \
    "The XML you provided was not well-formed or did not validate against our published schema")   \
  X(malformed_post_request, "MalformedPOSTRequest", 400,                                           \
    "The body of your POST request is not well-formed multipart/form-data.")                       \
  X(malformed_xml, "MalformedXML", 400,                                                            \
    "The XML you provided was not well-formed or did not validate against our published schema")   \
  X(max_message_length_exceeded, "MaxMessageLengthExceeded", 400, "Your request was too big.")     \
  X(max_post_pre_data_length_exceeded, "MaxPostPreDataLengthExceeded", 400,                        \
    "Your POST request fields preceding the upload file were too large.")                          \
  X(metadata_too_large, "MetadataTooLarge", 400,                                                   \
    "Your metadata headers exceed the maximum allowed metadata size")                              \
  X(method_not_allowed, "MethodNotAllowed", 405,                                                   \
    "The specified method is not allowed against this resource.")                                  \
  X(missing_content_length, "MissingContentLength", 411,                                           \
    "You must provide the Content-Length HTTP header.")                                            \
  X(no_such_bucket, "NoSuchBucket", 404, "The specified bucket does not exist")                    \
  X(no_such_bucket_policy, "NoSuchBucketPolicy", 404, "The bucket policy does not exist")          \
  X(no_such_configuration, "NoSuchConfiguration", 404,                                             \
    "The specified configuration does not exist.")                                                 \
  X(no_such_cors_configuration, "NoSuchCORSConfiguration", 404,                                    \
    "The CORS configuration does not exist")                                                       \
  X(no_such_key, "NoSuchKey", 404, "The specified key does not exist.")                            \
  X(no_such_lifecycle_configuration, "NoSuchLifecycleConfiguration", 404,                          \
    "The lifecycle configuration does not exist")                                                  \
  X(no_such_public_access_block, "NoSuchPublicAccessBlockConfiguration", 404,                      \
    "The public access block configuration was not found")                                         \
  X(no_such_tag_set, "NoSuchTagSet", 404, "The TagSet does not exist")                             \
  X(no_such_upload, "NoSuchUpload", 404,                                                           \
    "The specified upload does not exist. The upload ID may be invalid, or the upload may have "   \
    "been aborted or completed.")                                                                  \
  X(no_such_version, "NoSuchVersion", 404, "The specified version does not exist.")                \
  X(no_such_website_configuration, "NoSuchWebsiteConfiguration", 404,                              \
    "The specified bucket does not have a website configuration")                                  \
  X(not_implemented, "NotImplemented", 501,                                                        \
    "A header you provided implies functionality that is not implemented")                         \
  X(object_lock_configuration_not_found, "ObjectLockConfigurationNotFoundError", 404,              \
    "Object Lock configuration does not exist for this bucket")                                    \
  X(operation_aborted, "OperationAborted", 409,                                                    \
    "A conflicting conditional operation is currently in progress against this resource. Please "  \
    "try again.")                                                                                  \
  X(ownership_controls_not_found, "OwnershipControlsNotFoundError", 404,                           \
    "The bucket ownership controls were not found")                                                \
  X(precondition_failed, "PreconditionFailed", 412,                                                \
    "At least one of the pre-conditions you specified did not hold")                               \
  X(replication_configuration_not_found, "ReplicationConfigurationNotFoundError", 404,             \
    "The replication configuration was not found")                                                 \
  X(request_timeout, "RequestTimeout", 400,                                                        \
    "Your socket connection to the server was not read from or written to within the timeout "     \
    "period. Idle connections will be closed.")                                                    \
  X(sse_configuration_not_found, "ServerSideEncryptionConfigurationNotFoundError", 404,            \
    "The server side encryption configuration was not found")                                      \
  X(service_unavailable, "ServiceUnavailable", 503,                                                \
    "Service is unable to handle request. Please try again.")                                      \
  X(slow_down, "SlowDown", 503, "Please reduce your request rate.")                                \
  X(too_many_buckets, "TooManyBuckets", 400,                                                       \
    "You have attempted to create more buckets than allowed")                                      \
  X(user_key_must_be_specified, "UserKeyMustBeSpecified", 400,                                     \
    "The bucket POST must contain the specified field name. If it is specified, please check the " \
    "order of the fields.")

enum class ErrorCode : std::uint8_t {
#define MOTE_S3_ERROR_ENUM(id, code, status, message) id,
  MOTE_S3_ERRORS(MOTE_S3_ERROR_ENUM)
#undef MOTE_S3_ERROR_ENUM
};

struct ErrorInfo {
  std::string_view code;
  int status = 500;
  std::string_view message;
};

/// Row of the table.
[[nodiscard]] const ErrorInfo& describe(ErrorCode code) noexcept;

using ErrorElements = std::initializer_list<std::pair<std::string_view, std::string_view>>;

/// The table's error, with elements such as {"Key", key} after Code and Message.
[[nodiscard]] S3Error make_error(ErrorCode code, ErrorElements elements = {});
/// The same with a message of its own.
[[nodiscard]] S3Error make_error(ErrorCode code, std::string message, ErrorElements elements = {});
/// InvalidArgument with ArgumentName and ArgumentValue, as S3 sends it.
[[nodiscard]] S3Error invalid_argument(std::string message, std::string_view name,
                                       std::string_view value);
/// NotImplemented naming the operation or the header.
[[nodiscard]] S3Error not_implemented(std::string message);

}  // namespace mote::s3
