#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "erasure/base/byte_io.h"

namespace mote::erasure {

/// The number of a commit (or of a configuration record) in the one order of its set. `n` is dense
/// within an epoch and starts at 1; a new epoch begins with every recovery. Never reused. The
/// default value {0, 0} lies before everything.
struct CommitSeq {
  std::uint32_t epoch = 0;
  std::uint64_t n = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero of <=> for a pointer
  friend constexpr auto operator<=>(const CommitSeq&, const CommitSeq&) = default;
  /// The number after this one in the same epoch.
  [[nodiscard]] constexpr CommitSeq next() const noexcept { return {epoch, n + 1}; }
  /// The number before this one in the same epoch; n == 0 (before the epoch's first) stays.
  [[nodiscard]] constexpr CommitSeq prior() const noexcept { return {epoch, n == 0 ? 0 : n - 1}; }
  [[nodiscard]] constexpr bool is_zero() const noexcept { return epoch == 0 && n == 0; }
};

/// Bytes of a sequence in keys: epoch 4, n 8, both big-endian, so that byte order is commit order.
inline constexpr std::size_t kCommitSeqKeyBytes = 12;

inline void append_commit_seq(std::string& out, CommitSeq seq) {
  append_big_endian(out, seq.epoch);
  append_big_endian(out, seq.n);
}

/// Decodes the first 12 bytes. REQUIRES in.size() >= kCommitSeqKeyBytes.
inline CommitSeq read_commit_seq(std::string_view in) {
  return {read_big_endian<std::uint32_t>(in.substr(0, 4)),
          read_big_endian<std::uint64_t>(in.substr(4, 8))};
}

/// "epoch.n", for logs and test failures.
inline std::string to_string(CommitSeq seq) {
  return std::to_string(seq.epoch) + "." + std::to_string(seq.n);
}

}  // namespace mote::erasure
