#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "server/http/limits.h"

namespace mote::http {

/// True if `text` equals `lower` (already lower-case ASCII) but for the case of ASCII letters.
[[nodiscard]] bool equals_ignore_case(std::string_view text, std::string_view lower) noexcept;
/// True if `text` begins with `lower` (already lower-case ASCII), ignoring case.
[[nodiscard]] bool starts_with_ignore_case(std::string_view text, std::string_view lower) noexcept;
/// Removes blanks and tabs (OWS, RFC 9110 §5.6.3) at both ends.
[[nodiscard]] std::string_view trim_ows(std::string_view text) noexcept;

struct HeaderField {
  std::string_view name;   ///< as sent
  std::string_view value;  ///< without OWS at the ends
};

/// The fields of one head in the order they came. Holds views only: the bytes belong to whoever
/// filled it and outlive it. clear() keeps the memory, so that a reused map allocates nothing. Not
/// thread-safe.
class HeaderMap {
 public:
  HeaderMap() { fields_.reserve(kTypicalFields); }

  /// Appends a field; false and no change once kHeaderFieldsMax fields are there.
  bool add(std::string_view name, std::string_view value);
  void clear() noexcept;

  /// Value of the first field of that name (`lower` in lower case), nullopt if there is none. A
  /// header that matters twice is refused before anybody reads it (see count()), so first is also
  /// last.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view lower) const noexcept;
  /// As find(), with an empty view for a missing field.
  [[nodiscard]] std::string_view get(std::string_view lower) const noexcept;
  [[nodiscard]] bool contains(std::string_view lower) const noexcept {
    return find(lower).has_value();
  }
  [[nodiscard]] std::size_t count(std::string_view lower) const noexcept;
  /// Calls `visit(value)` for each field of that name, in order.
  template <class F>
  void find_all(std::string_view lower, F&& visit) const {
    if (!length_seen(lower.size())) {
      return;
    }
    for (const HeaderField& field : fields_) {
      if (equals_ignore_case(field.name, lower)) {
        visit(field.value);
      }
    }
  }
  [[nodiscard]] std::span<const HeaderField> fields() const noexcept { return fields_; }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

 private:
  static constexpr std::size_t kTypicalFields = 32;

  [[nodiscard]] bool length_seen(std::size_t length) const noexcept {
    return (lengths_ >> (length % 64) & 1U) != 0;
  }

  std::vector<HeaderField> fields_;
  std::uint64_t lengths_ =
      0;  // bit n: a name of length n (mod 64) is there; makes most misses free
};

}  // namespace mote::http
