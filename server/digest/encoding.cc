#include "server/digest/encoding.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace mote::digest {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> reverse_table(std::string_view digits) {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNoDigit);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    table[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  }
  return table;
}

constexpr auto kHexValues = [] {
  auto table = reverse_table(kHexDigits);
  for (unsigned i = 0; i < 6; ++i) {
    table['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return table;
}();
constexpr auto kHexPairs = [] {
  std::array<std::array<char, 2>, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = {kHexDigits[i >> 4U], kHexDigits[i & 15U]};
  }
  return table;
}();
constexpr auto kBase64Values = reverse_table(kBase64Digits);

std::uint32_t base64_value(char c) {
  return kBase64Values[static_cast<unsigned char>(c)];
}

}  // namespace

void write_hex(ByteView bytes, char* out) noexcept {
  for (const std::byte byte : bytes) {
    std::memcpy(out, kHexPairs[std::to_integer<std::size_t>(byte)].data(), 2);
    out += 2;
  }
}

std::string to_hex(ByteView bytes) {
  std::string out(bytes.size() * 2, '\0');
  write_hex(bytes, out.data());
  return out;
}

bool read_hex(std::string_view text, ByteSpan out) noexcept {
  if (text.size() != out.size() * 2) {
    return false;
  }
  unsigned bad = 0;  // gathers the high bits that only kNoDigit has
  for (std::size_t i = 0; i < out.size(); ++i) {
    const unsigned high = kHexValues[static_cast<unsigned char>(text[2 * i])];
    const unsigned low = kHexValues[static_cast<unsigned char>(text[2 * i + 1])];
    bad |= high | low;
    out[i] = static_cast<std::byte>((high * 16 + low) & 0xffU);
  }
  return bad <= 15U;
}

std::string to_base64(ByteView bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (j < count ? std::to_integer<std::uint32_t>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j <= count ? kBase64Digits[group >> (18U - 6U * j) & 63U] : '=');
    }
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint32_t value = j < 4 - padding ? base64_value(text[i + j]) : 0;
      if (value == kNoDigit) {
        return std::nullopt;
      }
      group = group << 6U | value;
    }
    if ((group & ((1U << (8U * padding)) - 1U)) != 0) {
      return std::nullopt;  // bits that no encoder sets: a second spelling of the same bytes
    }
    for (std::size_t j = 0; j < 3 - padding; ++j) {
      out.push_back(static_cast<char>(group >> (16U - 8U * j) & 0xffU));
    }
  }
  return out;
}

bool read_base64(std::string_view text, ByteSpan out) noexcept {
  if (text.size() != (out.size() + 2) / 3 * 4) {
    return false;  // before anything is allocated for a hostile length
  }
  const auto decoded = from_base64(text);
  if (!decoded || decoded->size() != out.size()) {
    return false;
  }
  std::memcpy(out.data(), decoded->data(), out.size());
  return true;
}

}  // namespace mote::digest
