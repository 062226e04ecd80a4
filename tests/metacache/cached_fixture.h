#pragma once

#include <memory>

#include "erasure/memory/memory_store.h"
#include "metacache/cached_store.h"
#include "tests/contract/store_fixture.h"

namespace mote::metacache {

/// A memory store and a cache over it.
class CachedFixture : public contract::StoreFixture {
 public:
  struct Shape {
    std::uint64_t cache_bytes = 64 * kMiB;
    std::uint64_t write_through = 0;
    std::size_t stripes = 65536;
  };

  CachedFixture() : CachedFixture(Shape{}) {}
  explicit CachedFixture(const Shape& shape)
      : memory_(make_memory_store({.bytes_max = 4 * kGiB,
                                   .clock = clock_,
                                   .rng = rng_,
                                   .limits = {},
                                   .generation_stripes = shape.stripes})),
        cached_(*memory_, options(shape)) {}

  CachedStore& store() override { return cached_; }
  ObjectStore& memory() { return *memory_; }

  static CacheOptions options(const Shape& shape) {
    CacheOptions options;
    options.bytes_max = shape.cache_bytes;
    options.write_through_bytes_max = shape.write_through;
    options.render = [](const ObjectHead& head) {
      return "Content-Length: " + std::to_string(head.bytes) + "\r\n";
    };
    return options;
  }

 private:
  SystemClock clock_;
  SystemRng rng_;
  std::unique_ptr<ObjectStore> memory_;
  CachedStore cached_;
};

}  // namespace mote::metacache
