#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

namespace {

std::string numbered(int number) {
  std::string digits = std::to_string(number);
  return "k" + std::string(5 - digits.size(), '0') + digits;
}

}  // namespace

TEST_CASE("list v2: 1,001 keys in two pages, in order (wire 46)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (int i = 0; i < 1001; ++i) {
    s3.call("PUT", "/bucket/" + numbered(i), "x");
  }
  const Response first = s3.call("GET", "/bucket?list-type=2");
  CHECK(first.element("KeyCount") == "1000");
  CHECK(first.element("IsTruncated") == "true");
  CHECK(first.elements("Key").size() == 1000);
  CHECK(first.elements("Key").back() == numbered(999));
  const std::string token = first.element("NextContinuationToken");
  CHECK_FALSE(token.empty());
  const Response second = s3.call("GET", "/bucket?list-type=2&continuation-token=" + token);
  CHECK(second.elements("Key") == std::vector<std::string>{numbered(1000)});
  CHECK(second.element("IsTruncated") == "false");
  CHECK(second.element("ContinuationToken") == token);
  CHECK(second.element("NextContinuationToken").empty());

  std::string changed = token;
  changed[5] = changed[5] == 'A' ? 'B' : 'A';
  const Response tampered = s3.call("GET", "/bucket?list-type=2&continuation-token=" + changed);
  CHECK(tampered.status == 400);
  CHECK(tampered.code() == "InvalidArgument");
  CHECK(s3.call("GET", "/bucket?list-type=2&continuation-token=junk").code() == "InvalidArgument");
  CHECK(s3.call("GET", "/bucket?list-type=2&continuation-token=").element("KeyCount") == "1000");

  std::vector<std::string> walked;
  std::string marker;
  while (true) {
    const Response page = s3.call("GET", "/bucket?max-keys=300&marker=" + marker);
    for (const std::string& key : page.elements("Key")) {
      walked.push_back(key);
    }
    if (page.element("IsTruncated") == "false") {
      break;
    }
    marker = walked.back();
  }
  CHECK(walked.size() == 1001);
  CHECK(walked.back() == numbered(1000));
}

TEST_CASE("list: max-keys rules (A-53)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "x");
  for (const char* bad : {"-1", "text", "2147483648", "1.5", "99999999999999999999"}) {
    CAPTURE(bad);
    const Response refused = s3.call("GET", std::string("/bucket?max-keys=") + bad);
    CHECK(refused.status == 400);
    CHECK(refused.code() == "InvalidArgument");
    CHECK(refused.element("ArgumentName") == "max-keys");
    CHECK(refused.element("ArgumentValue") == bad);
  }
  CHECK(s3.call("GET", "/bucket?max-keys=1000000000").element("MaxKeys") == "1000");
  CHECK(s3.call("GET", "/bucket?max-keys=").element("MaxKeys") == "1000");
  const Response none = s3.call("GET", "/bucket?list-type=2&max-keys=0");
  CHECK(none.status == 200);
  CHECK(none.element("IsTruncated") == "false");
  CHECK(none.elements("Key").empty());
  CHECK(s3.call("GET", "/bucket?encoding-type=base64").code() == "InvalidArgument");
}

TEST_CASE("list: delimiter, prefix, encoding, owner (wire 47, 48)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (const char* key : {"a", "a/1", "a/2", "b%20c%2Bd", "dir/x/y", "z"}) {
    s3.call("PUT", std::string("/bucket/") + key, "12");
  }
  const Response v2 = s3.call("GET", "/bucket?list-type=2&delimiter=%2F&fetch-owner=true");
  CHECK(v2.elements("Key") == std::vector<std::string>{"a", "b c+d", "z"});
  CHECK(v2.elements("Prefix") == std::vector<std::string>{"", "a/", "dir/"});
  CHECK(v2.element("KeyCount") == "5");
  CHECK(v2.element("DisplayName") == "alice");
  CHECK(v2.element("LastModified") == "2026-11-30T12:00:00.000Z");
  CHECK(v2.element("ETag") == "&quot;" + md5_hex("12") + "&quot;");
  CHECK(s3.call("GET", "/bucket?list-type=2").elements("Owner").empty());
  CHECK(s3.call("GET", "/bucket").elements("Owner").size() == 6);

  const Response url =
      s3.call("GET", "/bucket?encoding-type=url&delimiter=%2B&prefix=b%20&marker=a%20");
  CHECK(url.element("EncodingType") == "url");
  CHECK(url.element("Delimiter") == "%2B");
  CHECK(url.elements("Prefix") == std::vector<std::string>{"b%20", "b%20c%2B"});
  CHECK(url.element("Marker") == "a%20");

  const Response page = s3.call("GET", "/bucket?delimiter=%2F&max-keys=2");
  CHECK(page.element("IsTruncated") == "true");
  CHECK(page.element("NextMarker") == "a/");
  const Response rest = s3.call("GET", "/bucket?delimiter=%2F&marker=a%2F");
  CHECK(rest.elements("Key") == std::vector<std::string>{"b c+d", "z"});
  const Response after = s3.call("GET", "/bucket?list-type=2&start-after=b%20c%2Bd");
  CHECK(after.elements("Key") == std::vector<std::string>{"dir/x/y", "z"});
  CHECK(after.element("StartAfter") == "b c+d");
}

TEST_CASE("list versions: never versioned, only the allowed elements (wire 49)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "x");
  const Response listed = s3.call("GET", "/bucket?max-keys=1000&versions=");
  CHECK(listed.element("VersionId") == "null");
  CHECK(listed.element("IsLatest") == "true");
  std::string top = listed.body.substr(listed.body.find("<Name>"));
  top = top.substr(0, top.find("<Version>"));
  for (std::size_t at = top.find('<'); at != std::string::npos; at = top.find('<', at + 1)) {
    const std::string name = top.substr(at + 1, top.find('>', at) - at - 1);
    if (name.front() == '/') {
      continue;
    }
    const std::string allowed =
        " Name Prefix Delimiter EncodingType KeyMarker NextKeyMarker VersionIdMarker "
        "NextVersionIdMarker IsTruncated MaxKeys CommonPrefixes Version DeleteMarker ";
    CAPTURE(name);
    CHECK(allowed.find(" " + name + " ") != std::string::npos);
  }
  CHECK(s3.call("GET", "/bucket?versions&version-id-marker=null").code() == "InvalidArgument");
}

TEST_CASE("buckets: create, list, location, head, delete (wire 42-45)") {
  S3UnderTest s3;
  CHECK(s3.call("PUT", "/one").header("location") == "/one");
  CHECK(s3.call("PUT", "/one/").status == 200);  // again, by its owner
  CHECK(s3.call_as(S3UnderTest::bob(), "PUT", "/one").code() == "BucketAlreadyExists");
  CHECK(s3.call("PUT", "/eu-1",
                "<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint>"
                "</CreateBucketConfiguration>")
            .status == 200);
  CHECK(s3.call("PUT", "/eu-1",
                "<CreateBucketConfiguration><LocationConstraint>eu-west-1</LocationConstraint>"
                "</CreateBucketConfiguration>")
            .code() == "BucketAlreadyOwnedByYou");
  CHECK(s3.call("PUT", "/bad", "junk").code() == "MalformedXML");
  CHECK(s3.call("PUT", "/lock", "", {{"x-amz-bucket-object-lock-enabled", "true"}}).status == 501);
  s3.call_as(S3UnderTest::bob(), "PUT", "/bobs");
  const Response listed = s3.call("GET", "/");
  CHECK(listed.elements("Name") == std::vector<std::string>{"eu-1", "one"});
  CHECK(listed.element("ID") == "alice-id");
  const Response page = s3.call("GET", "/?max-buckets=1");
  CHECK(page.elements("Name") == std::vector<std::string>{"eu-1"});
  const Response next =
      s3.call("GET", "/?max-buckets=1&continuation-token=" + page.element("ContinuationToken"));
  CHECK(next.elements("Name") == std::vector<std::string>{"one"});
  CHECK(next.element("ContinuationToken").empty());
  CHECK(s3.call("GET", "/?max-buckets=0").code() == "InvalidArgument");

  CHECK(s3.call("GET", "/one?location=").body.find("></LocationConstraint>") != std::string::npos);
  CHECK(s3.call("GET", "/eu-1?location").body.find(">eu-west-1</LocationConstraint>") !=
        std::string::npos);
  CHECK(s3.call("GET", "/none?location").code() == "NoSuchBucket");
  CHECK(s3.call("HEAD", "/one").header("x-amz-bucket-region") == "us-east-1");
  CHECK(s3.call("HEAD", "/eu-1").header("x-amz-bucket-region") == "eu-west-1");
  const Response missing = s3.call("HEAD", "/none");
  CHECK(missing.status == 404);
  CHECK(missing.body.empty());
  CHECK(missing.content_length == 0);

  s3.call("PUT", "/one/k", "x");
  CHECK(s3.call("DELETE", "/one").code() == "BucketNotEmpty");
  s3.call("DELETE", "/one/k");
  CHECK(s3.call("DELETE", "/one").status == 204);
  CHECK(s3.call("HEAD", "/one").status == 404);
}

TEST_CASE("buckets: what S3 answers where nothing is configured (wire 45)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  s3.call("PUT", "/bucket/k", "x");
  struct Row {
    const char* query;
    int status;
    const char* expected;  ///< error code, or text in the body
  };
  const Row rows[] = {
      {"versioning", 200, "<VersioningConfiguration"},
      {"object-lock", 404, "ObjectLockConfigurationNotFoundError"},
      {"policy", 404, "NoSuchBucketPolicy"},
      {"policyStatus", 404, "NoSuchBucketPolicy"},
      {"lifecycle", 404, "NoSuchLifecycleConfiguration"},
      {"cors", 404, "NoSuchCORSConfiguration"},
      {"tagging", 404, "NoSuchTagSet"},
      {"encryption", 404, "ServerSideEncryptionConfigurationNotFoundError"},
      {"website", 404, "NoSuchWebsiteConfiguration"},
      {"replication", 404, "ReplicationConfigurationNotFoundError"},
      {"acl", 200, "FULL_CONTROL"},
      {"requestPayment", 200, "<Payer>BucketOwner</Payer>"},
      {"logging", 200, "<BucketLoggingStatus"},
      {"notification", 200, "<NotificationConfiguration"},
      {"accelerate", 200, "<AccelerateConfiguration"},
      {"ownershipControls", 200, "BucketOwnerEnforced"},
      {"publicAccessBlock", 200, "<BlockPublicAcls>true</BlockPublicAcls>"},
      {"inventory", 200, "<IsTruncated>false</IsTruncated>"},
      {"inventory&id=x", 404, "NoSuchConfiguration"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    const Response got = s3.call("GET", std::string("/bucket?") + row.query);
    CHECK(got.status == row.status);
    CHECK(got.body.find(row.expected) != std::string::npos);
  }
  for (const char* query : {"policy", "cors", "encryption", "website", "replication"}) {
    CAPTURE(query);
    const Response put = s3.call("PUT", std::string("/bucket?") + query, "<x/>");
    CHECK(put.status == 501);
    CHECK(put.code() == "NotImplemented");
    CHECK_FALSE(put.element("Operation").empty());
  }
  CHECK(s3.call("GET", "/bucket/k?acl").element("Permission") == "FULL_CONTROL");
  CHECK(s3.call("PUT", "/bucket/k?acl", "", {{"x-amz-acl", "private"}}).status == 200);
  CHECK(s3.call("PUT", "/bucket/k?acl", "", {{"x-amz-acl", "public-read"}}).code() ==
        "AccessControlListNotSupported");
  CHECK(s3.call("GET", "/bucket/k?retention").code() == "InvalidRequest");
}

TEST_CASE("buckets: deleting what is not configured is 204, and stays without a body (wire 23)") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  for (const char* query :
       {"policy", "lifecycle", "cors", "encryption", "website", "replication", "tagging"}) {
    CAPTURE(query);
    const Response deleted = s3.call("DELETE", std::string("/bucket?") + query);
    CHECK(deleted.status == 204);
    CHECK(deleted.body.empty());
  }
  CHECK(s3.call("HEAD", "/bucket").status == 200);
}

TEST_CASE("buckets: object lock wants versioning before anything else") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string lock =
      "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled>"
      "</ObjectLockConfiguration>";
  const Response refused = s3.call("PUT", "/bucket?object-lock", lock);
  CHECK(refused.status == 409);
  CHECK(refused.code() == "InvalidBucketState");
  const std::string on =
      "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  CHECK(s3.call("PUT", "/bucket?versioning", on).status == 200);
  CHECK(s3.call("PUT", "/bucket?object-lock", lock).status == 501);
}

TEST_CASE("buckets: the public access block is kept, deleted and stays deleted") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const std::string some =
      "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>"
      "<RestrictPublicBuckets>FALSE</RestrictPublicBuckets>"
      "<BlockPublicPolicy>true</BlockPublicPolicy></PublicAccessBlockConfiguration>";
  CHECK(s3.call("PUT", "/bucket?publicAccessBlock", some).status == 200);
  const Response kept = s3.call("GET", "/bucket?publicAccessBlock");
  CHECK(kept.element("BlockPublicAcls") == "true");
  CHECK(kept.element("IgnorePublicAcls") == "false");
  CHECK(kept.element("BlockPublicPolicy") == "true");
  CHECK(kept.element("RestrictPublicBuckets") == "false");
  for (const char* bad : {"", "<x/>",
                          "<PublicAccessBlockConfiguration><BlockPublicAcls>maybe"
                          "</BlockPublicAcls></PublicAccessBlockConfiguration>"}) {
    CAPTURE(bad);
    CHECK(s3.call("PUT", "/bucket?publicAccessBlock", bad).code() == "MalformedXML");
  }
  CHECK(s3.call("GET", "/bucket?publicAccessBlock").body == kept.body);
  CHECK(s3.call("DELETE", "/bucket?publicAccessBlock").status == 204);
  const Response gone = s3.call("GET", "/bucket?publicAccessBlock");
  CHECK(gone.status == 404);
  CHECK(gone.code() == "NoSuchPublicAccessBlockConfiguration");
  CHECK(s3.call("PUT", "/bucket?publicAccessBlock", "<PublicAccessBlockConfiguration/>").status ==
        200);
  CHECK(s3.call("GET", "/bucket?publicAccessBlock").element("BlockPublicAcls") == "false");
}

}  // namespace mote::s3::test
