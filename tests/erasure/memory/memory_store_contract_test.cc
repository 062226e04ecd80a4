#include "erasure/memory/memory_store.h"
#include "tests/contract/store_contract.h"

namespace {

using mote::contract::StoreFixture;

class MemoryFixture : public StoreFixture {
 public:
  explicit MemoryFixture(std::size_t stripes = 65536)
      : store_(mote::make_memory_store({.bytes_max = mote::kGiB,
                                        .clock = clock_,
                                        .rng = rng_,
                                        .limits = {},
                                        .generation_stripes = stripes})) {}
  mote::ObjectStore& store() override { return *store_; }

 private:
  mote::SystemClock clock_;
  mote::SystemRng rng_;
  std::unique_ptr<mote::ObjectStore> store_;
};

std::unique_ptr<StoreFixture> make_memory_fixture() {
  return std::make_unique<MemoryFixture>();
}

std::unique_ptr<StoreFixture> make_one_stripe_fixture() {
  return std::make_unique<MemoryFixture>(1);
}

}  // namespace

MOTE_STORE_CONTRACT("memory", make_memory_fixture)
MOTE_STORE_CONTRACT("memory with one stripe", make_one_stripe_fixture)
