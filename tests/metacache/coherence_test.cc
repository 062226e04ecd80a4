#include <array>
#include <atomic>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "tests/metacache/cached_fixture.h"

namespace mote::metacache {
namespace {

using contract::Client;

constexpr std::size_t kKeys = 48;
constexpr std::size_t kThreads = 6;

/// What is known of one key. One thread writes it, numbering its writes; every write of number n
/// leaves the object tagged n, or absent if `erased` says so.
struct KeyState {
  std::atomic<std::uint64_t> begun{0};            // the highest write that was started
  std::atomic<std::uint64_t> acknowledged{0};     // the highest write that was answered
  std::vector<std::atomic<std::uint8_t>> erased;  // by number
};

/// Several threads put, delete, tag and read; a read must show a write not older than the last one
/// that was acknowledged when it started, and not newer than the last one begun when it ended.
class Coherence {
 public:
  Coherence(CachedFixture& fixture, std::uint64_t operations, std::uint64_t seed)
      : fixture_(fixture), client_(fixture), operations_(operations), seed_(seed) {
    for (KeyState& key : keys_) {
      key.erased = std::vector<std::atomic<std::uint8_t>>(operations / kThreads + 2);
      key.erased[0] = 1;
    }
  }

  void run() {
    REQUIRE_OK(client_.create_bucket("b"));
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([this, i] { work(i); });
      }
    }
    CHECK(stale.load() == 0);
    CHECK(failed.load() == 0);
    CHECK(reads.load() > operations_ / 4);
    CHECK(writes.load() > operations_ / 20);
  }

  std::atomic<std::uint64_t> stale{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};

 private:
  void work(std::size_t thread) {
    std::mt19937_64 random(seed_ * 31 + thread);
    for (std::uint64_t i = 0; i < operations_ / kThreads; ++i) {
      if (random() % 8 == 0) {
        write(thread + kThreads * (random() % (kKeys / kThreads)), random());
      } else {
        read(random() % kKeys, random());
      }
    }
  }

  static std::string name(std::size_t key) { return "k" + std::to_string(key); }
  static std::size_t size_of(std::uint64_t number) { return number % 7 == 0 ? 0 : number % 600; }

  void write(std::size_t index, std::uint64_t dice) {
    KeyState& key = keys_[index];
    const std::uint64_t number = key.begun.load() + 1;
    const bool erase = dice % 4 == 0;
    key.erased[number] = erase ? 1 : 0;
    key.begun.store(number);
    const bool done = erase ? client_.remove("b", name(index)).has_value()
                            : client_.put("b", name(index), size_of(number), number).has_value();
    key.acknowledged.store(number);
    failed += done ? 0 : 1;
    ++writes;
  }

  void read(std::size_t index, std::uint64_t dice) {
    KeyState& key = keys_[index];
    const std::uint64_t least = key.acknowledged.load();
    std::optional<std::uint64_t> seen;  // nullopt: absent
    if (dice % 3 == 0) {
      seen = look_up(index);
    } else if (dice % 3 == 1) {
      seen = open(index);
    } else {
      const auto head = client_.head("b", name(index));
      failed += head || head.error().code == Errc::no_such_key ? 0 : 1;
      seen = head ? std::optional(number_of(**head)) : std::nullopt;
    }
    const std::uint64_t most = key.begun.load();
    ++reads;
    if (seen) {
      stale += *seen >= least && *seen <= most ? 0 : 1;
      return;
    }
    bool possible = false;
    for (std::uint64_t number = least; number <= most && !possible; ++number) {
      possible = key.erased[number] != 0;
    }
    stale += possible ? 0 : 1;
  }

  static std::uint64_t number_of(const ObjectHead& head) {
    std::uint64_t number = 0;
    std::memcpy(&number, head.etag.md5.data(), sizeof number);
    return number;
  }

  std::optional<std::uint64_t> open(std::size_t index) {
    auto opened = client_.open("b", name(index));
    if (!opened) {
      failed += opened.error().code == Errc::no_such_key ? 0 : 1;
      return std::nullopt;
    }
    const std::uint64_t number = number_of(*opened->head);
    failed += opened->head->bytes == size_of(number) && client_.holds(*opened, number) ? 0 : 1;
    return number;
  }

  std::optional<std::uint64_t> look_up(std::size_t index) {
    const auto image = fixture_.store().lookup(*fixture_.store().find_bucket("b"), name(index));
    if (!image) {
      return open(index);
    }
    if (image->kind == Image::Kind::absent) {
      return std::nullopt;
    }
    const std::uint64_t number = number_of(*image->head);
    const bool whole =
        image->kind == Image::Kind::head ||
        (image->body.size() == size_of(number) && contract::is_pattern(image->body.bytes, number));
    failed += whole ? 0 : 1;
    return number;
  }

  CachedFixture& fixture_;
  const Client client_;
  const std::uint64_t operations_;
  const std::uint64_t seed_;
  std::array<KeyState, kKeys> keys_;
};

void run_coherence(const CachedFixture::Shape& shape) {
  const std::uint64_t seed = contract::test_seed();
  CAPTURE(seed);
  CachedFixture fixture(shape);
  Coherence coherence(fixture, contract::test_number("COHERENCE_OPS", 200'000), seed);
  coherence.run();
  const CacheStats stats = fixture.store().stats();
  CHECK(stats.hits > 0);
  CHECK(stats.misses > 0);
  CHECK(stats.bytes <= shape.cache_bytes);
  MESSAGE("hit ratio " << static_cast<double>(stats.hits) /
                              static_cast<double>(stats.hits + stats.misses)
                       << ", fills refused " << stats.fills_refused << ", joined " << stats.joined
                       << ", evictions " << stats.evictions);
}

// 200,000 operations each; MOTE_TEST_COHERENCE_OPS for more.
TEST_CASE("INV-7: no stale read after an acknowledgement") {
  run_coherence({64 * kMiB, 0, 65536});
}
TEST_CASE("INV-7: no stale read with one generation stripe") {
  run_coherence({64 * kMiB, 0, 1});
}
TEST_CASE("INV-7: no stale read with write-through") {
  run_coherence({64 * kMiB, kKiB, 65536});
}
TEST_CASE("INV-7: no stale read with write-through and one stripe") {
  run_coherence({64 * kMiB, kKiB, 1});
}
TEST_CASE("INV-7: no stale read with constant eviction") {
  run_coherence({16 * kKiB, kKiB, 16});
}

}  // namespace
}  // namespace mote::metacache
