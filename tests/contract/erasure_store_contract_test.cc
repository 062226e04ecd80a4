#include "tests/contract/erasure_fixture.h"
#include "tests/contract/store_contract.h"

namespace {

using mote::contract::DiskFixture;
using mote::contract::SimFixture;
using mote::contract::StoreFixture;

std::unique_ptr<StoreFixture> make_1_0() {
  return std::make_unique<DiskFixture>(1, 0);
}
std::unique_ptr<StoreFixture> make_2_1() {
  return std::make_unique<DiskFixture>(2, 1);
}
std::unique_ptr<StoreFixture> make_4_2() {
  return std::make_unique<DiskFixture>(4, 2);
}
std::unique_ptr<StoreFixture> make_sim() {
  return std::make_unique<SimFixture>(2, 1, mote::contract::test_seed());
}

}  // namespace

MOTE_STORE_CONTRACT("erasure 1+0", make_1_0)
MOTE_STORE_CONTRACT("erasure 2+1", make_2_1)
MOTE_STORE_CONTRACT("erasure 4+2", make_4_2)
MOTE_STORE_CONTRACT("erasure 2+1 simulated", make_sim)
