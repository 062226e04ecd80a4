#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mote::http {

/// Why a request target is refused; all are 400 InvalidURI.
enum class TargetError : std::uint8_t {
  not_origin_form,  ///< does not begin with '/', or carries '#', a blank or a control character
  bad_escape,       ///< '%' without two hex digits
  nul_byte,         ///< %00 or NUL
  invalid_utf8,
  too_many_params,
};

/// One parameter of a query, decoded and as sent.
struct QueryParam {
  std::string_view name;       ///< decoded
  std::string_view value;      ///< decoded; empty for `?uploads` and `?uploads=` alike
  std::string_view raw_name;   ///< as sent
  std::string_view raw_value;  ///< as sent
  bool has_equals = false;     ///< `?uploads=` rather than `?uploads`; only SigV2 cares
};

/// The one parse of a request target, read alike by signature, policy and storage (INV-9). A key is
/// an opaque byte string: no segment is normalised, `..`, `//` and `%2F` stay what they are, and
/// '+' in the path is a plus. In the query '+' is a blank, as S3 reads it; it therefore signs as
/// %20.
///
/// Holds views into the raw target and into its own arena; reused from request to request, it
/// allocates nothing once warm. Not movable: the views would dangle.
class Target {
 public:
  static constexpr std::size_t kParamsMax = 256;

  Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  /// Parses `raw`, which must outlive the object's use. nullopt on success.
  [[nodiscard]] std::optional<TargetError> parse(std::string_view raw);

  [[nodiscard]] std::string_view raw() const noexcept { return raw_; }
  [[nodiscard]] std::string_view raw_path() const noexcept { return raw_path_; }
  [[nodiscard]] std::string_view raw_query() const noexcept { return raw_query_; }
  /// Decoded path with its leading '/': "/bucket/key" in path style, "/key" in virtual-host style.
  [[nodiscard]] std::string_view path() const noexcept { return path_; }

  /// In the order sent, duplicates included, empty pieces (`&&`) left out.
  [[nodiscard]] std::span<const QueryParam> params() const noexcept { return params_; }
  /// First parameter of that name (case-sensitive), null if there is none.
  [[nodiscard]] const QueryParam* find(std::string_view name) const noexcept;
  /// Its decoded value, "" if there is none.
  [[nodiscard]] std::string_view value(std::string_view name) const noexcept;
  [[nodiscard]] bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept;

 private:
  [[nodiscard]] std::optional<TargetError> parse_query();
  [[nodiscard]] std::optional<TargetError> decode(std::string_view text, bool query,
                                                  std::string_view& out);

  std::string_view raw_;
  std::string_view raw_path_;
  std::string_view raw_query_;
  std::string_view path_;
  std::string
      arena_;  // decoded bytes; capacity covers the whole target before the first view is taken
  std::vector<QueryParam> params_;
};

/// A bucket and a key taken from one request.
struct Address {
  std::string_view bucket;  ///< "" = the service itself
  std::string_view key;     ///< "" = the bucket itself
};

/// Splits a decoded path. In path style the first segment is the bucket and everything after its
/// '/' the key, byte for byte; with a virtual-host label the whole path after the first '/' is the
/// key.
[[nodiscard]] Address split_path(std::string_view path, std::string_view host_bucket) noexcept;

}  // namespace mote::http
