#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace mote::erasure {

/// Counts the operations in flight, so that closing can refuse new ones and wait for the old.
/// Thread-safe. Outlives its tickets.
class Gate {
 public:
  /// One operation in flight, from its start to its destruction.
  class Ticket {
   public:
    Ticket() = default;
    ~Ticket() { leave(); }
    Ticket(Ticket&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Ticket& operator=(Ticket&& other) noexcept {
      if (this != &other) {
        leave();
        gate_ = std::exchange(other.gate_, nullptr);
      }
      return *this;
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    void leave() {
      if (Gate* gate = std::exchange(gate_, nullptr)) {
        gate->leave();
      }
    }

   private:
    friend class Gate;
    explicit Ticket(Gate* gate) : gate_(gate) {}
    Gate* gate_ = nullptr;
  };

  /// nullopt once closed.
  [[nodiscard]] std::optional<Ticket> enter();
  void close();
  /// True once nothing is in flight; false if that took longer than `timeout`. Blocks.
  bool wait_idle(std::chrono::milliseconds timeout);

 private:
  void leave();

  std::mutex mutex_;
  std::condition_variable idle_;
  std::uint64_t inside_ = 0;
  bool closed_ = false;
};

}  // namespace mote::erasure
