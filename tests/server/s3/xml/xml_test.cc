#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "server/s3/xml/reader.h"
#include "server/s3/xml/request_documents.h"
#include "server/s3/xml/writer.h"

namespace mote::xml::test {

namespace {

std::string nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) {
    text.append("<a>");
  }
  for (std::size_t i = 0; i < depth; ++i) {
    text.append("</a>");
  }
  return text;
}

std::string delete_of(const std::string& object) {
  return "<Delete><Object>" + object + "</Object></Delete>";
}

}  // namespace

TEST_CASE("xml writer: namespace, escaping, scalars") {
  Writer writer("Result");
  writer.text("Key", "a<b>&\"'\r\n").number("Size", 42).boolean("Last", false);
  writer.date("Date", 0).etag("ETag", "abc").open("Sub").text("Empty", "").close("Sub");
  CHECK(std::move(writer).finish() ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<Result xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        "<Key>a&lt;b&gt;&amp;&quot;&apos;&#xd;&#xa;</Key><Size>42</Size><Last>false</Last>"
        "<Date>1970-01-01T00:00:00.000Z</Date><ETag>&quot;abc&quot;</ETag>"
        "<Sub><Empty></Empty></Sub></Result>");
}

TEST_CASE("xml writer: encoding-type=url keeps '/', makes '+' %2B and a blank %20") {
  Writer writer("R", "");
  writer.key("Key", "a b+c/d\x01\xC3\xA9", Encoding::url);
  CHECK(std::move(writer).finish().find("<Key>a%20b%2Bc/d%01%C3%A9</Key>") != std::string::npos);
}

TEST_CASE("xml reader: what it must accept") {
  for (const char* good :
       {"<a/>", "<a></a>", "<?xml version=\"1.0\"?><a/>", "\xEF\xBB\xBF<a/>", " \n<a b='1'/>\n ",
        "<a><!-- c --></a><!-- after -->", "<a>&amp;&lt;&#65;&#x41;&#10;</a>",
        "<n:a xmlns:n=\"urn:x\"><n:b/></n:a>", "<a><![CDATA[<x>&]]></a>", "<a>\xC3\xA9</a>"}) {
    CAPTURE(good);
    CHECK(Document::parse(good).has_value());
  }
  CHECK(Document::parse(nested(kDepthMax)).has_value());
}

TEST_CASE("xml reader: hostile documents are refused (A-49)") {
  for (const std::string& bad : {std::string(),
                                 std::string("   "),
                                 std::string("text"),
                                 std::string("<a>"),
                                 std::string("</a>"),
                                 std::string("<a></b>"),
                                 std::string("<a/><b/>"),
                                 std::string("<a/>text"),
                                 std::string("<a><b></a></b>"),
                                 std::string("<a b></a>"),
                                 std::string("<a b=c></a>"),
                                 std::string("<a b='<'/>"),
                                 std::string("<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>"),
                                 std::string("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>"),
                                 std::string("<!doctype a><a/>"),
                                 std::string("<a>&x;</a>"),
                                 std::string("<a>&nbsp;</a>"),
                                 std::string("<a>&#0;</a>"),
                                 std::string("<a>&#x0;</a>"),
                                 std::string("<a>&#1;</a>"),
                                 std::string("<a>&#xD800;</a>"),
                                 std::string("<a>&#xFFFE;</a>"),
                                 std::string("<a>&#x110000;</a>"),
                                 std::string("<a>&#99999999999;</a>"),
                                 std::string("<a>&#;</a>"),
                                 std::string("<a>&amp</a>"),
                                 std::string("<a>&</a>"),
                                 std::string("<a>\x01</a>"),
                                 std::string("<a>\0</a>", 8),
                                 std::string("<a b='&#0;'/>"),
                                 std::string("<a>\xFF</a>"),
                                 std::string("<a>\xC0\x80</a>"),
                                 std::string("<a>\xED\xA0\x80</a>"),
                                 std::string("\xFF\xFE<\0a\0/\0>\0", 10),
                                 std::string("<a><!ELEMENT b></a>"),
                                 std::string("<a>"),
                                 std::string("<a"),
                                 std::string("<![CDATA[x]]>"),
                                 std::string("<a><![CDATA[x</a>"),
                                 nested(kDepthMax + 1)}) {
    CAPTURE(bad);
    CHECK_FALSE(Document::parse(bad).has_value());
  }
}

TEST_CASE("xml reader: depth 10,000 and a laugh are refused at once") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(is_acceptable(nested(10'000)));
  std::string laugh = "<!DOCTYPE l [<!ENTITY a \"ha\">";
  for (int i = 0; i < 1000; ++i) {
    laugh += "<!ENTITY b \"&a;&a;&a;&a;\">";
  }
  CHECK_FALSE(is_acceptable(laugh + "]><l>&b;</l>"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(100));
}

TEST_CASE("xml delete: keys come through unchanged") {
  const auto document = read_delete(
      "<?xml version=\"1.0\"?>\n<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\n"
      "  <Quiet>true</Quiet>\n  <Object><Key>a&amp;b</Key></Object>\n"
      "  <Object><VersionId>null</VersionId><Key> </Key></Object>\n"
      "  <Object><Key>x<!-- c -->y</Key></Object><Object><Key><![CDATA[<k>]]></Key></Object>\n"
      "</Delete>",
      1000);
  REQUIRE(document.has_value());
  CHECK(document->quiet);
  REQUIRE(document->objects.size() == 4);
  CHECK(document->objects[0].key == "a&b");
  CHECK(document->objects[1].key == " ");
  CHECK(document->objects[1].version_id == "null");
  CHECK(document->objects[2].key == "xy");
  CHECK(document->objects[3].key == "<k>");
}

TEST_CASE("xml delete: malformed lists (A-49, A-50)") {
  std::string many = "<Delete>";
  for (int i = 0; i < 1001; ++i) {
    many += "<Object><Key>k" + std::to_string(i) + "</Key></Object>";
  }
  many += "</Delete>";
  CHECK_FALSE(read_delete(many, 1000).has_value());
  CHECK(read_delete(many, 1001).has_value());
  for (const std::string& bad :
       {std::string("<Delete/>"), std::string("<Delete><Quiet>true</Quiet></Delete>"),
        std::string("<Other><Object><Key>a</Key></Object></Other>"), delete_of(""),
        delete_of("<Key></Key>"), delete_of("<Key><b/></Key>"),
        delete_of("<Key>a</Key><Key>b</Key>"), delete_of("<Key>x&#0;y</Key>"),
        delete_of("<VersionId>null</VersionId>")}) {
    CAPTURE(bad);
    CHECK_FALSE(read_delete(bad, 1000).has_value());
  }
}

TEST_CASE("xml complete: every spelling of an ETag, any order, checksums") {
  const auto document = read_complete(
      "<CompleteMultipartUpload><Part><ETag>&quot;e1&quot;</ETag><PartNumber>1</PartNumber></Part>"
      "<Part><PartNumber>2</PartNumber><ETag>&#34;e2&#34;</ETag>"
      "<ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part>"
      "<Part><PartNumber>3</PartNumber><ETag>e3</ETag></Part></CompleteMultipartUpload>",
      10000);
  REQUIRE(document.has_value());
  REQUIRE(document->parts.size() == 3);
  CHECK(document->parts[0].etag == "e1");
  CHECK(document->parts[1].etag == "e2");
  CHECK(document->parts[1].checksums.at(0).first == "ChecksumCRC32");
  CHECK(document->parts[2].etag == "e3");
  for (const char* bad :
       {"<CompleteMultipartUpload/>",
        "<CompleteMultipartUpload><Part><ETag>e</ETag></Part></CompleteMultipartUpload>",
        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber></Part></"
        "CompleteMultipartUpload>",
        "<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>e</ETag></Part>"
        "</CompleteMultipartUpload>"}) {
    CAPTURE(bad);
    CHECK_FALSE(read_complete(bad, 10000).has_value());
  }
}

TEST_CASE("xml tagging, versioning, location, ACL") {
  const auto tags =
      read_tagging("<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>");
  REQUIRE(tags.has_value());
  CHECK(tags->at(0).second == "v");
  CHECK(read_tagging("<Tagging><TagSet/></Tagging>")->empty());
  CHECK_FALSE(read_tagging("<Tagging/>").has_value());
  CHECK_FALSE(
      read_tagging("<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>").has_value());
  CHECK_FALSE(read_tagging("<Tagging><TagSet><Tag><Key><</Key><Value/></Tag></TagSet></Tagging>")
                  .has_value());

  CHECK(read_versioning("<VersioningConfiguration><Status>Enabled</Status>"
                        "</VersioningConfiguration>")
            ->enabled);
  CHECK_FALSE(read_versioning("<VersioningConfiguration/>").has_value());
  CHECK_FALSE(
      read_versioning("<VersioningConfiguration><Status>enabled</Status></VersioningConfiguration>")
          .has_value());

  CHECK(read_create_bucket("")->location.empty());
  CHECK(read_create_bucket("<CreateBucketConfiguration><LocationConstraint>eu-west-1"
                           "</LocationConstraint></CreateBucketConfiguration>")
            ->location == "eu-west-1");
  CHECK_FALSE(read_create_bucket("nonsense").has_value());

  const auto acl = read_acl(
      "<AccessControlPolicy><Owner><ID>me</ID></Owner><AccessControlList><Grant>"
      "<Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:type=\"CanonicalUser\"><ID>me</ID></Grantee><Permission>FULL_CONTROL</Permission>"
      "</Grant></AccessControlList></AccessControlPolicy>");
  REQUIRE(acl.has_value());
  CHECK(acl->owner_id == "me");
  CHECK(acl->grants.at(0).grantee_id == "me");
}

}  // namespace mote::xml::test
