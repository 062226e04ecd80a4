#include "metacache/flights.h"

#include <utility>

#include "erasure/base/check.h"

namespace mote::metacache {
namespace {

bool same_read(const Flights::Flight& a, const Flights::Flight& b) {
  return a.what == b.what && a.generation == b.generation && a.bucket_id == b.bucket_id &&
         a.bucket_revision == b.bucket_revision && a.version == b.version && a.key == b.key;
}

}  // namespace

Flights::Boarding Flights::board(Flight wanted, Waiter& waiter) {
  Shard& shard = shard_of(wanted.hash);
  const std::lock_guard lock(shard.mutex);
  const auto [first, last] = shard.airborne.equal_range(wanted.hash);
  for (auto at = first; at != last; ++at) {
    if (same_read(*at->second.flight, wanted)) {
      at->second.waiters.push_back(std::move(waiter));
      return {Role::waits, nullptr};
    }
  }
  const std::uint64_t hash = wanted.hash;
  auto flight = std::make_shared<const Flight>(std::move(wanted));
  shard.airborne.emplace(hash, Airborne{flight, {}});
  return {Role::leads, std::move(flight)};
}

std::vector<Flights::Waiter> Flights::land(const Flight& flight) {
  Shard& shard = shard_of(flight.hash);
  const std::lock_guard lock(shard.mutex);
  const auto [first, last] = shard.airborne.equal_range(flight.hash);
  auto at = first;
  while (at != last && at->second.flight.get() != &flight) {
    ++at;
  }
  MOTE_CHECK(at != last);  // a flight lands once
  std::vector<Waiter> waiters = std::move(at->second.waiters);
  shard.airborne.erase(at);
  return waiters;
}

}  // namespace mote::metacache
