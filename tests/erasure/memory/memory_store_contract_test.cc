#include "tests/contract/store_contract.h"
#include "tests/erasure/memory/memory_fixture.h"

namespace {

using mote::contract::StoreFixture;

std::unique_ptr<StoreFixture> make_memory_fixture() {
  return std::make_unique<mote::MemoryFixture>();
}

std::unique_ptr<StoreFixture> make_one_stripe_fixture() {
  return std::make_unique<mote::MemoryFixture>(1);
}

}  // namespace

MOTE_STORE_CONTRACT("memory", make_memory_fixture)
MOTE_STORE_CONTRACT("memory with one stripe", make_one_stripe_fixture)
