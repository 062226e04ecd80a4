// How a bucket is addressed (wire 60): path style and virtual-host style, with and without a port,
// with a slash at the end, by name or by address. The signature is over the Host that was sent.
#include <string>
#include <vector>

#include "tests/server/wire/wire_server.h"

namespace mote::wire_test {
namespace {

std::string get(const WireServer& server, const std::string& target, const std::string& host) {
  return WireServer::body(
      server.exchange(WireServer::signed_text("GET", target, "", {{"Host", host}})));
}

}  // namespace

TEST_CASE("addressing: path style under any Host that the client signed") {
  const WireServer server;
  for (const char* host : {"127.0.0.1", "127.0.0.1:9000", "localhost", "localhost:80", "LOCALHOST",
                           "s3.example.com", "s3.example.com:443", "[::1]:9000"}) {
    CAPTURE(host);
    CHECK(get(server, "/bucket/old", host) == "old");
  }
}

TEST_CASE("addressing: virtual-host style under localhost, with and without a port") {
  const WireServer server;
  for (const char* host :
       {"bucket.localhost", "bucket.localhost:9000", "bucket.localhost:80", "bucket.LOCALHOST"}) {
    CAPTURE(host);
    CHECK(get(server, "/old", host) == "old");
    CHECK(WireServer::element(get(server, "/", host), "Key") == "old");
    CHECK(WireServer::element(get(server, "/?list-type=2", host), "KeyCount") == "1");
  }
  // A bucket's name in the path is then part of the key.
  CHECK(WireServer::element(get(server, "/bucket/old", "bucket.localhost"), "Code") == "NoSuchKey");
}

TEST_CASE("addressing: the Host that was signed is the one that is checked") {
  const WireServer server;
  const std::string before = server.census();
  Request moved = WireServer::signed_request("PUT", "/k", "x", {{"Host", "other.localhost"}});
  for (auto& [name, value] : moved.headers) {
    value = name == "Host" ? "bucket.localhost" : value;
  }
  const std::string reply = server.exchange(WireServer::text_of(moved));
  CHECK(WireServer::status(reply) == 403);
  CHECK(WireServer::element(reply, "Code") == "SignatureDoesNotMatch");
  // Nor does a proxy's word change it.
  const std::string forwarded = server.exchange(WireServer::signed_text(
      "GET", "/old", "",
      {{"Host", "127.0.0.1"}, {"X-Forwarded-Host", "bucket.localhost"}, {"X-Host", "bucket"}}));
  CHECK(WireServer::status(forwarded) == 404);
  CHECK(WireServer::element(forwarded, "Code") == "NoSuchBucket");
  CHECK(server.census() == before);
}

TEST_CASE("addressing: a slash behind the bucket is the bucket (wire 42, 46)") {
  const WireServer server;
  CHECK(WireServer::element(get(server, "/bucket/", "h"), "Key") == "old");
  CHECK(WireServer::element(get(server, "/bucket/?list-type=2", "h"), "Key") == "old");
  CHECK(WireServer::status(server.exchange(WireServer::signed_text("PUT", "/made/"))) == 200);
  CHECK(WireServer::status(server.exchange(WireServer::signed_text("HEAD", "/made/"))) == 200);
  CHECK(WireServer::status(server.exchange(WireServer::signed_text("DELETE", "/made/"))) == 204);
  // Two slashes are a key.
  CHECK(WireServer::status(server.exchange(WireServer::signed_text("PUT", "/bucket//", "x"))) ==
        200);
  CHECK(get(server, "/bucket//", "h") == "x");
}

TEST_CASE("addressing: Hosts that are none") {
  const WireServer server;
  for (const char* host : {"", "a b", "bucket.localhost:x", "bucket.localhost:99999", "a/b", "a@b",
                           "..localhost", "a..localhost"}) {
    CAPTURE(host);
    const std::string reply =
        server.exchange("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    const int status = WireServer::status(reply);
    CHECK((status == 400 || status == 403));
  }
}

}  // namespace mote::wire_test
