#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace mote::bench {

/// Latency counts in log-linear buckets: 64 per power of two, so a reported value is at most 1.6 %
/// above the true one, from 1 ns to over an hour, in 16 KiB.
class Histogram {
 public:
  void record(std::uint64_t ns) noexcept {
    ++counts_[bucket_of(ns)];
    ++total_;
    sum_ += ns;
    max_ = ns > max_ ? ns : max_;
  }
  void merge(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
    total_ += other.total_;
    sum_ += other.sum_;
    max_ = other.max_ > max_ ? other.max_ : max_;
  }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t max_ns() const noexcept { return max_; }
  [[nodiscard]] double mean_ns() const noexcept {
    return total_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(total_);
  }
  /// Smallest value that at least `share` (0..1) of the recorded ones do not exceed.
  [[nodiscard]] std::uint64_t quantile_ns(double share) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted && seen > 0) {
        return upper_of(i);
      }
    }
    return max_;
  }

 private:
  static constexpr unsigned kSubBits = 6;
  static constexpr std::size_t kBuckets = (44 - kSubBits) << kSubBits;

  static std::size_t bucket_of(std::uint64_t ns) noexcept {
    const auto width = static_cast<unsigned>(std::bit_width(ns | 1));
    if (width <= kSubBits + 1) {
      return static_cast<std::size_t>(ns);
    }
    const unsigned shift = width - kSubBits - 1;
    const std::size_t index =
        (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(ns >> shift);
    return index < kBuckets ? index : kBuckets - 1;
  }
  static std::uint64_t upper_of(std::size_t index) noexcept {
    if (index < (std::size_t{2} << kSubBits)) {
      return index;
    }
    const std::size_t shift = (index >> kSubBits) - 1;
    const std::size_t base = index - (shift << kSubBits);
    return ((base + 1) << shift) - 1;
  }

  std::array<std::uint64_t, kBuckets> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace mote::bench
