#include "server/embed/request_log.h"

#include <boost/json.hpp>

#include "server/http/date.h"

namespace mote {
namespace {

boost::json::object describe_record(const s3::RequestRecord& record, std::int64_t now_ms) {
  const auto text = [](std::string_view s) { return boost::json::string(s.data(), s.size()); };
  boost::json::object line{{"time", http::xml_date(now_ms)},
                           {"request_id", text(record.request_id)},
                           {"peer", text(record.peer_address)},
                           {"operation", text(record.operation)},
                           {"bucket", text(record.bucket)},
                           {"key", text(record.key)},
                           {"status", record.status}};
  if (!record.error_code.empty()) {
    line["error"] = text(record.error_code);
    line["message"] = text(record.error_message);
  }
  return line;
}

}  // namespace

RequestLog::RequestLog(const std::string& access_log, const Clock& clock)
    : clock_(clock), access_asked_(!access_log.empty()) {
  if (access_log == "-") {
    access_ = stdout;
  } else if (access_asked_) {
    access_ = std::fopen(access_log.c_str(), "ae");
  }
}

RequestLog::~RequestLog() {
  if (access_ != nullptr && access_ != stdout) {
    std::fclose(access_);
  }
}

void RequestLog::request_done(const s3::RequestRecord& record) {
  const bool failed = record.status >= 500;
  if (failed) {
    counters_.server_errors.add();
  } else if (record.status >= 400) {
    counters_.client_errors.add();
  } else {
    counters_.successes.add();
  }
  // 501 and 507 are answers, not failures of the server.
  const bool worth_a_line = failed && record.status != 501 && record.status != 507;
  if (!worth_a_line && access_ == nullptr) {
    return;
  }
  const std::string line = boost::json::serialize(describe_record(record, clock_.wall_ms())) + "\n";
  const std::lock_guard lock(mutex_);
  if (worth_a_line) {
    std::fputs(("mote: request failed: " + line).c_str(), stderr);
  }
  if (access_ != nullptr) {
    std::fputs(line.c_str(), access_);
    std::fflush(access_);
  }
}

}  // namespace mote
