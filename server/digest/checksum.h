#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "erasure/base/bytes.h"
#include "server/digest/hash.h"

/// The ten checksums of the S3 API (AWS "Checking object integrity"; the 2026 service model).
namespace mote::digest {

/// Stored in object records: never renumber.
enum class ChecksumAlgorithm : std::uint8_t {
  crc32 = 1,
  crc32c = 2,
  crc64nvme = 3,
  sha1 = 4,
  sha256 = 5,
  sha512 = 6,
  md5 = 7,
  xxhash64 = 8,
  xxhash3 = 9,
  xxhash128 = 10,
};
inline constexpr std::array kChecksumAlgorithms = {
    ChecksumAlgorithm::crc32,     ChecksumAlgorithm::crc32c,   ChecksumAlgorithm::crc64nvme,
    ChecksumAlgorithm::sha1,      ChecksumAlgorithm::sha256,   ChecksumAlgorithm::sha512,
    ChecksumAlgorithm::md5,       ChecksumAlgorithm::xxhash64, ChecksumAlgorithm::xxhash3,
    ChecksumAlgorithm::xxhash128,
};

/// How the checksum of a multipart object relates to its parts.
enum class ChecksumType : std::uint8_t { full_object = 0, composite = 1 };

/// "CRC32", "CRC64NVME"…: the spelling of x-amz-checksum-algorithm and of the documents.
[[nodiscard]] std::string_view name(ChecksumAlgorithm algorithm) noexcept;
/// Case-blind; nullopt for an unknown name.
[[nodiscard]] std::optional<ChecksumAlgorithm> parse_checksum_algorithm(
    std::string_view text) noexcept;
/// "x-amz-checksum-crc32"…, lower case.
[[nodiscard]] std::string_view header_name(ChecksumAlgorithm algorithm) noexcept;
/// Case-blind; nullopt for any other header.
[[nodiscard]] std::optional<ChecksumAlgorithm> checksum_header(std::string_view header) noexcept;
/// "ChecksumCRC32"…: the element of the XML documents.
[[nodiscard]] std::string_view element_name(ChecksumAlgorithm algorithm) noexcept;
/// Bytes of a raw value: 4, 8, 16, 20, 32 or 64.
[[nodiscard]] std::size_t value_bytes(ChecksumAlgorithm algorithm) noexcept;
/// True for the three CRCs, whose parts combine into the checksum of the whole object.
[[nodiscard]] bool combines(ChecksumAlgorithm algorithm) noexcept;

/// A raw checksum, big-endian as on the wire. Inline, comparable; not a secret.
struct ChecksumValue {
  ChecksumAlgorithm algorithm = ChecksumAlgorithm::crc32;
  std::array<std::byte, 64> storage{};

  [[nodiscard]] ByteView bytes() const noexcept {
    return ByteView(storage).first(value_bytes(algorithm));
  }
  [[nodiscard]] std::string base64() const;
  /// nullopt unless `text` is strict base64 of exactly the algorithm's length.
  [[nodiscard]] static std::optional<ChecksumValue> from_base64(ChecksumAlgorithm algorithm,
                                                                std::string_view text);
  [[nodiscard]] static ChecksumValue from_bytes(ChecksumAlgorithm algorithm, ByteView bytes);
  friend bool operator==(const ChecksumValue& a, const ChecksumValue& b) noexcept = default;
};

/// One checksum being computed. Move-only. Only the two XXH3 forms allocate (their state is 576
/// bytes).
class Checksum {
 public:
  explicit Checksum(ChecksumAlgorithm algorithm);
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void update(ByteView bytes) noexcept;
  /// Value of all bytes so far; the object is spent.
  [[nodiscard]] ChecksumValue finish() noexcept;
  [[nodiscard]] ChecksumAlgorithm algorithm() const noexcept { return algorithm_; }
  [[nodiscard]] static ChecksumValue of(ChecksumAlgorithm algorithm, ByteView bytes);

 private:
  struct Xxh;
  ChecksumAlgorithm algorithm_;
  std::variant<std::uint64_t, Md5, Sha1, Sha256, Sha512, std::unique_ptr<Xxh>> state_;
};

/// One part of a multipart object.
struct PartChecksum {
  ChecksumValue value;
  std::uint64_t bytes = 0;  ///< length of the part
};
/// Checksum of the parts' raw values strung together; S3 prints it as "base64-N". All of one
/// algorithm.
[[nodiscard]] ChecksumValue composite_checksum(ChecksumAlgorithm algorithm,
                                               std::span<const PartChecksum> parts);
/// Checksum of the whole object from its parts. REQUIRES combines(algorithm).
[[nodiscard]] ChecksumValue full_object_checksum(ChecksumAlgorithm algorithm,
                                                 std::span<const PartChecksum> parts);

}  // namespace mote::digest
