#include "metacache/image.h"

namespace mote::metacache {
namespace {

// Image, head and their control blocks, a list node and a hash node.
constexpr std::uint64_t kEntryOverheadBytes = sizeof(Image) + sizeof(ObjectHead) + 160;

std::uint64_t accounted_bytes_of(const ObjectHead& head) {
  std::uint64_t bytes = head.attributes.headers.size() + head.attributes.tags.size() +
                        head.attributes.private_.size() + head.checksum.value.size();
  for (const PartLayout& part : head.parts) {
    bytes += sizeof part + part.checksum.value.size();
  }
  return bytes;
}

}  // namespace

bool Image::is_of(const ImageKey& wanted) const noexcept {
  const bool same_version =
      wanted.version == nullptr ? !version.has_value() : version == *wanted.version;
  return bucket_id == wanted.bucket_id && same_version && key == wanted.key;
}

std::uint64_t Image::accounted_bytes() const noexcept {
  return kEntryOverheadBytes + key.size() + wire_headers.size() + body.size() +
         (head ? accounted_bytes_of(*head) : 0);
}

}  // namespace mote::metacache
