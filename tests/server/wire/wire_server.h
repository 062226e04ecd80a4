#pragma once

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/server/s3/support/signer.h"
#include "tests/support/raw_client.h"

#include "mote/server.h"

namespace mote::wire_test {

using s3::test::Headers;
using s3::test::Request;

/// A whole server on the memory store, spoken to byte by byte. It has the bucket "bucket" with the
/// object "old".
class WireServer {
 public:
  WireServer() {
    Options options;
    options.memory = true;
    options.address = "127.0.0.1:0";
    options.threads = 1;
    options.access_key = "AKWIRE";
    options.secret_key = "wire-secret";
    options.memory_bytes_max = 64U << 20U;
    options.buckets = {"bucket"};
    StartError error;
    server_ = Server::start(options, error);
    REQUIRE_MESSAGE(server_ != nullptr, error.message);
    REQUIRE(status(exchange(signed_text("PUT", "/bucket/old", "old"))) == 200);
  }

  [[nodiscard]] std::uint16_t port() const {
    const std::string url = server_->endpoint();
    return static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  }

  static std::string amz_date() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    char text[20];
    std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
    return text;
  }

  static Request signed_request(std::string method, std::string target, std::string body = {},
                                Headers headers = {}, const std::string& secret = "wire-secret") {
    Request request{.method = std::move(method),
                    .target = std::move(target),
                    .headers = std::move(headers),
                    .body = std::move(body)};
    if (request.header("host").empty()) {
      request.with("Host", "127.0.0.1");
    }
    s3::test::Signer({"AKWIRE", secret}, amz_date()).sign(request);
    return request;
  }

  /// As it goes over the wire, with `framing` in place of Content-Length.
  static std::string text_of(const Request& request, const std::string& framing,
                             const std::string& version = "HTTP/1.1") {
    std::string out = request.method + " " + request.target + " " + version + "\r\n";
    for (const auto& [name, value] : request.headers) {
      out.append(name).append(": ").append(value).append("\r\n");
    }
    return out + framing + "\r\n" + request.body;
  }
  static std::string text_of(const Request& request) {
    return text_of(request, "Content-Length: " + std::to_string(request.body.size()) + "\r\n");
  }
  static std::string signed_text(std::string method, std::string target, std::string body = {},
                                 Headers headers = {}) {
    return text_of(
        signed_request(std::move(method), std::move(target), std::move(body), std::move(headers)));
  }

  /// One request on a connection of its own.
  [[nodiscard]] std::string exchange(const std::string& text) const {
    test::RawClient client(port());
    client.send(text);
    return client.read_reply(text.starts_with("HEAD "));
  }

  static int status(const std::string& reply) {
    return reply.size() > 12 ? std::stoi(reply.substr(9, 3)) : 0;
  }
  static std::string element(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("<" + name + ">");
    const std::size_t end = text.find("</" + name + ">");
    return at == std::string::npos ? ""
                                   : text.substr(at + name.size() + 2, end - at - name.size() - 2);
  }
  static std::string body(const std::string& reply) {
    const std::size_t end = reply.find("\r\n\r\n");
    return end == std::string::npos ? "" : reply.substr(end + 4);
  }

  /// Everything stored: buckets, keys, tags, open uploads.
  [[nodiscard]] std::string census() const {
    std::string out;
    for (const char* target : {"/", "/bucket", "/bucket?uploads"}) {
      const std::string reply = exchange(signed_text("GET", target));
      CHECK(status(reply) == 200);
      for (const char* name : {"Name", "Key", "ETag", "UploadId"}) {
        const std::string open = "<" + std::string(name) + ">";
        for (std::size_t at = 0; (at = reply.find(open, at)) != std::string::npos; ++at) {
          out += reply.substr(at, reply.find('/', at + open.size()) - at) + ";";
        }
      }
    }
    return out;
  }

 private:
  std::unique_ptr<Server> server_;
};

}  // namespace mote::wire_test
