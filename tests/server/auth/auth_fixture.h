#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/clock.h"
#include "server/auth/authenticator.h"
#include "server/http/date.h"
#include "server/http/head_parser.h"
#include "server/http/host.h"

/// Lets CHECK(outcome) print the refusal instead of looking for an operator<<.
template <class T>
struct doctest::StringMaker<mote::auth::Outcome<T>> {
  static String convert(const mote::auth::Outcome<T>& outcome) {
    return outcome ? "success"
                   : (std::string(outcome.error().code) + ": " + outcome.error().message).c_str();
  }
};

namespace mote::auth {

/// A wall clock that stands where a test puts it.
class StillClock final : public Clock {
 public:
  explicit StillClock(std::string_view amz_date = "20130524T000000Z") { set(amz_date); }
  void set(std::string_view amz_date) { seconds_ = http::parse_amz_date(amz_date).value(); }
  void advance(std::int64_t seconds) { seconds_ += seconds; }
  [[nodiscard]] std::int64_t seconds() const { return seconds_; }
  [[nodiscard]] std::int64_t wall_ms() const override { return seconds_ * 1000; }
  [[nodiscard]] Steady steady() const override { return {}; }

 private:
  std::int64_t seconds_ = 0;
};

// The credentials of every example in AWS's documentation.
inline constexpr std::string_view kExampleKey = "AKIAIOSFODNN7EXAMPLE";
inline constexpr std::string_view kExampleSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

inline std::vector<Credential> example_credentials() {
  std::vector<Credential> credentials;
  credentials.push_back({{std::string(kExampleKey), "owner-id", "Owner", "owner@example.com"},
                         Secret(std::string(kExampleSecret))});
  return credentials;
}

/// A request of a test: its head as raw text, parsed as the server parses it.
class TestRequest {
 public:
  TestRequest(std::string_view method, std::string_view target,
              std::vector<std::pair<std::string, std::string>> fields)
      : method_(method), target_text_(target), fields_(std::move(fields)) {
    build();
  }
  TestRequest(const TestRequest& other)
      : TestRequest(other.method_, other.target_text_, other.fields_) {}
  TestRequest& operator=(const TestRequest&) = delete;

  [[nodiscard]] TestRequest with(std::string_view name, std::string_view value) const {
    auto fields = fields_;
    fields.emplace_back(name, value);
    return {method_, target_text_, std::move(fields)};
  }
  /// The field's value replaced; REQUIRES that it is there.
  [[nodiscard]] TestRequest replacing(std::string_view name, std::string_view value) const {
    auto fields = fields_;
    bool found = false;
    for (auto& field : fields) {
      if (field.first == name) {
        field.second = value;
        found = true;
      }
    }
    REQUIRE(found);
    return {method_, target_text_, std::move(fields)};
  }
  [[nodiscard]] TestRequest without(std::string_view name) const {
    auto fields = fields_;
    std::erase_if(fields, [name](const auto& field) { return field.first == name; });
    REQUIRE(fields.size() < fields_.size());
    return {method_, target_text_, std::move(fields)};
  }
  [[nodiscard]] TestRequest with_target(std::string_view target) const {
    return {method_, target, fields_};
  }
  [[nodiscard]] TestRequest with_method(std::string_view method) const {
    return {method, target_text_, fields_};
  }

  [[nodiscard]] std::string_view field(std::string_view name) const {
    return head_.headers.get(name);
  }
  [[nodiscard]] const std::string& target_text() const { return target_text_; }
  [[nodiscard]] const http::RequestHead& head() const { return head_; }
  [[nodiscard]] const http::Target& target() const { return target_; }

 private:
  void build() {
    raw_ = method_ + " " + target_text_ + " HTTP/1.1\r\n";
    for (const auto& [name, value] : fields_) {
      raw_.append(name).append(": ").append(value).append("\r\n");
    }
    raw_ += "\r\n";
    REQUIRE_FALSE(http::parse_head(raw_, head_));
    REQUIRE_FALSE(target_.parse(head_.target));
  }

  std::string method_;
  std::string target_text_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::string raw_;
  http::RequestHead head_;
  http::Target target_;
};

/// An authenticator with the example credentials and a clock at the examples' date.
struct AuthBench {
  explicit AuthBench(std::optional<std::string> region = std::nullopt)
      : authenticator({std::move(region)}, store, clock) {}

  [[nodiscard]] Outcome<Verified> run(const TestRequest& request,
                                      std::string_view host_bucket = {}) const {
    return authenticator.authenticate({request.head(), request.target(), host_bucket});
  }
  /// The S3 code of the refusal, "" if there is none.
  [[nodiscard]] std::string code(const TestRequest& request,
                                 std::string_view host_bucket = {}) const {
    const auto verified = run(request, host_bucket);
    return verified ? std::string() : std::string(verified.error().code);
  }

  StillClock clock;
  CredentialStore store{example_credentials()};
  Authenticator authenticator;
};

/// Signs as a client would, independently of the order of checks in the server: for building
/// variants.
struct Signer {
  std::string access_key{kExampleKey};
  std::string secret{kExampleSecret};
  std::string date = "20130524T000000Z";
  std::string scope_date = "20130524";
  std::string region = "us-east-1";
  std::string service = "s3";
  std::string terminal = "aws4_request";
  std::string payload_hash = "UNSIGNED-PAYLOAD";
  std::string signed_headers = "host;x-amz-content-sha256;x-amz-date";

  [[nodiscard]] std::string scope() const {
    return scope_date + "/" + region + "/" + service + "/" + terminal;
  }
  /// Signature of the request for a canonical query without X-Amz-Signature.
  [[nodiscard]] std::string signature(const TestRequest& request, bool presigned) const;
  /// The request with x-amz-date, x-amz-content-sha256 and Authorization added.
  [[nodiscard]] TestRequest sign(const TestRequest& request) const;
  /// The request with X-Amz-* parameters added; `expires` as text so that it may be wrong.
  [[nodiscard]] TestRequest presign(const TestRequest& request,
                                    std::string_view expires = "86400") const;
};

/// A value among the extra elements of a failure, "" if there is none.
inline std::string extra(const Failure& failure, std::string_view name) {
  for (const auto& [key, value] : failure.extra) {
    if (key == name) {
      return value;
    }
  }
  return {};
}

}  // namespace mote::auth
