#include "server/s3/ids.h"

#include <algorithm>
#include <cstring>

#include "server/digest/encoding.h"

namespace mote::s3 {

namespace {

constexpr std::string_view kUploadPrefix = "mp";
constexpr unsigned kFullObjectBit = 0x10;
constexpr unsigned kKindMask = 0x0F;

template <std::size_t N>
std::string_view text_of(const std::array<std::byte, N>& bytes) {
  return as_text(ByteView(bytes));
}

}  // namespace

std::string to_base64url(std::string_view bytes) {
  std::string text = digest::to_base64(as_bytes(bytes));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(std::find(text.begin(), text.end(), '='), text.end());
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string padded(text);
  for (char& c : padded) {
    if (c == '+' || c == '/' || c == '=') {
      return std::nullopt;
    }
    c = c == '-' ? '+' : c == '_' ? '/' : c;
  }
  padded.append((4 - padded.size() % 4) % 4, '=');
  return digest::from_base64(padded);
}

std::string to_text(const VersionId& version) {
  return version == kNullVersion ? "null" : to_base64url(text_of(version));
}

std::optional<VersionId> parse_version_id(std::string_view text) {
  if (text == "null") {
    return kNullVersion;
  }
  const std::optional<std::string> bytes = from_base64url(text);
  VersionId version{};
  if (!bytes || bytes->size() != version.size()) {
    return std::nullopt;
  }
  std::memcpy(version.data(), bytes->data(), version.size());
  return version == kNullVersion ? std::nullopt : std::optional(version);
}

std::string to_text(const UploadToken& upload) {
  std::string bytes(text_of(upload.id));
  unsigned flags = static_cast<unsigned>(upload.checksum) & kKindMask;
  flags |= upload.full_object ? kFullObjectBit : 0U;
  bytes.push_back(static_cast<char>(flags));
  return std::string(kUploadPrefix) + to_base64url(bytes);
}

std::optional<UploadToken> parse_upload_id(std::string_view text) {
  if (!text.starts_with(kUploadPrefix)) {
    return std::nullopt;
  }
  const std::optional<std::string> bytes = from_base64url(text.substr(kUploadPrefix.size()));
  UploadToken upload;
  if (!bytes || bytes->size() != upload.id.size() + 1) {
    return std::nullopt;
  }
  const auto flags = static_cast<unsigned>(static_cast<unsigned char>(bytes->back()));
  const unsigned kind = flags & kKindMask;
  if (kind > static_cast<unsigned>(ChecksumKind::xxhash128) ||
      (flags & ~(kKindMask | kFullObjectBit)) != 0) {
    return std::nullopt;
  }
  std::memcpy(upload.id.data(), bytes->data(), upload.id.size());
  upload.checksum = static_cast<ChecksumKind>(kind);
  upload.full_object = (flags & kFullObjectBit) != 0;
  return upload;
}

}  // namespace mote::s3
