#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mote::net {

/// A statistic that many threads raise and one reads now and then: each thread adds to its own
/// cache line, the reader sums.
class Counter {
 public:
  void add(std::uint64_t amount = 1) noexcept {
    cells_[thread_cell()].value.fetch_add(amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum() const noexcept {
    std::uint64_t total = 0;
    for (const Cell& cell : cells_) {
      total += cell.value.load(std::memory_order_relaxed);
    }
    return total;
  }

 private:
  static constexpr std::size_t kCells = 16;
  struct alignas(64) Cell {
    std::atomic<std::uint64_t> value{0};
  };
  static std::size_t thread_cell() noexcept {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kCells;
    return mine;
  }
  std::array<Cell, kCells> cells_;
};

/// What the connections of one server count.
struct NetStats {
  Counter connections_opened;
  Counter connections_closed;
  Counter connections_refused;  ///< over the limit
  Counter requests;
  Counter requests_fast;     ///< answered by answer_now
  Counter requests_refused;  ///< framing or limits
  Counter bytes_received;
  Counter bytes_sent;
  Counter timeouts;
  Counter tls_handshakes;
  Counter tls_failures;  ///< handshakes that did not end
};

}  // namespace mote::net
