#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/auth/failure.h"

namespace mote::auth {

/// The fields of a form upload in the order they came, names in lower case, each once.
using FormFields = std::vector<std::pair<std::string, std::string>>;

/// The value of a field, nullopt if it is not there. `lower` in lower case.
[[nodiscard]] std::optional<std::string_view> find_field(const FormFields& fields,
                                                         std::string_view lower) noexcept;

/// What a form may contain, as its signer wrote it (AWS "Creating a POST policy"). Immutable.
class PostPolicy {
 public:
  /// Reads the policy field as it was sent: base64 of a JSON object of `expiration` and
  /// `conditions`. InvalidPolicyDocument (400); AccessDenied once it has expired.
  [[nodiscard]] static Outcome<PostPolicy> read(std::string_view base64, std::int64_t now_ms);

  /// Holds the form against every condition, and every field against the conditions: what no
  /// condition names is refused, but for the signature itself, the policy, the file and
  /// `x-ignore-*`. `bucket` is the one the request addresses; it must be named by a condition.
  /// AccessDenied.
  [[nodiscard]] std::optional<Failure> check_fields(const FormFields& fields,
                                                    std::string_view bucket) const;
  /// content-length-range. EntityTooSmall, EntityTooLarge.
  [[nodiscard]] std::optional<Failure> check_length(std::uint64_t file_bytes) const;
  /// The longest file that check_length lets pass.
  [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }

 private:
  enum class Match : std::uint8_t { equal, starts_with };
  struct Condition {
    Match match = Match::equal;
    std::string field;  ///< lower case, without the dollar sign
    std::string value;
    std::string text;  ///< as the policy has it, for the refusal
  };
  struct Reader;

  [[nodiscard]] bool names(std::string_view field) const noexcept;
  [[nodiscard]] static bool holds(const Condition& condition, std::string_view value) noexcept;

  std::vector<Condition> conditions_;
  std::uint64_t bytes_min_ = 0;
  std::uint64_t bytes_max_ = UINT64_MAX;
};

}  // namespace mote::auth
