// TLS on the listening port: versions, protocol choice, bodies of all sizes, certificates that are
// replaced, and clients that do not behave.
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "server/net/front_end.h"
#include "tests/support/raw_client.h"
#include "tests/support/tls/test_certificate.h"
#include "tests/support/tls/tls_client.h"

namespace mote::net {
namespace {

using test::RawClient;
using test::TestCertificate;
using test::TlsClient;

/// GET /fast is answered at once, GET /big streams 3 MiB, /cut breaks off in the middle; other
/// requests get their body back, or "secure" if they have none.
class EchoHandler final : public RequestHandler {
 public:
  static constexpr std::size_t kBig = 3 * kMiB;

  bool answer_now(const http::RequestHead& head, const http::Framing&, std::string_view,
                  ReplyBatch& replies) override {
    if (head.path_raw != "/fast") {
      return false;
    }
    replies.add(200, "", Slice::own("fast body"), 9);
    return true;
  }

  Async<void> handle(Exchange& exchange) override {
    ++handled;
    const std::string path(exchange.head.path_raw);
    if (path == "/big" || path == "/cut") {
      Reply reply;
      reply.content_length = kBig;
      (void)co_await exchange.reply.begin(std::move(reply));
      (void)co_await exchange.reply.write(Slice::own(std::string(kMiB, 'a')));
      if (path == "/cut") {
        exchange.reply.abort();
        co_return;
      }
      (void)co_await exchange.reply.write(Slice::own(std::string(kBig - kMiB, 'b')));
      co_return;
    }
    std::string all;
    Buffer block(40'000);
    while (true) {
      const Result<std::size_t> count = co_await exchange.body.read(block.span());
      if (!count || *count == 0) {
        break;
      }
      all.append(as_text(block.view().first(*count)));
    }
    if (all.empty()) {
      all = exchange.secure ? "secure" : "plain";
    }
    Reply reply;
    reply.content_length = all.size();
    reply.body = Slice::own(std::move(all));
    (void)co_await exchange.reply.send(std::move(reply));
  }

  Reply refuse(http::FramingError error, std::string_view) override {
    Reply reply;
    reply.status = static_cast<std::uint16_t>(http::describe(error).status);
    return reply;
  }

  std::atomic<int> handled{0};
};

struct TlsFixture {
  TestCertificate certificate;
  EchoHandler handler;
  NetStats stats;
  std::shared_ptr<TlsContext> tls;
  std::unique_ptr<FrontEnd> front;

  explicit TlsFixture(std::chrono::seconds handshake_timeout = std::chrono::seconds(10)) {
    std::string problem;
    tls = TlsContext::load({certificate.certificate(), certificate.key()}, problem);
    REQUIRE_MESSAGE(tls != nullptr, problem);
    NetOptions options;
    options.tls = tls;
    options.handshake_timeout = handshake_timeout;
    Result<std::unique_ptr<FrontEnd>> started = FrontEnd::start(handler, stats, options);
    REQUIRE(started.has_value());
    front = std::move(*started);
  }
  [[nodiscard]] std::uint16_t port() const { return front->port(); }
  void still_serves() const {
    TlsClient client(port());
    client.send("GET /fast HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read_reply().ends_with("fast body"));
  }
};

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

std::string body_of(const std::string& reply) {
  const std::size_t end = reply.find("\r\n\r\n");
  return end == std::string::npos ? "" : reply.substr(end + 4);
}

TEST_CASE("tls: keep-alive, pipelining, bodies of all sizes both ways") {
  TlsFixture f;
  TlsClient client(f.port());
  REQUIRE(client.secure());
  client.send(get("/fast") + get("/slow") + get("/fast"));
  CHECK(body_of(client.read_reply()) == "fast body");
  CHECK(body_of(client.read_reply()) == "secure");
  CHECK(body_of(client.read_reply()) == "fast body");
  for (const std::size_t size : {std::size_t{1}, std::size_t{16'383}, std::size_t{16'384},
                                 std::size_t{16'385}, std::size_t{2'000'003}}) {
    CAPTURE(size);
    std::string body(size, 'x');
    for (std::size_t i = 0; i < size; i += 97) {
      body[i] = static_cast<char>('a' + i % 26);
    }
    client.send("PUT /e HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
                "\r\n\r\n" + body);
    CHECK(body_of(client.read_reply()) == body);
  }
  client.send(get("/big"));
  CHECK(body_of(client.read_reply()) ==
        std::string(kMiB, 'a') + std::string(EchoHandler::kBig - kMiB, 'b'));
  CHECK(f.stats.connections_opened.sum() == 1);
  CHECK(f.stats.tls_handshakes.sum() == 1);
}

TEST_CASE("tls: versions 1.2 and 1.3, nothing older") {
  TlsFixture f;
  CHECK(TlsClient(f.port(), {.version_max = TLS1_3_VERSION}).version() == "TLSv1.3");
  TlsClient older(f.port(), {.version_max = TLS1_2_VERSION});
  REQUIRE(older.secure());
  CHECK(older.version() == "TLSv1.2");
  older.send(get("/fast"));
  CHECK(body_of(older.read_reply()) == "fast body");
  CHECK_FALSE(TlsClient(f.port(), {.version_max = TLS1_1_VERSION}).secure());
  CHECK(f.stats.tls_failures.sum() == 1);
}

TEST_CASE("tls: ALPN chooses http/1.1, and refuses a client that speaks only something else") {
  TlsFixture f;
  CHECK(TlsClient(f.port(), {.alpn = "\x02h2\x08http/1.1"}).protocol() == "http/1.1");
  CHECK(TlsClient(f.port(), {.alpn = "\x08http/1.0"}).protocol() == "http/1.0");
  CHECK(TlsClient(f.port()).protocol().empty());
  CHECK_FALSE(TlsClient(f.port(), {.alpn = "\x02h2"}).secure());
}

TEST_CASE("tls: a connection that ends well says so, one that is cut does not") {
  TlsFixture f;
  TlsClient asked(f.port());
  asked.send("GET /fast HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  CHECK(body_of(asked.read_reply()) == "fast body");
  CHECK(asked.ended_well());
  TlsClient cut(f.port());
  cut.send(get("/cut"));
  CHECK_FALSE(cut.ended_well());
  TlsClient idle(f.port());
  idle.send(get("/fast"));
  CHECK(body_of(idle.read_reply()) == "fast body");
  f.front->stop(std::chrono::seconds(2));
  CHECK(idle.ended_well());
}

TEST_CASE("tls: an idle connection gives its buffer back and still serves") {
  TlsFixture f;
  TlsClient client(f.port());
  client.send(get("/fast"));
  CHECK(body_of(client.read_reply()) == "fast body");
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  client.send(get("/slow"));
  CHECK(body_of(client.read_reply()) == "secure");
}

TEST_CASE("tls: plain HTTP on the TLS port gets 400 in clear and a close") {
  TlsFixture f;
  RawClient client(f.port());
  client.send(get("/fast"));
  const std::string reply = client.read_reply();
  CHECK(reply.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  CHECK(reply.ends_with("\r\n\r\nThis port takes HTTPS.\n"));
  CHECK(client.closed());
  CHECK(f.handler.handled == 0);
  RawClient other(f.port());
  other.send("DELETE /b/k HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(other.closed());
  CHECK(f.handler.handled == 0);
  f.still_serves();
}

TEST_CASE("tls: handshakes that are aborted, garbage or slow leave nothing behind") {
  TlsFixture f(std::chrono::seconds(1));
  // A client hello, as far as it goes: record header and the beginning of a handshake message.
  const std::string hello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
  for (std::size_t cut = 0; cut <= hello.size(); ++cut) {
    RawClient client(f.port());
    client.send(hello.substr(0, cut));
    if (cut % 2 == 0) {
      client.reset();
    } else {
      client.finish_sending();
      CHECK(client.closed());
    }
  }
  RawClient garbage(f.port());
  garbage.send(std::string(5000, '\xfe'));
  CHECK(garbage.closed());
  const auto before = std::chrono::steady_clock::now();
  RawClient silent(f.port());
  RawClient slow(f.port());
  slow.send(hello);
  CHECK(silent.closed());
  CHECK(slow.closed());
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(4));
  CHECK(f.stats.timeouts.sum() == 2);
  CHECK(f.handler.handled == 0);
  f.still_serves();
  for (int i = 0; i < 300 && f.front->open_connections() > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(f.front->open_connections() == 0);
}

TEST_CASE("tls: a new pair serves new connections, a bad one changes nothing") {
  TlsFixture f;
  const std::string first = f.certificate.fingerprint();
  TlsClient old(f.port());
  CHECK(old.fingerprint() == first);
  // A certificate without its key, as half a replacement looks.
  f.certificate.renew(true, false);
  CHECK(f.tls->reload().find("key values mismatch") != std::string::npos);
  CHECK(TlsClient(f.port()).fingerprint() == first);
  std::ofstream(f.certificate.certificate()) << "no certificate\n";
  CHECK(f.tls->reload().find(f.certificate.certificate()) != std::string::npos);
  CHECK(TlsClient(f.port()).fingerprint() == first);
  f.certificate.renew();
  CHECK(f.tls->reload().empty());
  CHECK(f.certificate.fingerprint() != first);
  CHECK(TlsClient(f.port()).fingerprint() == f.certificate.fingerprint());
  old.send(get("/slow"));
  CHECK(body_of(old.read_reply()) == "secure");
}

TEST_CASE("tls: a pair that cannot be read does not start") {
  TestCertificate certificate;
  std::string problem;
  CHECK(TlsContext::load({certificate.certificate(), "/nowhere/key.pem"}, problem) == nullptr);
  CHECK(problem.find("/nowhere/key.pem") != std::string::npos);
  CHECK(TlsContext::load({certificate.key(), certificate.key()}, problem) == nullptr);
  CHECK(problem.find(certificate.key()) != std::string::npos);
}

}  // namespace
}  // namespace mote::net
