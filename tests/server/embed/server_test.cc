// mote::Server as a program embeds it: only server/include is needed.
#include "mote/server.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/raw_client.h"

namespace mote {
namespace {

std::uint16_t port_of(const std::string& endpoint) {
  return static_cast<std::uint16_t>(std::stoul(endpoint.substr(endpoint.rfind(':') + 1)));
}

std::string get(const std::string& endpoint, const std::string& path) {
  test::RawClient client(port_of(endpoint));
  client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return client.read_all();
}

Options in_memory() {
  Options options;
  options.memory = true;
  options.address = "127.0.0.1:0";
  options.cache_bytes = 1 << 20;
  options.memory_bytes_max = 16 << 20;
  return options;
}

struct TempDir {
  TempDir() {
    std::string pattern = "/tmp/mote-server-test-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string path;
};

TEST_CASE("server: several in one process, each on its own port, started and stopped") {
  StartError error;
  const auto one = Server::start(in_memory(), error);
  const auto two = Server::start(in_memory(), error);
  REQUIRE(one != nullptr);
  REQUIRE(two != nullptr);
  CHECK(one->endpoint() != two->endpoint());
  CHECK(get(one->endpoint(), "/_mote/health/ready").starts_with("HTTP/1.1 200 "));
  CHECK(get(two->endpoint(), "/minio/health/live").starts_with("HTTP/1.1 200 "));
  one->stop(std::chrono::seconds(1));
  one->stop(std::chrono::seconds(1));
  CHECK(get(two->endpoint(), "/_mote/health/ready").starts_with("HTTP/1.1 200 "));
}

TEST_CASE("server: nobody gets in without credentials (INV-10)") {
  StartError error;
  const auto server = Server::start(in_memory(), error);
  REQUIRE(server != nullptr);
  for (const char* path : {"/", "/bucket", "/bucket/key", "/bucket?location"}) {
    const std::string reply = get(server->endpoint(), path);
    CHECK_MESSAGE(reply.starts_with("HTTP/1.1 403 "), path);
    CHECK_MESSAGE(reply.find("<Code>AccessDenied</Code>") != std::string::npos, path);
  }
}

TEST_CASE("server: start and stop leave nothing behind, fifty times over") {
  for (int i = 0; i < 50; ++i) {
    StartError error;
    const auto server = Server::start(in_memory(), error);
    REQUIRE(server != nullptr);
  }
}

TEST_CASE("server: buckets named at start are there; metrics and drives answer on the admin port") {
  TempDir dir;
  Options options;
  options.drives = {dir.path + "/d{1...2}"};
  options.address = "127.0.0.1:0";
  options.admin_address = "127.0.0.1:0";
  options.buckets = {"first", "second"};
  StartError error;
  {
    const auto server = Server::start(options, error);
    REQUIRE_MESSAGE(server != nullptr, error.message);
    const std::string drives = get(server->admin_endpoint(), "/_mote/drives");
    CHECK(drives.find("\"state\":\"current\"") != std::string::npos);
    CHECK(drives.find("\"degraded\":false") != std::string::npos);
    CHECK(get(server->admin_endpoint(), "/_mote/drives?format=text").find("ready, healthy") !=
          std::string::npos);
    const std::string metrics = get(server->admin_endpoint(), "/metrics");
    CHECK(metrics.find("mote_ready 1\n") != std::string::npos);
    CHECK(metrics.find("mote_commits_total 2\n") != std::string::npos);
    CHECK(get(server->admin_endpoint(), "/nothing").starts_with("HTTP/1.1 404 "));
    // The drives are in use: a second server on them is told so.
    CHECK(Server::start(options, error) == nullptr);
    CHECK(error.exit_code == 75);
  }
  const auto again = Server::start(options, error);
  REQUIRE_MESSAGE(again != nullptr, error.message);
}

TEST_CASE("server: a wrong option is told in one line with its exit code") {
  struct Row {
    const char* what;
    void (*change)(Options&);
    int exit_code;
  };
  const Row rows[] = {
      {"no store", [](Options& o) { o.memory = false; }, 78},
      {"two stores", [](Options& o) { o.drives = {"/tmp"}; }, 78},
      {"address", [](Options& o) { o.address = "nonsense"; }, 78},
      {"not ours", [](Options& o) { o.address = "203.0.113.1:0"; }, 74},
      {"admin address", [](Options& o) { o.admin_address = "x"; }, 78},
      {"log", [](Options& o) { o.access_log = "/no/such/folder/log"; }, 78},
      {"range",
       [](Options& o) {
         o.memory = false;
         o.drives = {"/tmp/d{3...1}"};
       },
       78},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    Options options = in_memory();
    row.change(options);
    StartError error;
    CHECK(Server::start(options, error) == nullptr);
    CHECK(error.exit_code == row.exit_code);
    CHECK(!error.message.empty());
    CHECK(error.message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace mote
