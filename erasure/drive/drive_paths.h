#pragma once

#include <string>

namespace mote::erasure {

// Names below a drive's root (storage.md 3.1). Used by Drive only.

[[nodiscard]] inline std::string label_path(const std::string& drive) {
  return drive + "/.sys/format";
}
[[nodiscard]] inline std::string label_backup_path(const std::string& drive) {
  return drive + "/.sys/format.bak";
}
[[nodiscard]] inline std::string lock_path(const std::string& drive) {
  return drive + "/.sys/lock";
}
/// There while the first format is not finished.
[[nodiscard]] inline std::string formatting_path(const std::string& drive) {
  return drive + "/.sys/formatting";
}
[[nodiscard]] inline std::string index_path(const std::string& drive) {
  return drive + "/db";
}
[[nodiscard]] inline std::string shards_path(const std::string& drive) {
  return drive + "/shards";
}

}  // namespace mote::erasure
