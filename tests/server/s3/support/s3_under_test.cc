#include "tests/server/s3/support/s3_under_test.h"

#include <algorithm>
#include <cstring>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include "erasure/memory/memory_store.h"
#include "server/http/framing_guard.h"
#include "server/http/head_parser.h"
#include "server/s3/object_headers.h"

namespace mote::s3::test {

namespace {

class FakeBody final : public BodySource {
 public:
  FakeBody(const std::string& bytes, Delivery delivery) : bytes_(bytes), delivery_(delivery) {}

  Async<Result<ByteView>> next() override {
    const std::size_t count = std::min(delivery_.piece_bytes, left());
    if (count == 0 && delivery_.breaks_after) {
      co_return Errc::io_error;
    }
    const ByteView view = as_bytes(bytes_).subspan(at_, count);
    at_ += count;
    co_return view;
  }

  Async<Result<std::size_t>> read(ByteSpan out) override {
    const std::size_t count = std::min(out.size(), left());
    if (count < out.size() && delivery_.breaks_after) {
      co_return Errc::io_error;
    }
    std::memcpy(out.data(), bytes_.data() + at_, count);
    at_ += count;
    co_return count;
  }

 private:
  [[nodiscard]] std::size_t left() const {
    return std::min(bytes_.size(), delivery_.breaks_after.value_or(bytes_.size())) - at_;
  }

  const std::string& bytes_;
  Delivery delivery_;
  std::size_t at_ = 0;
};

class FakeReply final : public ReplySink {
 public:
  FakeReply(Response& out, bool head_only) : out_(out), head_only_(head_only) {}

  Async<Status> send(Reply reply) override {
    note(reply);
    if (!head_only_) {
      out_.body = as_text(reply.body.bytes);
    }
    co_return ok();
  }
  Async<Status> begin(Reply reply) override {
    note(reply);
    co_return ok();
  }
  Async<Status> write(Slice bytes) override {
    if (!head_only_) {
      out_.body.append(as_text(bytes.bytes));
    }
    co_return ok();
  }
  void abort() override { out_.cut = true; }
  [[nodiscard]] bool started() const override { return out_.replies > 0; }

 private:
  void note(const Reply& reply) {
    ++out_.replies;
    out_.status = reply.status;
    out_.head = reply.head;
    out_.content_length = reply.content_length;
    out_.has_content_length = reply.has_content_length;
  }

  Response& out_;
  bool head_only_;
};

class FakeBatch final : public ReplyBatch {
 public:
  explicit FakeBatch(Response& out) : out_(out) {}
  void add(std::uint16_t status, std::string_view head_lines, Slice body,
           std::uint64_t content_length) override {
    ++out_.replies;
    out_.status = status;
    out_.head = head_lines;
    out_.body = as_text(body.bytes);
    out_.content_length = content_length;
  }

 private:
  Response& out_;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

auth::Credential credential(const Credentials& of, const char* user, const char* name) {
  return {.identity = {.access_key = of.access_key,
                       .user_id = user,
                       .display_name = name,
                       .email = std::string(name) + "@example.com"},
          .secret = auth::Secret(of.secret_key)};
}

std::string raw_head(const Request& request) {
  std::string raw = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : request.headers) {
    raw.append(name).append(": ").append(value).append("\r\n");
  }
  if (request.http_chunked) {
    raw.append("Transfer-Encoding: chunked\r\n");
  } else if (request.header("content-length").empty() &&
             (!request.body.empty() || request.method == "PUT" || request.method == "POST")) {
    raw.append("Content-Length: " + std::to_string(request.body.size()) + "\r\n");
  }
  return raw + "\r\n";
}

}  // namespace

std::string Response::header(std::string_view wanted) const {
  std::string_view rest = head;
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    const std::size_t colon = line.find(": ");
    if (lower(std::string(line.substr(0, colon))) == wanted) {
      return std::string(line.substr(colon + 2));
    }
  }
  return {};
}

std::vector<std::string> Response::elements(std::string_view name) const {
  std::vector<std::string> out;
  const std::string open = "<" + std::string(name) + ">";
  const std::string close = "</" + std::string(name) + ">";
  std::size_t at = 0;
  while ((at = body.find(open, at)) != std::string::npos) {
    at += open.size();
    out.push_back(body.substr(at, body.find(close, at) - at));
  }
  return out;
}

std::string Response::element(std::string_view name) const {
  const std::vector<std::string> all = elements(name);
  return all.empty() ? std::string() : all.front();
}

S3UnderTest::S3UnderTest(ServiceOptions options, std::uint64_t store_bytes_max) {
  std::vector<auth::Credential> all;
  all.push_back(credential(alice(), "alice-id", "alice"));
  all.push_back(credential(bob(), "bob-id", "bob"));
  credentials_.replace(std::move(all));
  store_ = make_memory_store({.bytes_max = store_bytes_max, .clock = clock_, .rng = rng_});
  authenticator_ = std::make_unique<auth::Authenticator>(
      auth::Authenticator::Options{.region = options.region}, credentials_, clock_);
  service_ = std::make_unique<S3Service>(*store_, *authenticator_, std::move(options), clock_);
}

std::unique_ptr<S3UnderTest> S3UnderTest::cached() {
  auto out = std::make_unique<S3UnderTest>();
  metacache::CacheOptions options;
  options.bytes_max = 64 * kMiB;
  options.render = render_object_headers;
  out->cache_ = std::make_unique<metacache::CachedStore>(*out->store_, options);
  out->service_ = std::make_unique<S3Service>(*out->cache_, *out->authenticator_, ServiceOptions{},
                                              out->clock_, &out->reads_);
  return out;
}

S3UnderTest::~S3UnderTest() {
  store_->close();
}

Request S3UnderTest::request(std::string method, std::string target, std::string body,
                             Headers headers) {
  Request out{.method = std::move(method),
              .target = std::move(target),
              .headers = std::move(headers),
              .body = std::move(body)};
  if (out.header("host").empty()) {
    out.with("Host", "127.0.0.1:9000");
  }
  return out;
}

Response S3UnderTest::call(std::string method, std::string target, std::string body,
                           Headers headers) {
  return call_as(alice(), std::move(method), std::move(target), std::move(body),
                 std::move(headers));
}

Response S3UnderTest::call_as(const Credentials& who, std::string method, std::string target,
                              std::string body, Headers headers) {
  Request made = request(std::move(method), std::move(target), std::move(body), std::move(headers));
  Signer(who, kAmzDate).sign(made);
  return send(made);
}

Response S3UnderTest::send(const Request& request, Delivery delivery) {
  Response response;
  const std::string raw = raw_head(request);
  http::RequestHead head;
  http::Framing framing;
  std::optional<http::FramingError> refused = http::parse_head(raw, head);
  if (!refused) {
    refused = http::check_framing(head, framing);
  }
  FakeBody body(request.body, delivery);
  FakeReply reply(response, request.method == "HEAD");
  Exchange exchange{.head = head,
                    .framing = framing,
                    .body = body,
                    .reply = reply,
                    .request_id = "0123456789ABCDEF",
                    .peer_address = "127.0.0.1",
                    .secure = false};
  asio::io_context context(1);
  if (refused) {
    asio::co_spawn(context, reply.send(service_->refuse(*refused, exchange.request_id)),
                   asio::detached);
  } else {
    asio::co_spawn(context, service_->handle(exchange), asio::detached);
  }
  context.run();
  return response;
}

Response S3UnderTest::send_fast_first(const Request& request, bool& fast) {
  const std::string raw = raw_head(request);
  http::RequestHead head;
  http::Framing framing;
  REQUIRE_FALSE(http::parse_head(raw, head).has_value());
  REQUIRE_FALSE(http::check_framing(head, framing).has_value());
  Response response;
  FakeBatch batch(response);
  fast = service_->answer_now(head, framing, "0123456789ABCDEF", batch);
  if (!fast) {
    CHECK(response.replies == 0);
    return send(request);
  }
  return response;
}

void S3UnderTest::make_bucket(const std::string& name) {
  call("PUT", "/" + name);
}

std::string S3UnderTest::census(const std::string& bucket) {
  std::string out;
  store_->list({.bucket = bucket, .prefix = {}, .delimiter = {}, .after = {}, .stop = {}},
               [&out](Result<ListPage> page) {
                 for (const ListEntry& entry : page ? page->entries : std::vector<ListEntry>{}) {
                   out.append(entry.key + " " + std::to_string(entry.head->bytes) + " " +
                              mote::to_text(entry.head->etag) + "\n");
                 }
               });
  ListUploadsRequest uploads;
  uploads.bucket = bucket;
  store_->list_uploads(std::move(uploads), [&out](Result<ListUploadsPage> page) {
    for (const UploadInfo& upload : page ? page->entries : std::vector<UploadInfo>{}) {
      out.append("upload " + upload.ref.key + "\n");
    }
  });
  return out;
}

}  // namespace mote::s3::test
