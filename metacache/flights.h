#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "erasure/base/unique_function.h"
#include "metacache/image.h"

namespace mote::metacache {

/// Reads of the store that are under way, so that many requests for one object that is not cached
/// cost one read. Thread-safe.
class Flights {
 public:
  /// How a read ended, as those who waited for it are told: an image, or the error to pass on.
  /// Neither: what came cannot be shared (a large object's reader, a read that was given up): read
  /// for yourself.
  struct Outcome {
    std::shared_ptr<const Image> image;
    std::optional<Error> error;
  };
  using Waiter = UniqueFunction<void(const Outcome&)>;
  enum class What : std::uint8_t { head, whole };
  enum class Role : std::uint8_t {
    leads,  ///< reads for all, then calls land()
    waits,  ///< `waiter` was taken and will be called once
  };

  struct Flight {
    std::uint64_t hash = 0;
    What what = What::whole;
    std::uint64_t bucket_id = 0;
    std::string key;
    std::optional<VersionId> version;
    std::uint64_t bucket_revision = 0;
    std::size_t stripe = 0;
    std::uint64_t generation = 0;  ///< even, taken before the read starts
  };
  struct Boarding {
    Role role = Role::leads;
    std::shared_ptr<const Flight> flight;  ///< of who leads
  };

  /// Joins the read of the same thing if that started under the generation that stands now: then no
  /// write lies between its start and this call, and its result is true for this caller too.
  /// Otherwise starts one. Takes `waiter` only for Role::waits.
  [[nodiscard]] Boarding board(Flight wanted, Waiter& waiter);
  /// Ends the flight and hands over those who wait for it; the caller calls them, holding no lock.
  [[nodiscard]] std::vector<Waiter> land(const std::shared_ptr<const Flight>& flight);

 private:
  using Key = std::shared_ptr<const Flight>;
  /// Flights of the same thing under the same generation are one.
  struct SameRead {
    [[nodiscard]] static std::size_t hash(const Key& flight) noexcept { return flight->hash; }
    [[nodiscard]] static bool equal(const Key& a, const Key& b) noexcept;
  };

  /// Under way, with who waits. An accessor is held for a push or an erase, never while a waiter
  /// runs.
  oneapi::tbb::concurrent_hash_map<Key, std::vector<Waiter>, SameRead> airborne_;
};

}  // namespace mote::metacache
