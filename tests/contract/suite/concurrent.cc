#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "tests/contract/store_contract.h"
#include "tests/contract/suite/register_check.h"

namespace mote::contract {
namespace {

constexpr std::size_t kWriters = 64;

/// Rounds of a race: some, and then more for as long as it takes a fast store to meet the rare
/// order.
class Rounds {
 public:
  [[nodiscard]] bool next() {
    ++round_;
    return round_ <= kRoundsMin ||
           (round_ <= kRoundsMax && std::chrono::steady_clock::now() < end_);
  }
  [[nodiscard]] int round() const { return round_; }

 private:
  static constexpr int kRoundsMin = 20;
  static constexpr int kRoundsMax = 3000;
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int round_ = 0;
};

std::size_t thread_count(const StoreFixture& fixture) {
  return fixture.threads() ? 8 : 1;
}

/// Runs `body(thread)` on as many threads as the fixture allows and waits for them.
template <class Body>
void on_threads(const StoreFixture& fixture, Body body) {
  const std::size_t count = thread_count(fixture);
  if (count == 1) {
    body(std::size_t{0});
    return;
  }
  std::atomic<std::size_t> waiting{0};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      waiting.fetch_add(1);
      while (waiting.load() < count) {
        std::this_thread::yield();
      }
      body(i);
    });
  }
}

/// Starts kWriters puts of one key with `preconditions` at once; returns the seeds of those that
/// won.
std::vector<std::uint64_t> race(const Client& client, const std::string& key,
                                const Preconditions& preconditions) {
  StoreFixture& fixture = client.fixture();
  const std::size_t threads = thread_count(fixture);
  std::vector<std::uint64_t> winners;
  std::atomic<std::size_t> unexpected{0};
  std::mutex mutex;
  on_threads(fixture, [&](std::size_t thread) {
    std::vector<std::pair<std::uint64_t, Pending<PutResult>>> pending;
    for (std::size_t i = thread; i < kWriters; i += threads) {
      PutRequest request;
      request.bucket = "b";
      request.key = key;
      request.etag = tag_of(1000 + i);
      request.preconditions = preconditions;
      pending.emplace_back(1000 + i, Pending<PutResult>());
      client.store().put(std::move(request), Body{pattern(100, 1000 + i), nullptr},
                         pending.back().second.completion());
    }
    for (const auto& [seed, each] : pending) {
      const Result<PutResult> result = each.wait(fixture);
      const std::lock_guard lock(mutex);
      if (result) {
        winners.push_back(seed);
      } else if (result.error().code != Errc::precondition_failed) {
        ++unexpected;
      }
    }
  });
  CHECK(unexpected == 0);
  return winners;
}

struct Recorded {
  std::size_t key = 0;
  RegisterOp op;
};

/// One client's random operation on one of a few keys: started, then waited for and recorded.
class RegisterCall {
 public:
  RegisterCall(const Client& client, std::mt19937_64& random, std::atomic<std::uint64_t>& time,
               std::uint64_t value)
      : client_(client), time_(time), key_(random() % 4) {
    const std::uint64_t dice = random() % 10;
    using Kind = RegisterOp::Kind;
    op_.kind = dice < 5   ? Kind::read
               : dice < 7 ? Kind::write
               : dice < 9 ? Kind::write_if_absent
                          : Kind::erase;
    op_.value = op_.kind == Kind::read || op_.kind == Kind::erase ? 0 : value;
    op_.invoked = time_.fetch_add(1);
    start();
  }

  /// False on an answer that no store may give here.
  [[nodiscard]] bool finish(std::vector<Recorded>& history) {
    const bool fine = op_.kind == RegisterOp::Kind::read    ? finish_read()
                      : op_.kind == RegisterOp::Kind::erase ? finish_remove()
                                                            : finish_put();
    op_.returned = time_.fetch_add(1);
    history.push_back({key_, op_});
    return fine;
  }

 private:
  void start() {
    const std::string key = "k" + std::to_string(key_);
    if (op_.kind == RegisterOp::Kind::read) {
      client_.store().open({"b", key, {}}, {}, opened_.completion());
    } else if (op_.kind == RegisterOp::Kind::erase) {
      client_.store().remove({{"b", key, {}}, {}, {}}, removed_.completion());
    } else {
      PutRequest request;
      request.bucket = "b";
      request.key = key;
      request.etag = tag_of(op_.value);
      request.preconditions.if_absent = op_.kind == RegisterOp::Kind::write_if_absent;
      client_.store().put(
          std::move(request),
          Body{pattern(static_cast<std::size_t>(op_.value % 200), op_.value), nullptr},
          put_.completion());
    }
  }
  bool finish_read() {
    Result<OpenedObject> opened = opened_.wait(client_.fixture());
    if (!opened) {
      return opened.error().code == Errc::no_such_key;
    }
    std::memcpy(&op_.value, opened->head->etag.md5.data(), sizeof op_.value);
    return opened->head->bytes == op_.value % 200 && client_.holds(*opened, op_.value);
  }
  bool finish_remove() { return removed_.wait(client_.fixture()).has_value(); }
  bool finish_put() {
    const Result<PutResult> put = put_.wait(client_.fixture());
    if (put) {
      return true;
    }
    const bool refused = op_.kind == RegisterOp::Kind::write_if_absent &&
                         put.error().code == Errc::precondition_failed;
    op_.kind = RegisterOp::Kind::refused;
    return refused;
  }

  const Client& client_;
  std::atomic<std::uint64_t>& time_;
  std::size_t key_;
  RegisterOp op_;
  Pending<OpenedObject> opened_;
  Pending<DeleteResult> removed_;
  Pending<PutResult> put_;
};

}  // namespace

void concurrent_if_absent(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Preconditions absent;
  absent.if_absent = true;
  for (Rounds rounds; rounds.next();) {
    const std::string key = "k" + std::to_string(rounds.round());
    const std::vector<std::uint64_t> winners = race(client, key, absent);
    REQUIRE(winners.size() == 1);
    auto opened = client.open("b", key);
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, winners[0]));
  }
}

void concurrent_if_match(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Preconditions match;
  match.if_match = std::vector<ETag>{tag_of(1)};
  for (Rounds rounds; rounds.next();) {
    REQUIRE_OK(client.put("b", "k", 100, 1));
    const std::vector<std::uint64_t> winners = race(client, "k", match);
    REQUIRE(winners.size() == 1);
    auto opened = client.open("b", "k");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, winners[0]));
  }
}

void concurrent_register(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  const std::uint64_t seed = test_seed();
  CAPTURE(seed);
  REQUIRE_OK(client.create_bucket("b"));
  std::atomic<std::uint64_t> time{1};
  std::atomic<std::uint64_t> values{1};
  std::atomic<std::size_t> wrong{0};
  std::mutex mutex;
  std::map<std::size_t, std::vector<RegisterOp>> histories;
  const std::size_t at_once = fixture->threads() ? 1 : 8;
  on_threads(*fixture, [&](std::size_t thread) {
    std::mt19937_64 random(seed + thread);
    std::vector<Recorded> mine;
    for (std::uint64_t round = 0; round < test_number("REGISTER_ROUNDS", 150); ++round) {
      std::vector<std::unique_ptr<RegisterCall>> calls;
      for (std::size_t i = 0; i < at_once; ++i) {
        calls.push_back(std::make_unique<RegisterCall>(client, random, time, values.fetch_add(1)));
      }
      for (const auto& call : calls) {
        wrong += call->finish(mine) ? 0 : 1;
      }
    }
    const std::lock_guard lock(mutex);
    for (const Recorded& each : mine) {
      histories[each.key].push_back(each.op);
    }
  });
  CHECK(wrong == 0);
  CHECK(histories.size() == 4);
  for (const auto& entry : histories) {
    CAPTURE(entry.first);
    CHECK(is_linearizable(entry.second));
  }
}

void concurrent_bucket_delete(MakeFixture make) {
  const auto fixture = make();
  const Client client(*fixture);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    REQUIRE_OK(client.create_bucket("b"));
    std::atomic<int> puts{0};
    std::atomic<int> deletes{0};
    std::atomic<int> unexpected{0};
    on_threads(*fixture, [&](std::size_t thread) {
      Pending<PutResult> put;
      Pending<void> removed;
      const bool deletes_it = thread == 0;
      if (thread != 0 || !fixture->threads()) {
        PutRequest request;
        request.bucket = "b";
        request.key = "k" + std::to_string(thread);
        client.store().put(request, Body{pattern(10, 1), nullptr}, put.completion());
      }
      if (deletes_it) {
        client.store().delete_bucket("b", removed.completion());
        const Status result = removed.wait(*fixture);
        deletes += result ? 1 : 0;
        unexpected += !result && result.error().code != Errc::bucket_not_empty ? 1 : 0;
      }
      if (thread != 0 || !fixture->threads()) {
        const Result<PutResult> result = put.wait(*fixture);
        puts += result ? 1 : 0;
        unexpected += !result && result.error().code != Errc::no_such_bucket ? 1 : 0;
      }
    });
    CHECK(unexpected == 0);
    CHECK((puts == 0) == (deletes == 1));  // never a put acknowledged into a deleted bucket
    if (deletes == 0) {
      for (const std::string& key : list_all(client, {"b", "", "", "", 100, {}}).keys) {
        REQUIRE_OK(client.remove("b", key));
      }
      REQUIRE_OK(client.delete_bucket("b"));
    }
  }
}

}  // namespace mote::contract
