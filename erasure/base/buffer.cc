#include "erasure/base/buffer.h"

#include <new>

#include "erasure/base/check.h"

namespace mote {

Buffer::Buffer(std::size_t size) : size_(size) {
  if (size > 0) {
    data_.reset(static_cast<std::byte*>(::operator new (size, std::align_val_t{kAlignment})));
  }
}

void Buffer::Free::operator()(std::byte* p) const noexcept {
  ::operator delete (p, std::align_val_t{kAlignment});
}

void Buffer::shrink(std::size_t size) {
  MOTE_CHECK(size <= size_);
  size_ = size;
}

Slice Buffer::share() && {
  auto holder = std::make_shared<Buffer>(std::move(*this));
  const ByteView bytes = holder->view();
  return {bytes, std::move(holder)};
}

}  // namespace mote
