#include "erasure/drive/index_rocksdb_env.h"

#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include <utility>

#include "erasure/drive/rocks_filesystem.h"

namespace mote::erasure {
namespace {

class NoOptionsFiles final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  [[nodiscard]] const char* Name() const override { return "MoteSimulated"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    if (name.substr(0, 8) == "OPTIONS-") {
      return rocksdb::IOStatus::NotSupported("no options files in simulated runs");
    }
    return FileSystemWrapper::NewWritableFile(path, options, result, debug);
  }
};

class SleeplessClock final : public rocksdb::SystemClockWrapper {
 public:
  SleeplessClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  [[nodiscard]] const char* Name() const override { return "MoteSleepless"; }
  void SleepForMicroseconds(int /*micros*/) override {}
};

class SimulatedEnv final : public rocksdb::EnvWrapper {
 public:
  explicit SimulatedEnv(Vfs& vfs)
      : EnvWrapper(rocksdb::NewCompositeEnv(
            std::make_shared<NoOptionsFiles>(make_rocks_filesystem(vfs)))) {
    system_clock_ = std::make_shared<SleeplessClock>();
  }
  [[nodiscard]] const char* Name() const override { return "MoteSimulatedEnv"; }
  void SleepForMicroseconds(int /*micros*/) override {}
};

}  // namespace

std::unique_ptr<rocksdb::Env> make_simulated_env(Vfs& vfs) {
  return std::make_unique<SimulatedEnv>(vfs);
}

}  // namespace mote::erasure
