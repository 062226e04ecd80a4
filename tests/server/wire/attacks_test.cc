// reliability.md 3.3 over a socket: what is answered, whether the connection goes on, that a
// request pipelined behind a refused one is not executed, and that nothing was stored.
#include <string>
#include <vector>

#include "tests/server/wire/wire_server.h"

namespace mote::wire_test {
namespace {

enum class State { open, closed };

struct Row {
  std::string id;
  std::string text;
  int status;
  std::string code;  ///< "" : not looked at
  State state;
};

void run(const WireServer& server, const std::vector<Row>& rows) {
  const std::string before = server.census();
  const std::string smuggled = WireServer::signed_text("PUT", "/bucket/smuggled", "x");
  for (const Row& row : rows) {
    CAPTURE(row.id);
    CAPTURE(row.text.substr(0, 300));
    test::RawClient client(server.port());
    client.send(row.state == State::closed ? row.text + smuggled : row.text);
    const std::string reply = client.read_reply(row.text.starts_with("HEAD "));
    CHECK(WireServer::status(reply) == row.status);
    if (!row.code.empty()) {
      CHECK(WireServer::element(reply, "Code") == row.code);
      CHECK(reply.find("Content-Type: application/xml\r\n") != std::string::npos);
      CHECK(reply.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
    }
    CHECK(reply.find("wire-secret") == std::string::npos);
    CHECK((reply.find("Connection: close") != std::string::npos) == (row.state == State::closed));
    if (row.state == State::closed) {
      CHECK(client.closed());
    } else {
      client.send(WireServer::signed_text("GET", "/bucket/old"));
      CHECK(WireServer::body(client.read_reply()) == "old");
    }
    CHECK(server.census() == before);
  }
}

std::string put(const std::string& framing, const std::string& body = "hello",
                const std::string& version = "HTTP/1.1") {
  return WireServer::text_of(
      WireServer::signed_request("PUT", "/bucket/k", body,
                                 {{"x-amz-content-sha256", "UNSIGNED-PAYLOAD"}}),
      framing, version);
}

/// A request line and header lines as they are.
std::string head(const std::string& line, const std::string& fields) {
  return line + "\r\n" + fields + "\r\n";
}

}  // namespace

TEST_CASE("A-41 A-44: framing that leaves the end of a body in doubt") {
  const WireServer server;
  const std::string chunks = "5\r\nhello\r\n0\r\n\r\n";
  run(server, {{"CL and TE", put("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunks),
                400, "BadRequest", State::closed},
               {"TE gzip", put("Transfer-Encoding: gzip\r\n", chunks), 501, "NotImplemented",
                State::closed},
               {"TE xchunked", put("Transfer-Encoding: xchunked\r\n", chunks), 501,
                "NotImplemented", State::closed},
               {"TE chunked, identity", put("Transfer-Encoding: chunked, identity\r\n", chunks),
                400, "BadRequest", State::closed},
               {"TE on 1.0", put("Transfer-Encoding: chunked\r\n", chunks, "HTTP/1.0"), 400,
                "BadRequest", State::closed},
               {"two lengths", put("Content-Length: 5\r\nContent-Length: 6\r\n"), 400, "BadRequest",
                State::closed},
               {"a length twice", put("Content-Length: 5\r\nContent-Length: 5\r\n"), 400,
                "BadRequest", State::closed},
               {"CL 5, 5", put("Content-Length: 5, 5\r\n"), 400, "BadRequest", State::closed},
               {"CL -1", put("Content-Length: -1\r\n"), 400, "BadRequest", State::closed},
               {"CL +5", put("Content-Length: +5\r\n"), 400, "BadRequest", State::closed},
               {"CL 2^64-1", put("Content-Length: 18446744073709551615\r\n"), 400, "EntityTooLarge",
                State::closed}});
}

TEST_CASE("A-41: HTTP/1.0 with a Content-Length is served, then closed") {
  const WireServer server;
  test::RawClient client(server.port());
  client.send(put("Content-Length: 5\r\n", "hello", "HTTP/1.0"));
  const std::string reply = client.read_reply();
  CHECK(WireServer::status(reply) == 200);
  CHECK(client.closed());
  CHECK(WireServer::body(server.exchange(WireServer::signed_text("GET", "/bucket/k"))) == "hello");
}

TEST_CASE("A-42: trailers do not change the request") {
  const WireServer server;
  Request request = WireServer::signed_request(
      "PUT", "/bucket/k",
      "e\r\n4\r\nbody\r\n0\r\n\r\n\r\n0\r\nAuthorization: junk\r\nHost: evil\r\n"
      "x-amz-copy-source: bucket/old\r\nx-amz-meta-late: 1\r\n\r\n",
      {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"},
       {"x-amz-decoded-content-length", "4"}});
  test::RawClient client(server.port());
  client.send(WireServer::text_of(request, "Transfer-Encoding: chunked\r\n"));
  CHECK(WireServer::status(client.read_reply()) == 200);
  client.send(WireServer::signed_text("GET", "/bucket/k"));
  const std::string got = client.read_reply();
  CHECK(WireServer::body(got) == "body");
  CHECK(got.find("x-amz-meta-late") == std::string::npos);
}

TEST_CASE("A-43 A-44: heads that are not one request's") {
  const WireServer server;
  const std::string line = "GET /bucket/old HTTP/1.1";
  const std::string nul("Host: a\r\nX: a\0b\r\n", 18);
  run(server, {{"two hosts", head(line, "Host: a\r\nHost: a\r\n"), 400, "", State::closed},
               {"no host", head(line, "X: y\r\n"), 400, "", State::closed},
               {"absolute form", head("GET http://b/bucket/old HTTP/1.1", "Host: a\r\n"), 400, "",
                State::closed},
               {"folded", head(line, "Host: a\r\nX: y\r\n z\r\n"), 400, "", State::closed},
               {"bare LF", head(line, "Host: a\nX: y\r\n"), 400, "", State::closed},
               {"space before colon", head(line, "Host : a\r\n"), 400, "", State::closed},
               {"NUL", head(line, nul), 400, "", State::closed},
               {"HTTP/2.0", head("GET / HTTP/2.0", "Host: a\r\n"), 505, "", State::closed}});
}

TEST_CASE("A-45: heads over the limits") {
  const WireServer server;
  const std::string line = "GET /bucket/old HTTP/1.1";
  std::string many = "Host: a\r\n";
  for (int i = 0; i < 128; ++i) {
    many += "x-" + std::to_string(i) + ": y\r\n";
  }
  run(server, {{"section", head(line, "Host: a\r\nX: " + std::string(16 * 1024, 'x') + "\r\n"), 400,
                "RequestHeaderSectionTooLarge", State::closed},
               {"line", head("GET /" + std::string(8 * 1024, 'k') + " HTTP/1.1", "Host: a\r\n"),
                400, "", State::closed},
               {"fields", head(line, many), 400, "", State::closed}});
}

TEST_CASE("A-46: bodies that do not come, or not as announced") {
  const WireServer server;
  const std::string before = server.census();
  run(server, {{"no length", put("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n"), 411,
                "MissingContentLength", State::closed},
               {"over 5 GiB", put("Content-Length: 5368709121\r\n"), 400, "EntityTooLarge",
                State::closed}});
  test::RawClient cut(server.port());
  cut.send(put("Content-Length: 10\r\n"));
  cut.finish_sending();
  const std::string reply = cut.read_reply();
  CHECK(WireServer::status(reply) == 400);
  CHECK(WireServer::element(reply, "Code") == "IncompleteBody");
  CHECK(cut.closed());
  CHECK(server.census() == before);
}

TEST_CASE("A-46 wire 20: Expect: 100-continue with bad authentication gets no 100 and a close") {
  const WireServer server;
  const std::string before = server.census();
  const Request wrong = WireServer::signed_request("PUT", "/bucket/k", "", {}, "guess");
  test::RawClient client(server.port());
  client.send(WireServer::text_of(wrong, "Content-Length: 5\r\nExpect: 100-continue\r\n"));
  const std::string reply = client.read_reply();
  CHECK(WireServer::status(reply) == 403);
  CHECK(WireServer::element(reply, "Code") == "SignatureDoesNotMatch");
  CHECK(client.closed());
  CHECK(server.census() == before);
}

TEST_CASE("A-01 A-02 A-03 A-11 A-20: a refused request with a short body keeps the connection") {
  const WireServer server;
  Request unknown = WireServer::signed_request("PUT", "/bucket/k", "hello");
  for (auto& [name, value] : unknown.headers) {
    if (const std::size_t at = value.find("AKWIRE"); at != std::string::npos) {
      value.replace(at, 6, "AKNONE");
    }
  }
  const Request twice = WireServer::signed_request("PUT", "/bucket/k", "hello")
                            .with("x-amz-date", WireServer::amz_date());
  const Request both = WireServer::signed_request(
      "PUT", "/bucket/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a", "hello");
  run(server,
      {{"01",
        WireServer::text_of(WireServer::signed_request("PUT", "/bucket/k", "hello", {}, "no")), 403,
        "SignatureDoesNotMatch", State::open},
       {"02", WireServer::text_of(unknown), 403, "InvalidAccessKeyId", State::open},
       {"03", "PUT /bucket/k HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 403,
        "AccessDenied", State::open},
       {"03 HEAD", "HEAD /bucket/old HTTP/1.1\r\nHost: a\r\n\r\n", 403, "", State::open},
       {"11", WireServer::text_of(both), 400, "InvalidArgument", State::open},
       {"20", WireServer::text_of(twice), 400, "InvalidArgument", State::open},
       {"03 long body",
        "PUT /bucket/k HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" +
            std::string(300'000, 'b'),
        403, "AccessDenied", State::closed}});
}

TEST_CASE("A-14: a changed chunk, with the connection's state") {
  const WireServer server;
  Request request{.method = "PUT", .target = "/bucket/k", .headers = {}, .body = {}};
  request.body = std::string(20'000, 'a');
  request.with("Host", "127.0.0.1");
  s3::test::Signer({"AKWIRE", "wire-secret"}, WireServer::amz_date()).sign_chunked(request, 8192);
  request.body[request.body.find("aaaa")] = 'b';
  run(server, {{"14", WireServer::text_of(request), 403, "SignatureDoesNotMatch", State::open}});
}

TEST_CASE("A-25 A-26 A-31: headers that claim something are ignored, anonymity is not") {
  const WireServer server;
  const std::string line = "GET /bucket/old HTTP/1.1";
  for (const char* field :
       {"X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1", "userid: AKWIRE", "groups: admin",
        "username: AKWIRE", "versionid: null", "If-None-Match: *",
        "If-Modified-Since: Mon, 30 Nov 2026 00:00:00 GMT"}) {
    run(server, {{field, head(line, "Host: a\r\n" + std::string(field) + "\r\n"), 403,
                  "AccessDenied", State::open}});
  }
}

TEST_CASE("A-34 CVE_2026_34204: internal headers of any server are not ours to store") {
  const WireServer server;
  const Headers internal = {{"x-mote-internal-key", "1"},
                            {"X-Minio-Replication-Server-Side-Encryption-Seal-Algorithm", "DARE"},
                            {"x-minio-internal-actual-size", "1"}};
  CHECK(WireServer::status(server.exchange(
            WireServer::signed_text("PUT", "/bucket/k", "plain", internal))) == 200);
  const std::string got = server.exchange(WireServer::signed_text("GET", "/bucket/k"));
  CHECK(WireServer::body(got) == "plain");
  CHECK(got.find("internal") == std::string::npos);
  CHECK(got.find("inio") == std::string::npos);
}

TEST_CASE("A-39: keys are bytes, whatever path they look like") {
  const WireServer server;
  const std::vector<std::string> keys = {"a/../b", "/x",  "a//b", ".",     "./.",
                                         "..%5Cx", "a/.", "a/./", "a/..b", "%E2%82%AC"};
  test::RawClient client(server.port());
  for (const std::string& key : keys) {
    CAPTURE(key);
    client.send(WireServer::signed_text("PUT", "/bucket/" + key, "body of " + key));
    const int stored = WireServer::status(client.read_reply());
    CHECK(stored == 200);
    client.send(WireServer::signed_text("GET", "/bucket/" + key));
    CHECK(WireServer::body(client.read_reply()) == "body of " + key);
  }
}

}  // namespace mote::wire_test
