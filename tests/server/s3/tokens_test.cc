#include <string>

#include <doctest/doctest.h>

#include "server/s3/copy_source.h"
#include "server/s3/ids.h"
#include "server/s3/list_token.h"
#include "server/s3/tag_set.h"

namespace mote::s3::test {

TEST_CASE("list tokens: round trip, and every changed character is noticed") {
  const std::string after("a/\0key \xC3\xA9", 10);
  const std::string token = make_list_token("scope", after);
  CHECK(read_list_token("scope", token) == after);
  CHECK_FALSE(read_list_token("other", token).has_value());
  CHECK_FALSE(read_list_token("scope", "").has_value());
  CHECK_FALSE(read_list_token("scope", "AAAA").has_value());
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CAPTURE(i);
    CHECK_FALSE(read_list_token("scope", changed).has_value());
  }
}

TEST_CASE("upload ids: letters, URL-safe, round trip, nothing else is taken (wire 52)") {
  UploadToken token;
  token.id[0] = std::byte{0xFF};
  token.checksum = ChecksumKind::crc64nvme;
  token.full_object = true;
  const std::string text = to_text(token);
  CHECK(
      text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
      std::string::npos);
  const auto read = parse_upload_id(text);
  REQUIRE(read.has_value());
  CHECK(read->id == token.id);
  CHECK(read->checksum == token.checksum);
  CHECK(read->full_object);
  for (const char* bad : {"", "mp", "../../x", "123", "mpAAAA", "mp=="}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_upload_id(bad).has_value());
  }
  CHECK_FALSE(parse_upload_id(text + "A").has_value());
}

TEST_CASE("version ids: null, and 22 characters") {
  CHECK(parse_version_id("null") == kNullVersion);
  VersionId version{};
  version[15] = std::byte{7};
  CHECK(parse_version_id(to_text(version)) == version);
  CHECK(to_text(version).size() == 22);
  for (const char* bad : {"", "NULL", "x", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_version_id(bad).has_value());
  }
}

TEST_CASE("copy source: spellings and refusals (A-39, A-54)") {
  struct Row {
    const char* value;
    const char* bucket;  ///< null: refused
    const char* key = "";
    const char* version = "";
  };
  const Row rows[] = {
      {"bucket/key", "bucket", "key"},
      {"/bucket/key", "bucket", "key"},
      {"bucket/a%20b%2Bc", "bucket", "a b+c"},
      {"bucket/a+b", "bucket", "a+b"},
      {"bucket%2Fkey", "bucket", "key"},
      {"bucket/a/b/../c", "bucket", "a/b/../c"},
      {"bucket/key?versionId=null", "bucket", "key", "null"},
      {"bucket/key%3FversionId=null", "bucket", "key?versionId=null"},
      {"bucket/a%252Fb", "bucket", "a%2Fb"},
      {"", nullptr},
      {"/", nullptr},
      {"//", nullptr},
      {"bucket", nullptr},
      {"bucket/", nullptr},
      {"/bucket", nullptr},
      {"bucket/../x", nullptr},
      {"../bucket/x", nullptr},
      {"bucket/%zz", nullptr},
      {"bucket/%00", nullptr},
      {"bucket/%ff", nullptr},
      {"BUCKET/key", nullptr},
      {"bucket/key?versionId=", nullptr},
      {"bucket/key?versionId=../x", nullptr},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    const Outcome<CopySource> source = parse_copy_source(row.value);
    CHECK(source.has_value() == (row.bucket != nullptr));
    if (source) {
      CHECK(source->bucket == row.bucket);
      CHECK(source->key == row.key);
      CHECK(source->version_text == row.version);
    } else {
      CHECK(source.error().code == "InvalidArgument");
      CHECK(source.error().status == 400);
    }
  }
}

TEST_CASE("copy range: both ends or nothing") {
  CHECK(parse_copy_range("bytes=0-9")->last == 9);
  for (const char* bad :
       {"", "0-9", "bytes=0-", "bytes=-5", "bytes=5-2", "bytes=0-2,3-5", "bytes=a-b"}) {
    CAPTURE(bad);
    CHECK(parse_copy_range(bad).error().code == "InvalidArgument");
  }
}

TEST_CASE("tags: header syntax and limits") {
  const Outcome<TagSet> tags = parse_tagging_header("a=1&b=x%20y&c");
  REQUIRE(tags.has_value());
  CHECK(tags->at(1).second == "x y");
  CHECK(tags->at(2).second.empty());
  CHECK(decode_tags(encode_tags(*tags)) == *tags);
  CHECK(count_tags(encode_tags(*tags)) == 3);
  CHECK(parse_tagging_header("a=%zz").error().code == "InvalidArgument");
  CHECK(parse_tagging_header("a=1&a=2").error().code == "InvalidTag");
  CHECK(parse_tagging_header("=1").error().code == "InvalidTag");
  CHECK(parse_tagging_header("a=%3C").error().code == "InvalidTag");
  TagSet many;
  for (int i = 0; i < 11; ++i) {
    many.emplace_back("k" + std::to_string(i), "v");
  }
  CHECK(check_tags(many, kObjectTagsMax).has_value());
  CHECK_FALSE(check_tags(many, kBucketTagsMax).has_value());
  CHECK_FALSE(check_tags({{std::string(128, 'k'), std::string(256, 'v')}}, 10).has_value());
  CHECK(check_tags({{std::string(129, 'k'), ""}}, 10).has_value());
  CHECK(check_tags({{"k", std::string(257, 'v')}}, 10).has_value());
}

}  // namespace mote::s3::test
