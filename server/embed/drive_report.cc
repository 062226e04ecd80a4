#include "server/embed/drive_report.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace mote {

std::string drives_json(const StoreStatus& status) {
  namespace json = boost::json;
  json::array drives;
  for (const DriveStatus& drive : status.drives) {
    drives.push_back(json::object{{"path", drive.path},
                                  {"set", drive.set},
                                  {"slot", drive.slot},
                                  {"state", std::string(to_string(drive.state))},
                                  {"reason", drive.reason},
                                  {"total_bytes", drive.total_bytes},
                                  {"free_bytes", drive.free_bytes},
                                  {"heal_keys_done", drive.heal_keys_done}});
  }
  const json::object report{{"ready", status.ready},
                            {"readable", status.readable},
                            {"degraded", status.degraded},
                            {"drives", std::move(drives)}};
  return json::serialize(report) + "\n";
}

std::string drives_text(const StoreStatus& status) {
  std::string text = fmt::format("{}, {}\n", status.ready ? "ready" : "not ready",
                                 status.degraded ? "degraded" : "healthy");
  for (const DriveStatus& drive : status.drives) {
    text += fmt::format("set {} slot {:2}  {:8} {:6} GiB free  {}{}{}\n", drive.set, drive.slot,
                        to_string(drive.state), drive.free_bytes / kGiB, drive.path,
                        drive.reason.empty() ? "" : "  ", drive.reason);
  }
  return text;
}

}  // namespace mote
