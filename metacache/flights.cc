#include "metacache/flights.h"

#include <utility>

#include "erasure/base/check.h"

namespace mote::metacache {

bool Flights::SameRead::equal(const Key& a, const Key& b) noexcept {
  return a->what == b->what && a->generation == b->generation && a->bucket_id == b->bucket_id &&
         a->bucket_revision == b->bucket_revision && a->version == b->version && a->key == b->key;
}

Flights::Boarding Flights::board(Flight wanted, Waiter& waiter) {
  auto flight = std::make_shared<const Flight>(std::move(wanted));
  decltype(airborne_)::accessor entry;
  if (airborne_.insert(entry, flight)) {
    return {Role::leads, std::move(flight)};
  }
  entry->second.push_back(std::move(waiter));
  return {Role::waits, nullptr};
}

std::vector<Flights::Waiter> Flights::land(const std::shared_ptr<const Flight>& flight) {
  decltype(airborne_)::accessor entry;
  MOTE_CHECK(airborne_.find(entry, flight) && entry->first == flight);  // a flight lands once
  std::vector<Waiter> waiters = std::move(entry->second);
  airborne_.erase(entry);
  return waiters;
}

}  // namespace mote::metacache
