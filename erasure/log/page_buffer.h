#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "erasure/base/buffer.h"
#include "erasure/log/log_format.h"

namespace mote::erasure {

/// Memory that begins on a page, as a file opened with OpenOptions::direct wants it. Reused; grows
/// to the largest copy.
class PageBuffer {
 public:
  /// A copy of `bytes` that begins on a page; valid until the next call.
  ByteView copy(ByteView bytes) {
    std::byte* const begin = room(bytes.size());
    if (!bytes.empty()) {
      std::memcpy(begin, bytes.data(), bytes.size());
    }
    return {begin, bytes.size()};
  }
  /// `count` zero bytes that begin on a page; valid until the next call.
  ByteView zeros(std::size_t count) {
    std::byte* const begin = room(count);
    std::fill_n(begin, count, std::byte{0});
    return {begin, count};
  }

 private:
  std::byte* room(std::size_t count) {
    if (memory_.size() < count + kLogPageBytes) {
      memory_ = Buffer(count + kLogPageBytes);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    const std::uintptr_t aligned = (address + kLogPageBytes - 1) / kLogPageBytes * kLogPageBytes;
    return memory_.data() + (aligned - address);
  }

  Buffer memory_;
};

}  // namespace mote::erasure
