#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/load/connection.h"
#include "bench/load/histogram.h"
#include "bench/load/scenario.h"
#include "bench/load/signer.h"
#include "bench/load/target.h"
#include "erasure/base/rng.h"

namespace mote::bench {

/// What one kind of operation came to.
struct OpResult {
  Histogram latency;
  std::uint64_t errors = 0;     ///< wrong status, wrong body, lost connection
  std::uint64_t not_found = 0;  ///< 404s, reported apart: fast and useless
  std::uint64_t bytes = 0;
  std::string first_error;
};
using Results = std::array<OpResult, kOpKinds>;

/// Bytes of an object: incompressible, the same for the same key and size, so that every GET can be
/// checked.
class Bodies {
 public:
  Bodies(std::uint64_t bytes, std::uint64_t seed);
  [[nodiscard]] std::string_view of(std::uint64_t key) const;

 private:
  std::uint64_t bytes_;
  std::string pool_;
};

/// One thread: an epoll over its share of the connections.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  Worker(const Scenario& scenario, const Endpoint& endpoint, const Bodies& bodies, unsigned index);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Puts keys [first, last); false with results().first_error set if a put fails.
  bool fill(std::uint64_t first, std::uint64_t last);
  /// Runs the scenario; only what starts at or after `measure_from` is recorded.
  void run(Clock::time_point measure_from, Clock::time_point until);
  [[nodiscard]] const Results& results() const { return results_; }

 private:
  struct Slot {
    Connection connection;
    OpKind kind = OpKind::get;
    std::uint64_t key = 0;
    Clock::time_point due;
    bool busy = false;
  };
  bool connect(Slot& slot);
  void begin(Slot& slot, OpKind kind, std::uint64_t key, Clock::time_point due);
  void finish(Slot& slot, Clock::time_point measure_from);
  void fail(Slot& slot, const std::string& what, Clock::time_point measure_from);
  [[nodiscard]] std::string judge(const Slot& slot) const;
  OpKind pick();
  void poll(Clock::time_point measure_from, int timeout_ms);

  const Scenario& scenario_;
  const Endpoint& endpoint_;
  const Bodies& bodies_;
  Signer signer_;
  SeededRng rng_;
  int epoll_ = -1;
  unsigned weight_sum_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  Results results_;
};

}  // namespace mote::bench
