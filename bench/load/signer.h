#pragma once

#include <string>
#include <string_view>

namespace mote::bench {

/// Signs requests with SigV4 in headers, UNSIGNED-PAYLOAD or the hash of nothing. One per thread;
/// the signing key is derived once a day.
class Signer {
 public:
  Signer(std::string host, std::string access_key, std::string secret_key, std::string region);

  /// Appends a complete request head with its empty line. `path` is already percent-encoded;
  /// `query` is canonical (sorted, encoded), empty for none.
  void append_request(std::string& out, std::string_view method, std::string_view path,
                      std::string_view query, std::size_t body_bytes);

 private:
  void refresh_time();

  std::string host_;
  std::string access_key_;
  std::string secret_key_;
  std::string region_;
  std::string day_;    // 20261130
  std::string stamp_;  // 20261130T120000Z
  std::string key_;    // signing key of day_
  std::int64_t stamp_seconds_ = 0;
  std::string canonical_;
  std::string to_sign_;
};

}  // namespace mote::bench
