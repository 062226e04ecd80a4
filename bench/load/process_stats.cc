#include "bench/load/process_stats.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace mote::bench {

ProcessStats read_process(int pid) {
  ProcessStats stats;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return stats;
  }
  std::istringstream fields(text.substr(name_end + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  stats.user_seconds = user / ticks;
  stats.system_seconds = system / ticks;
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      stats.peak_bytes = std::stoull(line.substr(6)) * 1024;
    }
  }
  return stats;
}

}  // namespace mote::bench
