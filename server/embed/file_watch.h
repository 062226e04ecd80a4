#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mote {

/// Tells when files were replaced or written, by looking at them now and then: this also sees what
/// stands behind symbolic links, as orchestrators swap them. Starts on construction.
class FileWatch {
 public:
  /// `changed` is called on the watch's own thread, once for all that changed between two looks.
  FileWatch(std::vector<std::string> paths, std::chrono::milliseconds interval,
            std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

 private:
  void run();
  [[nodiscard]] std::string look() const;

  const std::vector<std::string> paths_;
  const std::chrono::milliseconds interval_;
  const std::function<void()> changed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::string seen_;
  std::thread thread_;  // last: uses all of the above
};

}  // namespace mote
