#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "erasure/base/result.h"
#include "erasure/meta/commit_seq.h"

namespace mote::erasure {

/// Position of a drive in its set, 0 to k+m-1.
using Slot = std::uint8_t;
inline constexpr unsigned kSlotsMax = 16;  ///< drives of one set (design.md section 4)

/// A set of slots.
class SlotSet {
 public:
  constexpr SlotSet() = default;
  constexpr explicit SlotSet(std::uint32_t bits) : bits_(bits) {}
  constexpr SlotSet(std::initializer_list<Slot> slots) {
    for (const Slot slot : slots) {
      add(slot);
    }
  }
  /// Slots 0 to count-1.
  static constexpr SlotSet first(unsigned count) { return SlotSet((1U << count) - 1U); }

  constexpr void add(Slot slot) { bits_ |= 1U << slot; }
  constexpr void remove(Slot slot) { bits_ &= ~(1U << slot); }
  [[nodiscard]] constexpr bool has(Slot slot) const { return ((bits_ >> slot) & 1U) != 0; }
  [[nodiscard]] constexpr unsigned size() const {
    return static_cast<unsigned>(std::popcount(bits_));
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool subset_of(SlotSet other) const {
    return (bits_ & ~other.bits_) == 0;
  }

  friend constexpr SlotSet operator|(SlotSet a, SlotSet b) { return SlotSet(a.bits_ | b.bits_); }
  friend constexpr SlotSet operator&(SlotSet a, SlotSet b) { return SlotSet(a.bits_ & b.bits_); }
  friend constexpr SlotSet operator-(SlotSet a, SlotSet b) { return SlotSet(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(SlotSet, SlotSet) = default;

 private:
  std::uint32_t bits_ = 0;
};

/// "{0,2,3}", for logs and messages that name drives.
std::string to_string(SlotSet slots);

/// Data and parity drives of a set: 1 <= k, m <= k, k + m <= kSlotsMax. (codec/geometry.h has the
/// name Geometry in this namespace, and set/ includes both.)
struct SetGeometry {
  std::uint8_t k = 1;
  std::uint8_t m = 0;

  [[nodiscard]] constexpr unsigned drives() const { return static_cast<unsigned>(k) + m; }
  friend constexpr bool operator==(const SetGeometry&, const SetGeometry&) = default;
};

[[nodiscard]] constexpr bool is_valid(SetGeometry geometry) {
  return geometry.k >= 1 && geometry.m <= geometry.k && geometry.drives() <= kSlotsMax;
}

/// W, the fewest drives that may acknowledge: max(k, m+1). Any m of them may be lost and one is
/// left that remembers; k of them decode.
[[nodiscard]] constexpr unsigned write_quorum(SetGeometry geometry) {
  const unsigned survivors = static_cast<unsigned>(geometry.m) + 1;
  return geometry.k > survivors ? geometry.k : survivors;
}

/// The numbered record that says who takes part (storage.md 3.3). It governs every sequence from
/// `seq` on (itself included) until the next record, and is effective once all its members have
/// synced it. `current`, `healing` and `away` are disjoint and together are all slots of the set.
struct Configuration {
  CommitSeq seq;    ///< its own number in the set's order
  CommitSeq end;    ///< last sequence of *earlier epochs* that counts; beyond it they are void.
                    ///< The same in all configurations of one epoch; set by recovery.
  SlotSet current;  ///< take commits, count to W, are trusted about what is not there
  SlotSet healing;  ///< take commits, count to W, are not trusted
  SlotSet away;     ///< take nothing

  [[nodiscard]] constexpr SlotSet members() const { return current | healing; }
  friend constexpr bool operator==(const Configuration&, const Configuration&) = default;
};

std::string to_string(const Configuration& configuration);

/// The payload of a cfg entry: 40 bytes, little-endian (log_format.h has the layout).
std::string encode(const Configuration& configuration);
/// Errors: corrupt (length, overlapping sets, slots out of range, no current drive), unsupported
/// (format version).
Result<Configuration> decode_configuration(ByteView bytes);

/// The configuration of a set that was just formatted: epoch 1, n 1, every drive current.
Configuration first_configuration(SetGeometry geometry);

/// True if `configuration` without `slot` still has W members and a current one. False also if
/// `slot` is no member. When false and the drive does not answer, the set freezes (storage.md 3.4
/// rule 6).
bool may_expel(SetGeometry geometry, const Configuration& configuration, Slot slot);

/// The successors of `last`, which REQUIRES to be the newest configuration that was enqueued
/// (effective or not), each to be enqueued under number `seq` > last.seq, seq.epoch ==
/// last.seq.epoch, to all members of the result *and of no other drive*:
/// - expel: `slot` goes from member to away. REQUIRES may_expel().
/// - join: `slot` goes from away to healing. REQUIRES that everything before `seq` is decided
///   (DecisionTracker::drained()), because the joining drive's fresh log begins here.
/// - promote: `slot` goes from healing to current, after its heal is complete and flushed.
Configuration next_configuration_expel(const Configuration& last, CommitSeq seq, Slot slot);
Configuration next_configuration_join(const Configuration& last, CommitSeq seq, Slot slot);
Configuration next_configuration_promote(const Configuration& last, CommitSeq seq, Slot slot);

}  // namespace mote::erasure
