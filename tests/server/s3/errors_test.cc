#include <set>
#include <string>

#include <doctest/doctest.h>

#include "server/s3/error_mapping.h"
#include "server/s3/error_reply.h"
#include "server/s3/xml/reader.h"

namespace mote::s3::test {

TEST_CASE("errors: every row has a code, a status and a message") {
  std::set<std::string_view> codes;
#define MOTE_TEST_ROW(id, text, number, words)       \
  {                                                  \
    const ErrorInfo& info = describe(ErrorCode::id); \
    CHECK(info.code == std::string_view(text));      \
    CHECK(codes.insert(info.code).second);           \
    CHECK(info.status == (number));                  \
    CHECK(info.message == std::string_view(words));  \
  }
  MOTE_S3_ERRORS(MOTE_TEST_ROW)
#undef MOTE_TEST_ROW
}

TEST_CASE("errors: what cannot be known is 503, too little room 507, damage 500, absence 404") {
  struct Row {
    Errc from;
    int status;
    const char* code;
  };
  const Row rows[] = {
      {Errc::no_such_bucket, 404, "NoSuchBucket"},
      {Errc::no_such_key, 404, "NoSuchKey"},
      {Errc::no_such_version, 404, "NoSuchVersion"},
      {Errc::delete_marker, 404, "NoSuchKey"},
      {Errc::no_such_upload, 404, "NoSuchUpload"},
      {Errc::no_such_file, 500, "InternalError"},
      {Errc::bucket_not_empty, 409, "BucketNotEmpty"},
      {Errc::precondition_failed, 412, "PreconditionFailed"},
      {Errc::read_quorum, 503, "ServiceUnavailable"},
      {Errc::write_quorum, 503, "ServiceUnavailable"},
      {Errc::timed_out, 503, "ServiceUnavailable"},
      {Errc::shutting_down, 503, "ServiceUnavailable"},
      {Errc::cancelled, 503, "ServiceUnavailable"},
      {Errc::overloaded, 503, "SlowDown"},
      {Errc::no_space, 507, "InsufficientStorage"},
      {Errc::corrupt, 500, "XMoteDataCorrupt"},
      {Errc::io_error, 500, "InternalError"},
      {Errc::drive_failed, 500, "InternalError"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.code);
    const S3Error mapped = map_error(Error{row.from}, {.bucket = "b", .key = "k"});
    CHECK(mapped.status == row.status);
    CHECK(mapped.code == row.code);
    CHECK(is_server_fault(mapped) == (row.status >= 500));
  }
}

TEST_CASE(
    "errors: the document is well-formed, has no namespace, escapes what clients sent (wire 58)") {
  const S3Error error = make_error(ErrorCode::no_such_key, {{"Key", "<script>\"&\x01"}});
  const std::string text = error_document(error, {.resource = "/b/<script>", .request_id = "RID"});
  CHECK(text.find("xmlns") == std::string::npos);
  CHECK(text.find("<script>") == std::string::npos);
  CHECK(text.find("<Key>&lt;script&gt;&quot;&amp;&#x1;</Key>") != std::string::npos);
  CHECK(text.find("<Code>NoSuchKey</Code>") != std::string::npos);
  CHECK(text.find("<RequestId>RID</RequestId><HostId>RID</HostId></Error>") != std::string::npos);
}

TEST_CASE("errors: replies are XML that no browser sniffs, and HEAD has no body") {
  const S3Error error = make_error(ErrorCode::slow_down);
  const Reply reply = error_reply(error, {.request_id = "R"}, false);
  CHECK(reply.status == 503);
  CHECK(reply.head.find("Content-Type: application/xml\r\n") != std::string::npos);
  CHECK(reply.head.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CHECK(reply.head.find("Retry-After: 1\r\n") != std::string::npos);
  CHECK(reply.content_length == reply.body.size());
  const Reply head = error_reply(error, {.request_id = "R"}, true);
  CHECK(head.body.size() == 0);
  CHECK(head.content_length == 0);
}

}  // namespace mote::s3::test
