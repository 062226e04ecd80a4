#include "tests/contract/store_contract.h"
#include "tests/metacache/cached_fixture.h"

namespace {

using mote::contract::StoreFixture;
using mote::metacache::CachedFixture;

template <std::uint64_t kCacheBytes, std::uint64_t kWriteThrough, std::size_t kStripes>
std::unique_ptr<StoreFixture> make() {
  return std::make_unique<CachedFixture>(
      CachedFixture::Shape{kCacheBytes, kWriteThrough, kStripes});
}

constexpr auto kPlain = make<64 * mote::kMiB, 0, 65536>;
constexpr auto kOneStripe = make<64 * mote::kMiB, 0, 1>;
constexpr auto kWriteThrough = make<64 * mote::kMiB, 128 * mote::kKiB, 65536>;
constexpr auto kTiny = make<8 * mote::kKiB, 4 * mote::kKiB, 65536>;
constexpr auto kOff = make<0, 128 * mote::kKiB, 65536>;

}  // namespace

MOTE_STORE_CONTRACT("cached", kPlain)
MOTE_STORE_CONTRACT("cached, one generation stripe", kOneStripe)
MOTE_STORE_CONTRACT("cached, write-through", kWriteThrough)
MOTE_STORE_CONTRACT("cached, hardly any room", kTiny)
MOTE_STORE_CONTRACT("cached, off", kOff)
