#pragma once

#include <cstddef>
#include <memory>

#include "erasure/base/bytes.h"

namespace mote {

/// An owned block of uninitialised bytes, 64-byte aligned (the vector width of ISA-L's kernels),
/// sized by the request that needs it and never by a maximum (INV-12). Move-only.
class Buffer {
 public:
  static constexpr std::size_t kAlignment = 64;

  Buffer() = default;
  /// `size` bytes, contents indeterminate. Throws std::bad_alloc.
  explicit Buffer(std::size_t size);

  [[nodiscard]] std::byte* data() noexcept { return data_.get(); }
  [[nodiscard]] const std::byte* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] ByteView view() const noexcept { return {data_.get(), size_}; }
  [[nodiscard]] ByteSpan span() noexcept { return {data_.get(), size_}; }
  /// Forgets bytes past `size` (REQUIRES size <= this->size()); memory is kept.
  void shrink(std::size_t size);
  /// Turns the buffer into an immutable, shared Slice of all its bytes.
  [[nodiscard]] Slice share() &&;

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace mote
