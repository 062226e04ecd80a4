#pragma once

#include <memory>

#include "erasure/memory/memory_store.h"
#include "tests/contract/store_fixture.h"

namespace mote {

class MemoryFixture final : public contract::StoreFixture {
 public:
  explicit MemoryFixture(std::size_t stripes = 65536, std::uint64_t bytes_max = kGiB)
      : store_(make_memory_store({.bytes_max = bytes_max,
                                  .clock = clock_,
                                  .rng = rng_,
                                  .limits = {},
                                  .generation_stripes = stripes})) {}
  ObjectStore& store() override { return *store_; }
  /// Lets the store go before what still holds its bytes.
  void destroy_store() { store_.reset(); }

 private:
  SystemClock clock_;
  SystemRng rng_;
  std::unique_ptr<ObjectStore> store_;
};

}  // namespace mote
