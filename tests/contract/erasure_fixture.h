#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "erasure/base/thread_scheduler.h"
#include "erasure/erasure_store.h"
#include "erasure/io/posix_vfs.h"
#include "tests/contract/store_fixture.h"
#include "tests/sim/sim_fs.h"
#include "tests/sim/sim_scheduler.h"

namespace mote::contract {

/// A directory of its own, removed at the end.
class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "mote-store-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = name;
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Options that suit tests: small logs and caches, short waits.
inline ErasureOptions small_options(unsigned k, unsigned m, const std::string& root) {
  ErasureOptions options;
  for (unsigned i = 0; i < k + m; ++i) {
    options.drives.push_back(root + "/d" + std::to_string(i));
  }
  options.parity = m;
  options.block_cache_bytes = 4 * kMiB;
  options.write_buffer_bytes = 16 * kMiB;
  options.log_segment_bytes = 4 * kMiB;
  options.garbage_grace = std::chrono::milliseconds(200);
  options.garbage_period = std::chrono::milliseconds(100);
  options.readmit_every = std::chrono::milliseconds(10);  // doubles with every loss
  return options;
}

/// Object sizes around every border of a geometry: record, payload, file, inline, stripe, each ± 1.
inline std::vector<std::uint64_t> border_sizes(unsigned k, const ErasureOptions& options) {
  std::vector<std::uint64_t> sizes = {0, 1, 100};
  for (const std::uint64_t border : {options.record_shard_max * k, options.payload_shard_max * k,
                                     options.inline_bytes_max, kMiB, 2 * kMiB}) {
    for (const std::uint64_t size : {border - 1, border, border + 1}) {
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        sizes.push_back(size);
      }
    }
  }
  return sizes;
}

/// An erasure store on real files and real threads.
class DiskFixture : public StoreFixture {
 public:
  DiskFixture(unsigned k, unsigned m) : DiskFixture(k, m, [](ErasureOptions&) {}) {}
  template <class Adjust>
  DiskFixture(unsigned k, unsigned m, Adjust adjust,
              std::unique_ptr<erasure::Vfs> vfs = std::make_unique<erasure::PosixVfs>())
      : directory_(),
        k_(k),
        vfs_(std::move(vfs)),
        options_(small_options(k, m, directory_.path())) {
    adjust(options_);
    open();
  }
  ~DiskFixture() override { close(); }

  [[nodiscard]] ObjectStore& store() override { return *store_; }
  [[nodiscard]] std::vector<std::uint64_t> sizes() const override {
    std::vector<std::uint64_t> sizes = StoreFixture::sizes();
    for (const std::uint64_t size : border_sizes(k_, options_)) {
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        sizes.push_back(size);
      }
    }
    return sizes;
  }
  [[nodiscard]] const ErasureOptions& options() const { return options_; }
  [[nodiscard]] const std::string& drive(unsigned i) const { return options_.drives[i]; }
  [[nodiscard]] ThreadScheduler& scheduler() { return scheduler_; }

  Status try_open() {
    std::string problem;
    Result<std::unique_ptr<ObjectStore>> opened =
        open_erasure_store(options_, {*vfs_, scheduler_, clock_, rng_}, &problem);
    if (!opened) {
      return opened.error();
    }
    store_ = *std::move(opened);
    return ok();
  }
  void open() {
    const Status opened = try_open();
    if (!opened) {
      throw std::runtime_error(describe(opened.error()));
    }
  }
  void close() {
    if (store_) {
      store_->close();
      store_.reset();
    }
  }

 private:
  TempDirectory directory_;
  const unsigned k_;
  std::unique_ptr<erasure::Vfs> vfs_;
  ErasureOptions options_;
  SystemClock clock_;
  SystemRng rng_;
  ThreadScheduler scheduler_;
  std::unique_ptr<ObjectStore> store_;
};

/// An erasure store on a simulated file system, driven by one seeded thread.
class SimFixture : public StoreFixture {
 public:
  SimFixture(unsigned k, unsigned m, std::uint64_t seed)
      : k_(k), scheduler_(seed), rng_(seed), options_(small_options(k, m, "/sim")) {
    options_.deterministic = true;
    options_.log_segment_bytes = 256 * kKiB;
    for (const std::string& drive : options_.drives) {
      fs_.add_drive(drive);
    }
    open();
  }
  ~SimFixture() override {
    if (store_) {
      store_->close();
      store_.reset();
    }
  }

  [[nodiscard]] ObjectStore& store() override { return *store_; }
  bool pump() override {
    if (!scheduler_.step()) {
      scheduler_.run_for(std::chrono::milliseconds(10));
    }
    return true;
  }
  [[nodiscard]] bool threads() const override { return false; }
  [[nodiscard]] std::vector<std::uint64_t> sizes() const override {
    return border_sizes(k_, options_);
  }

  void open() {
    std::string problem;
    Result<std::unique_ptr<ObjectStore>> opened =
        open_erasure_store(options_, {fs_, scheduler_, scheduler_.clock(), rng_}, &problem);
    if (!opened) {
      throw std::runtime_error(describe(opened.error()) + ": " + problem);
    }
    store_ = *std::move(opened);
  }

 private:
  const unsigned k_;
  sim::SimScheduler scheduler_;
  SeededRng rng_;
  sim::SimFs fs_;
  ErasureOptions options_;
  std::unique_ptr<ObjectStore> store_;
};

}  // namespace mote::contract
