// The fast path answers what the normal path would, and allocates nothing once warm.
#include <atomic>
#include <cstdlib>
#include <new>

#include <doctest/doctest.h>

#include "server/http/framing_guard.h"
#include "server/http/head_parser.h"
#include "tests/server/s3/support/s3_under_test.h"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace mote::s3::test {

namespace {

Request signed_get(const S3UnderTest& s3, std::string method, std::string target,
                   Headers headers = {}) {
  Request request =
      S3UnderTest::request(std::move(method), std::move(target), "", std::move(headers));
  s3.signer().sign(request);
  return request;
}

/// Counts replies and keeps nothing.
class CountingBatch final : public ReplyBatch {
 public:
  void add(std::uint16_t status, std::string_view, Slice body, std::uint64_t) override {
    ok += status == 200 && body.size() > 0 ? 1U : 0U;
  }
  std::size_t ok = 0;
};

}  // namespace

TEST_CASE("fast path: a warm GET and HEAD are the normal path's, byte for byte") {
  const auto s3 = S3UnderTest::cached();
  s3->make_bucket("bucket");
  s3->call("PUT", "/bucket/k", "hello",
           {{"Content-Type", "text/plain"}, {"x-amz-meta-a", "b"}, {"x-amz-tagging", "t=1"}});
  bool fast = true;
  const Request get = signed_get(*s3, "GET", "/bucket/k");
  const Response cold = s3->send_fast_first(get, fast);
  CHECK_FALSE(fast);
  const Response warm = s3->send_fast_first(get, fast);
  CHECK(fast);
  CHECK(warm.status == 200);
  CHECK(warm.head == cold.head);
  CHECK(warm.body == "hello");
  CHECK(warm.content_length == 5);
  const Response head = s3->send_fast_first(signed_get(*s3, "HEAD", "/bucket/k"), fast);
  CHECK(fast);
  CHECK(head.head == cold.head);
  CHECK(head.body.empty());
  CHECK(head.content_length == 5);

  const Headers mode = {{"x-amz-checksum-mode", "ENABLED"}};
  const Response sums = s3->send_fast_first(signed_get(*s3, "GET", "/bucket/k", mode), fast);
  CHECK(fast);
  CHECK(sums.head == s3->call("GET", "/bucket/k", "", mode).head);
  CHECK_FALSE(sums.header("x-amz-checksum-crc64nvme").empty());
  s3->send_fast_first(signed_get(*s3, "GET", "/bucket/k?x-id=GetObject"), fast);
  CHECK(fast);
}

TEST_CASE("fast path: writes show at once, and whatever is not plain goes the long way") {
  const auto s3 = S3UnderTest::cached();
  s3->make_bucket("bucket");
  s3->call("PUT", "/bucket/k", "one");
  const Request get = signed_get(*s3, "GET", "/bucket/k");
  bool fast = false;
  s3->send_fast_first(get, fast);
  s3->send_fast_first(get, fast);
  REQUIRE(fast);
  s3->call("PUT", "/bucket/k", "two");
  CHECK(s3->send_fast_first(get, fast).body == "two");
  CHECK(s3->send_fast_first(get, fast).body == "two");
  CHECK(fast);
  for (const Headers& headers :
       {Headers{{"Range", "bytes=0-0"}}, Headers{{"If-None-Match", "*"}},
        Headers{{"If-Modified-Since", "Mon, 30 Nov 2026 12:00:00 GMT"}},
        Headers{{"x-amz-server-side-encryption-customer-algorithm", "AES256"}},
        Headers{{"x-amz-expected-bucket-owner", "bob-id"}}}) {
    CAPTURE(headers[0].first);
    const Response answer = s3->send_fast_first(signed_get(*s3, "GET", "/bucket/k", headers), fast);
    CHECK_FALSE(fast);
    CHECK(answer.status != 200);
  }
  for (const char* target : {"/bucket/k?versionId=null", "/bucket/k?acl", "/bucket/k?partNumber=1",
                             "/bucket/k?response-content-type=a", "/bucket", "/"}) {
    CAPTURE(target);
    s3->send_fast_first(signed_get(*s3, "GET", target), fast);
    CHECK_FALSE(fast);
  }
  s3->call("DELETE", "/bucket/k");
  CHECK(s3->send_fast_first(get, fast).status == 404);
  CHECK(s3->send_fast_first(get, fast).code() == "NoSuchKey");
}

TEST_CASE("fast path: every read is counted by the way it took") {
  const auto s3 = S3UnderTest::cached();
  s3->make_bucket("bucket");
  const std::size_t border = s3->store().limits().inline_bytes_max;
  const auto read = [&s3](const std::string& target, const Headers& headers = {}) {
    bool fast = false;
    s3->send_fast_first(signed_get(*s3, "GET", target, headers), fast);
    return fast;
  };
  // At the border the object is held whole, one byte above only its head is.
  s3->call("PUT", "/bucket/small", std::string(border, 'x'));
  s3->call("PUT", "/bucket/big", std::string(border + 1, 'x'));
  CHECK_FALSE(read("/bucket/small"));
  CHECK_FALSE(read("/bucket/big"));
  CHECK(s3->reads()[ReadPath::uncached] == 2);
  CHECK(read("/bucket/small"));
  CHECK_FALSE(read("/bucket/big"));
  CHECK(s3->reads()[ReadPath::fast] == 1);
  CHECK(s3->reads()[ReadPath::large] == 1);
  CHECK_FALSE(read("/bucket/small", {{"Range", "bytes=0-0"}}));
  CHECK_FALSE(read("/bucket/small?versionId=null"));
  CHECK(s3->reads()[ReadPath::special] == 2);
  CHECK_FALSE(read("/bucket"));
  CHECK(s3->reads()[ReadPath::not_object] == 1);
  bool fast = false;
  s3->send_fast_first(S3UnderTest::request("GET", "/bucket/small"), fast);
  CHECK(s3->reads()[ReadPath::anonymous] == 1);
  CHECK_FALSE(read("/no-such-bucket/small"));
  CHECK(s3->reads()[ReadPath::refused] == 1);
}

TEST_CASE("fast path: strangers, other users and broken signatures get nothing from the cache") {
  const auto s3 = S3UnderTest::cached();
  s3->make_bucket("bucket");
  s3->call("PUT", "/bucket/k", "secret");
  bool fast = false;
  const Request get = signed_get(*s3, "GET", "/bucket/k");
  s3->send_fast_first(get, fast);
  s3->send_fast_first(get, fast);
  REQUIRE(fast);
  const Response stranger = s3->send_fast_first(S3UnderTest::request("GET", "/bucket/k"), fast);
  CHECK_FALSE(fast);
  CHECK(stranger.status == 403);
  Request bobs = S3UnderTest::request("GET", "/bucket/k");
  Signer(S3UnderTest::bob(), S3UnderTest::kAmzDate).sign(bobs);
  CHECK(s3->send_fast_first(bobs, fast).status == 403);
  CHECK_FALSE(fast);
  Request broken = get;
  char& last = broken.headers.back().second.back();
  last = last == '0' ? '1' : '0';
  CHECK(s3->send_fast_first(broken, fast).code() == "SignatureDoesNotMatch");
  CHECK_FALSE(fast);
}

TEST_CASE("fast path: no allocation for a warm GET, checksum mode included") {
  const auto s3 = S3UnderTest::cached();
  s3->make_bucket("bucket");
  s3->call("PUT", "/bucket/key-that-is-long-enough-to-live-on-the-heap", std::string(1024, 'x'));
  for (const bool checksums : {false, true}) {
    CAPTURE(checksums);
    const Request get =
        signed_get(*s3, "GET", "/bucket/key-that-is-long-enough-to-live-on-the-heap",
                   checksums ? Headers{{"x-amz-checksum-mode", "ENABLED"}} : Headers{});
    s3->send(get);
    std::string raw = get.method + " " + get.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : get.headers) {
      raw.append(name).append(": ").append(value).append("\r\n");
    }
    raw.append("\r\n");
    http::RequestHead head;
    http::Framing framing;
    REQUIRE_FALSE(http::parse_head(raw, head).has_value());
    REQUIRE_FALSE(http::check_framing(head, framing).has_value());
    CountingBatch batch;
    for (int warm = 0; warm < 3; ++warm) {
      REQUIRE(s3->service().answer_now(head, framing, "0123456789ABCDEF", batch));
    }
    const std::size_t before = allocations.load();
    for (int i = 0; i < 100; ++i) {
      s3->service().answer_now(head, framing, "0123456789ABCDEF", batch);
    }
    CHECK(allocations.load() - before == 0);
    CHECK(batch.ok == 103);
  }
}

}  // namespace mote::s3::test
