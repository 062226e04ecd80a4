#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>

#include "tests/contract/erasure_fixture.h"

using namespace mote;
using namespace mote::contract;

namespace {

namespace fs = std::filesystem;

std::size_t shard_files(const std::string& drive) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(drive + "/shards")) {
    count += entry.is_regular_file() ? 1U : 0U;
  }
  return count;
}

template <class Done>
bool wait_for(Done done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

bool is_whole(const ObjectStore& store) {
  const std::vector<DriveStatus> drives = store.status().drives;
  return std::all_of(drives.begin(), drives.end(),
                     [](const DriveStatus& drive) { return drive.state == DriveState::current; });
}

}  // namespace

TEST_CASE("garbage: INV-11: replaced shard files stay while a drive of the set is away") {
  DiskFixture fixture(2, 1);  // grace 200 ms, a round every 100 ms
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const auto files = [&](unsigned drive) { return shard_files(fixture.drive(drive)); };
  REQUIRE_OK(client.put("b", "k", 2 * kMiB, 1));
  CHECK(files(0) == 1);
  REQUIRE_OK(client.put("b", "k", 2 * kMiB, 2));
  // Whole: what was replaced goes, and nothing else does.
  REQUIRE(wait_for([&] { return files(0) == 1 && files(1) == 1 && files(2) == 1; }));
  const std::string aside = fixture.drive(2) + ".aside";
  fs::rename(fixture.drive(2), aside);
  REQUIRE(wait_for([&] { return !is_whole(fixture.store()); }));
  REQUIRE_OK(client.put("b", "k", 2 * kMiB, 3));
  REQUIRE_OK(client.remove("b", "k"));
  CHECK_ERR(client.open("b", "k"), Errc::no_such_key);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // seven graces, fifteen rounds
  CHECK(files(0) == 2);
  CHECK(files(1) == 2);
  // Back and healed: the proof is there. (A file of drive 2 whose row was not flushed when it left
  // is an orphan there, which a later start takes away.)
  fs::rename(aside, fixture.drive(2));
  REQUIRE(wait_for([&] { return is_whole(fixture.store()); }));
  CHECK(wait_for([&] { return files(0) == 0 && files(1) == 0; }));
  CHECK(files(2) <= 1);
}
