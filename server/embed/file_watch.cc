#include "server/embed/file_watch.h"

#include <pthread.h>
#include <sys/stat.h>

#include <utility>

namespace mote {

FileWatch::FileWatch(std::vector<std::string> paths, std::chrono::milliseconds interval,
                     std::function<void()> changed)
    : paths_(std::move(paths)),
      interval_(interval),
      changed_(std::move(changed)),
      seen_(look()),
      thread_([this] { run(); }) {}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

/// All that changes when a file is written or replaced; equal texts mean equal files.
std::string FileWatch::look() const {
  std::string out;
  for (const std::string& path : paths_) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0) {
      out += std::to_string(info.st_dev) + "/" + std::to_string(info.st_ino) + "/" +
             std::to_string(info.st_size) + "/" + std::to_string(info.st_mtim.tv_sec) + "." +
             std::to_string(info.st_mtim.tv_nsec);
    }
    out += ";";
  }
  return out;
}

void FileWatch::run() {
  ::pthread_setname_np(::pthread_self(), "mote-watch");
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [this] { return stopping_; })) {
    std::string now = look();
    if (now != seen_) {
      seen_ = std::move(now);
      lock.unlock();
      changed_();
      lock.lock();
    }
  }
}

}  // namespace mote
