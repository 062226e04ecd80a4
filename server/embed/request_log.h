#pragma once

#include <array>
#include <cstdio>
#include <mutex>
#include <string>

#include "erasure/base/clock.h"
#include "server/net/counter.h"
#include "server/s3/handlers/service.h"

namespace mote {

/// Counts requests by outcome, writes one line for each that the server failed, and, where asked
/// for, one JSON line for each at all. Keys and addresses are escaped; no header, query or secret
/// is written.
class RequestLog final : public s3::RequestObserver {
 public:
  /// `access_log`: a file to append to, "-" for stdout, empty for none. ok() tells whether it
  /// opened.
  RequestLog(const std::string& access_log, const Clock& clock);
  ~RequestLog() override;
  RequestLog(const RequestLog&) = delete;
  RequestLog& operator=(const RequestLog&) = delete;

  [[nodiscard]] bool ok() const { return access_asked_ == (access_ != nullptr); }
  void request_done(const s3::RequestRecord& record) override;
  void read_took(s3::ReadPath path) override {
    counters_.reads[static_cast<std::size_t>(path)].add();
  }

  struct Counters {
    net::Counter client_errors;  ///< answered 4xx
    net::Counter server_errors;  ///< answered 5xx
    net::Counter successes;
    std::array<net::Counter, s3::kReadPaths> reads;  ///< GETs and HEADs, by s3::ReadPath
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  const Clock& clock_;
  bool access_asked_;
  std::FILE* access_ = nullptr;
  std::mutex mutex_;  // one line at a time
  Counters counters_;
};

}  // namespace mote
