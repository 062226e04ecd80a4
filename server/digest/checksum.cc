#include "server/digest/checksum.h"

#include <algorithm>
#include <bit>

#include <xxhash.h>

#include "erasure/base/check.h"
#include "server/digest/crc.h"
#include "server/digest/encoding.h"

namespace mote::digest {

namespace {

struct Traits {
  std::string_view name;
  std::string_view header;
  std::string_view element;
  std::size_t bytes;
};

// In the order of the enumeration, which starts at 1.
constexpr std::array<Traits, 10> kTraits = {{
    {"CRC32", "x-amz-checksum-crc32", "ChecksumCRC32", 4},
    {"CRC32C", "x-amz-checksum-crc32c", "ChecksumCRC32C", 4},
    {"CRC64NVME", "x-amz-checksum-crc64nvme", "ChecksumCRC64NVME", 8},
    {"SHA1", "x-amz-checksum-sha1", "ChecksumSHA1", 20},
    {"SHA256", "x-amz-checksum-sha256", "ChecksumSHA256", 32},
    {"SHA512", "x-amz-checksum-sha512", "ChecksumSHA512", 64},
    {"MD5", "x-amz-checksum-md5", "ChecksumMD5", 16},
    {"XXHASH64", "x-amz-checksum-xxhash64", "ChecksumXXHASH64", 8},
    {"XXHASH3", "x-amz-checksum-xxhash3", "ChecksumXXHASH3", 8},
    {"XXHASH128", "x-amz-checksum-xxhash128", "ChecksumXXHASH128", 16},
}};

const Traits& traits(ChecksumAlgorithm algorithm) noexcept {
  const auto index = static_cast<std::size_t>(algorithm) - 1;
  MOTE_CHECK(index < kTraits.size());
  return kTraits[index];
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

std::optional<ChecksumAlgorithm> find_algorithm(std::string_view text,
                                                std::string_view Traits::*field) {
  for (const ChecksumAlgorithm algorithm : kChecksumAlgorithms) {
    if (equal_but_for_case(text, traits(algorithm).*field)) {
      return algorithm;
    }
  }
  return std::nullopt;
}

/// The low `width` bytes of `number`, most significant first.
ChecksumValue big_endian(ChecksumAlgorithm algorithm, std::uint64_t number, std::size_t width) {
  ChecksumValue value{algorithm, {}};
  for (std::size_t i = 0; i < width; ++i) {
    value.storage[i] = static_cast<std::byte>(number >> (8 * (width - 1 - i)) & 0xffU);
  }
  return value;
}

std::uint64_t as_number(const ChecksumValue& value) {
  std::uint64_t number = 0;
  for (const std::byte byte : value.bytes()) {
    number = number << 8U | std::to_integer<std::uint64_t>(byte);
  }
  return number;
}

}  // namespace

/// One xxHash stream. The library owns its own aligned states.
struct Checksum::Xxh {
  explicit Xxh(ChecksumAlgorithm kind) : algorithm(kind) {
    switch (algorithm) {
      case ChecksumAlgorithm::xxhash64:
        old.reset(XXH64_createState());
        MOTE_CHECK(old != nullptr && XXH64_reset(old.get(), 0) == XXH_OK);
        break;
      case ChecksumAlgorithm::xxhash3:
        state.reset(XXH3_createState());
        MOTE_CHECK(state != nullptr && XXH3_64bits_reset(state.get()) == XXH_OK);
        break;
      default:
        state.reset(XXH3_createState());
        MOTE_CHECK(state != nullptr && XXH3_128bits_reset(state.get()) == XXH_OK);
        break;
    }
  }

  void update(ByteView bytes) const {
    if (algorithm == ChecksumAlgorithm::xxhash64) {
      XXH64_update(old.get(), bytes.data(), bytes.size());
    } else if (algorithm == ChecksumAlgorithm::xxhash3) {
      XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
    } else {
      XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
    }
  }

  [[nodiscard]] ChecksumValue finish() const {
    if (algorithm == ChecksumAlgorithm::xxhash64) {
      return big_endian(algorithm, XXH64_digest(old.get()), 8);
    }
    if (algorithm == ChecksumAlgorithm::xxhash3) {
      return big_endian(algorithm, XXH3_64bits_digest(state.get()), 8);
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    ChecksumValue value = big_endian(algorithm, hash.high64, 8);
    const ChecksumValue low = big_endian(algorithm, hash.low64, 8);
    std::copy_n(low.storage.begin(), 8, value.storage.begin() + 8);
    return value;
  }

  struct Free {
    void operator()(XXH64_state_t* p) const { XXH64_freeState(p); }
    void operator()(XXH3_state_t* p) const { XXH3_freeState(p); }
  };
  ChecksumAlgorithm algorithm;
  std::unique_ptr<XXH64_state_t, Free> old;
  std::unique_ptr<XXH3_state_t, Free> state;
};

std::string_view name(ChecksumAlgorithm algorithm) noexcept {
  return traits(algorithm).name;
}
std::string_view header_name(ChecksumAlgorithm algorithm) noexcept {
  return traits(algorithm).header;
}
std::string_view element_name(ChecksumAlgorithm algorithm) noexcept {
  return traits(algorithm).element;
}
std::size_t value_bytes(ChecksumAlgorithm algorithm) noexcept {
  return traits(algorithm).bytes;
}

bool combines(ChecksumAlgorithm algorithm) noexcept {
  return algorithm <= ChecksumAlgorithm::crc64nvme;
}

std::optional<ChecksumAlgorithm> parse_checksum_algorithm(std::string_view text) noexcept {
  return find_algorithm(text, &Traits::name);
}

std::optional<ChecksumAlgorithm> checksum_header(std::string_view header) noexcept {
  return find_algorithm(header, &Traits::header);
}

std::string ChecksumValue::base64() const {
  return to_base64(bytes());
}

std::optional<ChecksumValue> ChecksumValue::from_base64(ChecksumAlgorithm algorithm,
                                                        std::string_view text) {
  ChecksumValue value{algorithm, {}};
  if (!read_base64(text, ByteSpan(value.storage).first(value_bytes(algorithm)))) {
    return std::nullopt;
  }
  return value;
}

ChecksumValue ChecksumValue::from_bytes(ChecksumAlgorithm algorithm, ByteView bytes) {
  MOTE_CHECK(bytes.size() == value_bytes(algorithm));
  ChecksumValue value{algorithm, {}};
  std::copy(bytes.begin(), bytes.end(), value.storage.begin());
  return value;
}

Checksum::Checksum(ChecksumAlgorithm algorithm) : algorithm_(algorithm), state_(std::uint64_t{0}) {
  switch (algorithm) {
    case ChecksumAlgorithm::crc32:
    case ChecksumAlgorithm::crc32c:
    case ChecksumAlgorithm::crc64nvme:
      break;
    case ChecksumAlgorithm::sha1:
      state_.emplace<Sha1>();
      break;
    case ChecksumAlgorithm::sha256:
      state_.emplace<Sha256>();
      break;
    case ChecksumAlgorithm::sha512:
      state_.emplace<Sha512>();
      break;
    case ChecksumAlgorithm::md5:
      state_.emplace<Md5>();
      break;
    case ChecksumAlgorithm::xxhash64:
    case ChecksumAlgorithm::xxhash3:
    case ChecksumAlgorithm::xxhash128:
      state_ = std::make_unique<Xxh>(algorithm);
      break;
  }
}

Checksum::~Checksum() = default;
Checksum::Checksum(Checksum&&) noexcept = default;
Checksum& Checksum::operator=(Checksum&&) noexcept = default;

void Checksum::update(ByteView bytes) noexcept {
  if (auto* const crc = std::get_if<std::uint64_t>(&state_)) {
    if (algorithm_ == ChecksumAlgorithm::crc32) {
      *crc = crc32(static_cast<std::uint32_t>(*crc), bytes);
    } else if (algorithm_ == ChecksumAlgorithm::crc32c) {
      *crc = crc32c(static_cast<std::uint32_t>(*crc), bytes);
    } else {
      *crc = crc64nvme(*crc, bytes);
    }
  } else if (auto* const xxh = std::get_if<std::unique_ptr<Xxh>>(&state_)) {
    (*xxh)->update(bytes);
  } else if (auto* const md5 = std::get_if<Md5>(&state_)) {
    md5->update(bytes);
  } else if (auto* const sha1 = std::get_if<Sha1>(&state_)) {
    sha1->update(bytes);
  } else if (auto* const sha256 = std::get_if<Sha256>(&state_)) {
    sha256->update(bytes);
  } else if (auto* const sha512 = std::get_if<Sha512>(&state_)) {
    sha512->update(bytes);
  }
}

ChecksumValue Checksum::finish() noexcept {
  if (const auto* const crc = std::get_if<std::uint64_t>(&state_)) {
    return big_endian(algorithm_, *crc, value_bytes(algorithm_));
  }
  if (const auto* const xxh = std::get_if<std::unique_ptr<Xxh>>(&state_)) {
    return (*xxh)->finish();
  }
  if (auto* const md5 = std::get_if<Md5>(&state_)) {
    return ChecksumValue::from_bytes(algorithm_, md5->finish());
  }
  if (auto* const sha1 = std::get_if<Sha1>(&state_)) {
    return ChecksumValue::from_bytes(algorithm_, sha1->finish());
  }
  if (auto* const sha256 = std::get_if<Sha256>(&state_)) {
    return ChecksumValue::from_bytes(algorithm_, sha256->finish());
  }
  return ChecksumValue::from_bytes(algorithm_, std::get<Sha512>(state_).finish());
}

ChecksumValue Checksum::of(ChecksumAlgorithm algorithm, ByteView bytes) {
  Checksum checksum(algorithm);
  checksum.update(bytes);
  return checksum.finish();
}

ChecksumValue composite_checksum(ChecksumAlgorithm algorithm, std::span<const PartChecksum> parts) {
  Checksum checksum(algorithm);
  for (const PartChecksum& part : parts) {
    MOTE_CHECK(part.value.algorithm == algorithm);
    checksum.update(part.value.bytes());
  }
  return checksum.finish();
}

ChecksumValue full_object_checksum(ChecksumAlgorithm algorithm,
                                   std::span<const PartChecksum> parts) {
  MOTE_CHECK(combines(algorithm));
  std::uint64_t whole = 0;  // the CRC of no bytes
  for (const PartChecksum& part : parts) {
    MOTE_CHECK(part.value.algorithm == algorithm);
    const std::uint64_t next = as_number(part.value);
    if (algorithm == ChecksumAlgorithm::crc32) {
      whole = crc32_combine(static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(next),
                            part.bytes);
    } else if (algorithm == ChecksumAlgorithm::crc32c) {
      whole = crc32c_combine(static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(next),
                             part.bytes);
    } else {
      whole = crc64nvme_combine(whole, next, part.bytes);
    }
  }
  return big_endian(algorithm, whole, value_bytes(algorithm));
}

}  // namespace mote::digest
