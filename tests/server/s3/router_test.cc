#include "server/s3/router.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "server/s3/names.h"

namespace mote::s3::test {

namespace {

struct Case {
  const char* method;
  const char* target;
  const char* operation;  ///< or the error code
  const char* bucket = "";
  const char* key = "";
  const char* host_bucket = "";
  bool copy_source = false;
};

std::string outcome_of(const Case& row, std::string& bucket, std::string& key) {
  http::Target target;
  if (target.parse(row.target)) {
    return "InvalidURI";
  }
  const Outcome<Route> routed = route({.method = http::parse_method(row.method),
                                       .method_text = row.method,
                                       .target = target,
                                       .host_bucket = row.host_bucket,
                                       .has_copy_source = row.copy_source,
                                       .content_type = {}});
  if (!routed) {
    return std::string(routed.error().code);
  }
  bucket = routed->bucket;
  key = routed->key;
  return std::string(describe(routed->op).name);
}

}  // namespace

TEST_CASE("router: method, host, path and query make one operation") {
  const Case rows[] = {
      {"GET", "/", "ListBuckets"},
      {"GET", "/?x-id=ListBuckets", "ListBuckets"},
      {"PUT", "/", "MethodNotAllowed"},
      {"PUT", "/bucket", "CreateBucket", "bucket"},
      {"PUT", "/bucket/", "CreateBucket", "bucket"},
      {"HEAD", "/bucket", "HeadBucket", "bucket"},
      {"DELETE", "/bucket", "DeleteBucket", "bucket"},
      {"GET", "/bucket", "ListObjects", "bucket"},
      {"GET", "/bucket?list-type=2", "ListObjectsV2", "bucket"},
      {"GET", "/bucket/?list-type=2&prefix=a", "ListObjectsV2", "bucket"},
      {"GET", "/bucket?list-type=1", "ListObjects", "bucket"},
      {"GET", "/bucket?versions", "ListObjectVersions", "bucket"},
      {"GET", "/bucket?uploads=", "ListMultipartUploads", "bucket"},
      {"GET", "/bucket?location=", "GetBucketLocation", "bucket"},
      {"GET", "/bucket?versioning", "GetBucketVersioning", "bucket"},
      {"PUT", "/bucket?versioning", "PutBucketVersioning", "bucket"},
      {"DELETE", "/bucket?versioning", "MethodNotAllowed"},
      {"POST", "/bucket?versioning", "MethodNotAllowed"},
      {"POST", "/bucket?delete", "DeleteObjects", "bucket"},
      {"POST", "/bucket?delete=", "DeleteObjects", "bucket"},
      {"GET", "/bucket?inventory", "ListBucketInventoryConfigurations", "bucket"},
      {"GET", "/bucket?inventory&id=1", "GetBucketInventoryConfiguration", "bucket"},
      {"PUT", "/bucket?lifecycle", "PutBucketLifecycleConfiguration", "bucket"},
      {"DELETE", "/bucket?policy", "DeleteBucketPolicy", "bucket"},
      {"POST", "/bucket", "MethodNotAllowed"},
      {"PATCH", "/bucket", "MethodNotAllowed"},
      {"GET", "/bucket/key", "GetObject", "bucket", "key"},
      {"GET", "/bucket/key?x-id=GetObject", "GetObject", "bucket", "key"},
      {"GET", "/bucket/key?versionId=null&partNumber=1", "GetObject", "bucket", "key"},
      {"HEAD", "/bucket/key", "HeadObject", "bucket", "key"},
      {"PUT", "/bucket/key", "PutObject", "bucket", "key"},
      {"PUT", "/bucket/key", "CopyObject", "bucket", "key", "", true},
      {"DELETE", "/bucket/key", "DeleteObject", "bucket", "key"},
      {"DELETE", "/bucket/key?versionId=x", "DeleteObject", "bucket", "key"},
      {"POST", "/bucket/key?uploads", "CreateMultipartUpload", "bucket", "key"},
      {"PUT", "/bucket/key?partNumber=1&uploadId=u", "UploadPart", "bucket", "key"},
      {"PUT", "/bucket/key?partNumber=1&uploadId=u", "UploadPartCopy", "bucket", "key", "", true},
      {"PUT", "/bucket/key?partNumber=1", "InvalidArgument"},
      {"GET", "/bucket/key?uploadId=u", "ListParts", "bucket", "key"},
      {"POST", "/bucket/key?uploadId=u", "CompleteMultipartUpload", "bucket", "key"},
      {"DELETE", "/bucket/key?uploadId=u", "AbortMultipartUpload", "bucket", "key"},
      {"GET", "/bucket/key?tagging", "GetObjectTagging", "bucket", "key"},
      {"GET", "/bucket/key?tagging&versionId=null", "GetObjectTagging", "bucket", "key"},
      {"PUT", "/bucket/key?acl", "PutObjectAcl", "bucket", "key"},
      {"GET", "/bucket/key?attributes", "GetObjectAttributes", "bucket", "key"},
      {"GET", "/bucket/key?retention", "GetObjectRetention", "bucket", "key"},
      {"POST", "/bucket/key?select&select-type=2", "SelectObjectContent", "bucket", "key"},
      {"POST", "/bucket/key?restore", "RestoreObject", "bucket", "key"},
      {"GET", "/bucket/key?torrent", "GetObjectTorrent", "bucket", "key"},
      {"POST", "/bucket/key", "MethodNotAllowed"},
      {"OPTIONS", "/bucket/key", "PreflightRequest", "bucket", "key"},
      // Keys are opaque: nothing is normalised.
      {"GET", "/bucket/a//b", "GetObject", "bucket", "a//b"},
      {"GET", "/bucket//a", "GetObject", "bucket", "/a"},
      {"GET", "/bucket/a/../b", "GetObject", "bucket", "a/../b"},
      {"GET", "/bucket/.", "GetObject", "bucket", "."},
      {"GET", "/bucket/a%2Fb", "GetObject", "bucket", "a/b"},
      {"GET", "/bucket/a+b%20c", "GetObject", "bucket", "a+b c"},
      {"GET", "/bucket/dir/", "GetObject", "bucket", "dir/"},
      {"GET", "/bucket/..%5Cx", "GetObject", "bucket", "..\\x"},
      // Virtual-host style.
      {"GET", "/", "ListObjects", "vhost", "", "vhost"},
      {"GET", "/bucket/key", "GetObject", "vhost", "bucket/key", "vhost"},
      {"PUT", "/", "CreateBucket", "vhost", "", "vhost"},
      // Refused names, A-38 to A-40.
      {"PUT", "/..", "InvalidBucketName"},
      {"PUT", "/A", "InvalidBucketName"},
      {"PUT", "/Bucket", "InvalidBucketName"},
      {"PUT", "/a%2fb", "CreateBucket", "", ""},  // replaced below: splits into bucket "a"
      {"GET", "/%24extremelyunlikely%24", "InvalidBucketName"},
      {"GET", "/bucket/../x", "InvalidURI"},
      {"GET", "/bucket/a/../../x", "InvalidURI"},
      {"GET", "/bucket/%2e%2e%2fx", "InvalidURI"},
      {"GET", "/bucket/%zz", "InvalidURI"},
      {"GET", "/bucket/%ff", "InvalidURI"},
      {"GET", "/bucket/a%00b", "InvalidURI"},
  };
  for (Case row : rows) {
    if (std::string(row.target) == "/a%2fb") {
      row.operation = "InvalidBucketName";
    }
    CAPTURE(row.method);
    CAPTURE(row.target);
    std::string bucket;
    std::string key;
    CHECK(outcome_of(row, bucket, key) == row.operation);
    if (*row.bucket != '\0') {
      CHECK(bucket == row.bucket);
      CHECK(key == row.key);
    }
  }
}

TEST_CASE("router: a key of 1,024 bytes passes, one more does not") {
  const std::string good = "/bucket/" + std::string(1024, 'k');
  const std::string bad = good + "k";
  std::string bucket;
  std::string key;
  CHECK(outcome_of({"GET", good.c_str(), ""}, bucket, key) == "GetObject");
  CHECK(key.size() == 1024);
  CHECK(outcome_of({"GET", bad.c_str(), ""}, bucket, key) == "KeyTooLongError");
}

TEST_CASE("names: bucket names that S3 takes and refuses") {
  for (const std::string& good :
       {std::string("abc"), std::string(63, 'a'), std::string("a.b-c.1"), std::string("1bucket"),
        std::string("1.2.3.4.5"), std::string("amzn-s3-demo-bucket"), std::string("a--b")}) {
    CAPTURE(good);
    CHECK(is_valid_bucket_name(good));
  }
  for (const std::string& bad : {std::string(),
                                 std::string("ab"),
                                 std::string(64, 'a'),
                                 std::string("A"),
                                 std::string("aBc"),
                                 std::string("a..b"),
                                 std::string("a.-b"),
                                 std::string("a-.b"),
                                 std::string("-ab"),
                                 std::string("ab-"),
                                 std::string(".ab"),
                                 std::string("ab."),
                                 std::string("1.2.3.4"),
                                 std::string("999.1.1.1"),
                                 std::string("a_b"),
                                 std::string("a/b"),
                                 std::string("xn--abc"),
                                 std::string("sthree-abc"),
                                 std::string("abc-s3alias"),
                                 std::string("abc--ol-s3"),
                                 std::string("abc.mrap"),
                                 std::string("abc--x-s3"),
                                 std::string("abc--table-s3"),
                                 std::string("a\0b", 3),
                                 std::string("ab\xC3\xA9")}) {
    CAPTURE(bad);
    CHECK_FALSE(is_valid_bucket_name(bad));
  }
}

TEST_CASE("operations: the table is complete and names are unique") {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const OperationInfo& info : operations()) {
    CHECK(static_cast<std::size_t>(info.op) == index++);
    CHECK(names.insert(info.name).second);
    CHECK((info.action.empty() == (info.op == Op::preflight)));
    CHECK(&describe(info.op) == &info);
  }
  CHECK(index > 100);
}

}  // namespace mote::s3::test
