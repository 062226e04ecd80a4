#include "erasure/meta/object.h"

namespace mote {

std::string to_text(const ETag& etag) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(38);
  for (const std::byte value : etag.md5) {
    const auto number = std::to_integer<unsigned>(value);
    text.push_back(kDigits[number >> 4]);
    text.push_back(kDigits[number & 15U]);
  }
  if (etag.parts > 0) {
    text.push_back('-');
    text.append(std::to_string(etag.parts));
  }
  return text;
}

}  // namespace mote
