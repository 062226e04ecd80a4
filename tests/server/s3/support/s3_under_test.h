#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "erasure/base/rng.h"
#include "erasure/store.h"
#include "server/auth/authenticator.h"
#include "server/auth/credentials.h"
#include "server/s3/handlers/service.h"
#include "tests/server/s3/support/signer.h"

namespace mote::s3::test {

/// A reply as it would have left the server.
struct Response {
  int status = 0;
  std::string head;  ///< header lines
  std::string body;
  std::uint64_t content_length = 0;
  bool has_content_length = true;
  bool cut = false;  ///< the connection was cut in mid-body
  int replies = 0;   ///< exactly one per request

  /// Value of a header line, "" if it is not there.
  [[nodiscard]] std::string header(std::string_view lower) const;
  /// Text of the first <name> element of the body.
  [[nodiscard]] std::string element(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> elements(std::string_view name) const;
  [[nodiscard]] std::string code() const { return element("Code"); }
};

/// Time that stands still until a test moves it.
class TestClock final : public Clock {
 public:
  static constexpr std::int64_t kStart = 1'796'040'000'000;  // 2026-11-30T12:00:00Z
  [[nodiscard]] std::int64_t wall_ms() const override { return now_; }
  [[nodiscard]] Steady steady() const override { return Steady{std::chrono::milliseconds(now_)}; }
  void advance_ms(std::int64_t by) { now_ += by; }

 private:
  std::int64_t now_ = kStart;
};

/// Counts how reads went.
class ReadCounts final : public RequestObserver {
 public:
  void request_done(const RequestRecord& /*record*/) override {}
  void read_took(ReadPath path) override { ++counts_[static_cast<std::size_t>(path)]; }
  [[nodiscard]] int operator[](ReadPath path) const {
    return counts_[static_cast<std::size_t>(path)];
  }

 private:
  std::array<int, kReadPaths> counts_{};
};

/// How a body reaches the server.
struct Delivery {
  std::size_t piece_bytes = 16384;            ///< per read
  std::optional<std::size_t> breaks_after{};  ///< the peer goes away after so many bytes
};

/// S3Service on a memory store, without sockets: alice and bob have credentials, requests go
/// through the real head parser and framing rules.
class S3UnderTest {
 public:
  static constexpr const char* kAmzDate = "20261130T120000Z";

  explicit S3UnderTest(ServiceOptions options = {}, std::uint64_t store_bytes_max = 256 * kMiB);
  /// The same over a CachedStore.
  static std::unique_ptr<S3UnderTest> cached();
  ~S3UnderTest();

  /// Sends a request exactly as it is.
  Response send(const Request& request, Delivery delivery = {});
  /// Asks the fast path first, as a connection does; `fast` says whether it answered.
  Response send_fast_first(const Request& request, bool& fast);
  /// Builds, signs as alice and sends.
  Response call(std::string method, std::string target, std::string body = {},
                Headers headers = {});
  Response call_as(const Credentials& who, std::string method, std::string target,
                   std::string body = {}, Headers headers = {});
  /// A request with Host and nothing else.
  [[nodiscard]] static Request request(std::string method, std::string target,
                                       std::string body = {}, Headers headers = {});

  [[nodiscard]] Signer signer() const { return Signer(alice(), kAmzDate); }
  [[nodiscard]] static Credentials alice() { return {"AKALICE", "alice-secret"}; }
  [[nodiscard]] static Credentials bob() { return {"AKBOB", "bob-secret"}; }

  void make_bucket(const std::string& name);
  /// Everything the store holds of a bucket: keys with sizes and tags, and open uploads.
  [[nodiscard]] std::string census(const std::string& bucket);

  [[nodiscard]] ObjectStore& store() { return *store_; }
  [[nodiscard]] TestClock& clock() { return clock_; }
  [[nodiscard]] S3Service& service() { return *service_; }
  /// Of a cached() one.
  [[nodiscard]] const ReadCounts& reads() const { return reads_; }

 private:
  TestClock clock_;
  ReadCounts reads_;
  SeededRng rng_{42};
  auth::CredentialStore credentials_;
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<auth::Authenticator> authenticator_;
  std::unique_ptr<metacache::CachedStore> cache_;
  std::unique_ptr<S3Service> service_;
};

}  // namespace mote::s3::test
