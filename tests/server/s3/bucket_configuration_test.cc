#include <doctest/doctest.h>

#include "tests/server/s3/support/s3_under_test.h"

namespace mote::s3::test {

TEST_CASE("bucket: ownership controls are BucketOwnerEnforced or deleted") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const auto rule = [](const std::string& ownership) {
    return "<OwnershipControls><Rule><ObjectOwnership>" + ownership +
           "</ObjectOwnership></Rule></OwnershipControls>";
  };
  CHECK(s3.call("GET", "/bucket?ownershipControls").element("ObjectOwnership") ==
        "BucketOwnerEnforced");
  CHECK(s3.call("DELETE", "/bucket?ownershipControls").status == 204);
  const Response gone = s3.call("GET", "/bucket?ownershipControls");
  CHECK(gone.status == 404);
  CHECK(gone.code() == "OwnershipControlsNotFoundError");
  CHECK(s3.call("PUT", "/bucket?ownershipControls", rule("ObjectWriter")).status == 501);
  CHECK(s3.call("PUT", "/bucket?ownershipControls", rule("Nobody")).code() == "MalformedXML");
  CHECK(s3.call("GET", "/bucket?ownershipControls").status == 404);
  CHECK(s3.call("PUT", "/bucket?ownershipControls", rule("BucketOwnerEnforced")).status == 200);
  CHECK(s3.call("GET", "/bucket?ownershipControls").element("ObjectOwnership") ==
        "BucketOwnerEnforced");
}

TEST_CASE("bucket: a lifecycle that S3 refuses is refused, a sound one is not built") {
  S3UnderTest s3;
  s3.make_bucket("bucket");
  const auto put = [&s3](const std::string& rules) {
    return s3
        .call("PUT", "/bucket?lifecycle",
              "<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>")
        .code();
  };
  const auto rule = [](const std::string& id, const std::string& action) {
    return "<Rule><ID>" + id + "</ID><Prefix>p/</Prefix><Status>Enabled</Status>" + action +
           "</Rule>";
  };
  CHECK(s3.call("PUT", "/bucket?lifecycle",
                "<LifecycleConfiguration>" + rule("a", "<Expiration><Days>1</Days></Expiration>") +
                    "</LifecycleConfiguration>")
            .element("Operation") == "PutBucketLifecycleConfiguration");
  const std::string in_two = "<Expiration><Days>2</Days></Expiration>";
  CHECK(put(rule("a", in_two) + rule("b", in_two)) == "NotImplemented");
  CHECK(put(rule("a", "<Expiration><Date>2027-01-01T00:00:00Z</Date></Expiration>")) ==
        "NotImplemented");
  CHECK(put(rule("a", "<Transition><Days>0</Days></Transition>")) == "NotImplemented");
  CHECK(put(rule(std::string(255, 'i'), in_two)) == "NotImplemented");
  CHECK(put(rule(std::string(256, 'i'), in_two)) == "InvalidArgument");
  CHECK(put(rule("a", in_two) + rule("a", in_two)) == "InvalidArgument");
  CHECK(put(rule("a", "<Expiration><Days>0</Days></Expiration>")) == "InvalidArgument");
  CHECK(put(rule("a", "<Expiration><Date>2027-01-01T00:00:01Z</Date></Expiration>")) ==
        "InvalidArgument");
  CHECK(put(rule("a", "<Expiration><Days>x</Days></Expiration>")) == "MalformedXML");
  CHECK(put("<Rule><Status>enabled</Status>" + in_two + "</Rule>") == "MalformedXML");
  CHECK(put(rule("a", "")) == "InvalidRequest");
  CHECK(put("") == "MalformedXML");
  CHECK(s3.call("GET", "/bucket?lifecycle").code() == "NoSuchLifecycleConfiguration");
}

}  // namespace mote::s3::test
