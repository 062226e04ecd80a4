#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "erasure/base/bytes.h"
#include "erasure/base/result.h"

namespace mote::erasure {

/// The tables of a drive's index; the numbers are on disk (in the log). storage.md 3.2.
enum class Family : std::uint8_t { sys = 0, obj = 1, ver = 2, pay = 3, mpu = 4, gc = 5 };
inline constexpr std::size_t kFamilyCount = 6;

/// The redo rows of one commit on one drive: what its log carries and its index applies. Complete
/// and physical, so that applying twice is applying once.
class RowBatch {
 public:
  void put(Family family, std::string_view key, std::string_view value);
  /// A put whose value comes in two pieces (record, inline shard), to save the caller a copy.
  void put(Family family, std::string_view key, std::string_view value, ByteView tail);
  void erase(Family family, std::string_view key);
  [[nodiscard]] const std::string& encoded() const noexcept { return encoded_; }
  [[nodiscard]] std::string take() && noexcept { return std::move(encoded_); }
  [[nodiscard]] bool empty() const noexcept { return encoded_.empty(); }

  /// Calls `put(family, key, value)` or `erase(family, key)` for each row in order. corrupt if the
  /// bytes are not a whole batch; rows before the fault were visited.
  template <class Put, class Erase>
  static Status visit(ByteView encoded, Put&& put, Erase&& erase);

 private:
  enum class Kind : std::uint8_t { put = 1, erase = 2 };
  void append_head(Kind kind, Family family, std::string_view key);
  struct Row {
    Kind kind = Kind::put;
    Family family = Family::sys;
    std::string_view key;
    std::string_view value;
  };
  static Result<Row> next(ByteView& rest);

  std::string encoded_;
};

template <class Put, class Erase>
Status RowBatch::visit(ByteView encoded, Put&& put, Erase&& erase) {
  while (!encoded.empty()) {
    const Result<Row> row = next(encoded);
    if (!row) {
      return row.error();
    }
    if (row->kind == Kind::put) {
      put(row->family, row->key, row->value);
    } else {
      erase(row->family, row->key);
    }
  }
  return ok();
}

}  // namespace mote::erasure
