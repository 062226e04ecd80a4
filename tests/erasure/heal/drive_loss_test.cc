#include <bit>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>

#include "tests/contract/erasure_fixture.h"

using namespace mote;
using namespace mote::contract;

namespace {

namespace fs = std::filesystem;

enum class Loss { renamed, removed, replaced_by_file };

/// Takes a drive away and brings it (or a blank one) back.
class LostDrive {
 public:
  LostDrive(std::string path, Loss loss) : path_(std::move(path)), loss_(loss) {
    fs::rename(path_, aside());
    if (loss_ == Loss::replaced_by_file) {
      std::ofstream(path_) << "not a directory";
    } else if (loss_ == Loss::removed) {
      fs::remove_all(aside());
    }
  }
  /// True if the drive's own data is back; false if the place is blank now.
  bool bring_back() {
    if (loss_ == Loss::replaced_by_file) {
      fs::remove(path_);
    }
    if (loss_ == Loss::removed) {
      return false;
    }
    fs::rename(aside(), path_);
    return true;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::string aside() const { return path_ + ".aside"; }
  std::string path_;
  Loss loss_;
};

template <class Done>
bool wait_for(Done done, std::chrono::seconds limit = std::chrono::seconds(60)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::size_t current_drives(const ObjectStore& store) {
  std::size_t count = 0;
  for (const DriveStatus& drive : store.status().drives) {
    count += drive.state == DriveState::current ? 1 : 0;
  }
  return count;
}

std::string describe_drives(const ObjectStore& store) {
  std::string text;
  for (const DriveStatus& drive : store.status().drives) {
    text += std::to_string(drive.slot) + " " + std::string(to_string(drive.state)) + " " +
            drive.reason + " keys " + std::to_string(drive.heal_keys_done) + "; ";
  }
  return text;
}

/// All n drives are current.
bool wait_until_whole(DiskFixture& fixture, std::size_t n) {
  const bool whole = wait_for([&] { return current_drives(fixture.store()) == n; });
  if (!whole) {
    MESSAGE(describe_drives(fixture.store()));
  }
  return whole;
}

/// What the store is to hold: sizes by key; the pattern's seed is the size.
struct Expected {
  std::vector<std::uint64_t> sizes;

  static std::string key(std::uint64_t size) { return "size/" + std::to_string(size); }
  void fill(const Client& client) const {
    for (const std::uint64_t size : sizes) {
      CAPTURE(size);
      REQUIRE_OK(client.put("b", key(size), size, size));
    }
  }
  void check(const Client& client) const {
    for (const std::uint64_t size : sizes) {
      CAPTURE(size);
      auto opened = client.open("b", key(size));
      REQUIRE_OK(opened);
      CHECK(opened->head->bytes == size);
      CHECK(client.holds(*opened, size));
    }
    const Listing listing = list_all(client, {"b", "", "", "", 1000, {}});
    CHECK(listing.keys.size() >= sizes.size());
  }
};

std::vector<std::uint64_t> test_sizes(unsigned k, const ErasureOptions& options) {
  std::vector<std::uint64_t> sizes = border_sizes(k, options);
  sizes.push_back(5 * kMiB + 7);
  return sizes;
}

/// Every set of up to m drives is away in turn, each in a way of its own; everything reads back
/// right, a write goes through while W drives are there, and the drives heal when they come back.
void lose_every_set(unsigned k, unsigned m) {
  DiskFixture fixture(k, m);
  const Client client(fixture);
  const unsigned n = k + m;
  const unsigned write_quorum = std::max(k, m + 1);
  REQUIRE_OK(client.create_bucket("b"));
  Expected expected{test_sizes(k, fixture.options())};
  expected.fill(client);
  std::uint64_t written = 0;
  for (unsigned mask = 1; mask < (1U << n); ++mask) {
    if (static_cast<unsigned>(std::popcount(mask)) > m) {
      continue;
    }
    CAPTURE(mask);
    std::vector<LostDrive> lost;
    for (unsigned i = 0; i < n; ++i) {
      if (((mask >> i) & 1U) != 0) {
        lost.emplace_back(fixture.drive(i),
                          (mask + i) % 2 == 0 ? Loss::renamed : Loss::replaced_by_file);
      }
    }
    const bool writable = n - static_cast<unsigned>(lost.size()) >= write_quorum;
    expected.check(client);
    REQUIRE(wait_for([&] { return current_drives(fixture.store()) <= n - lost.size(); }));
    expected.check(client);
    if (!writable) {
      CHECK_ERR(client.put("b", "while", 10, 1), Errc::write_quorum);
      CHECK_FALSE(fixture.store().status().ready);
    }
    if (writable) {
      const std::string key = "while/" + std::to_string(++written);
      REQUIRE_OK(client.put("b", key, 100'000, written));
      auto opened = client.open("b", key);
      REQUIRE_OK(opened);
      CHECK(client.holds(*opened, written));
      // What is overwritten and deleted meanwhile does not come back with the drive.
      REQUIRE_OK(client.put("b", "while/overwritten", 3000, written));
      REQUIRE_OK(client.put("b", "while/deleted", 10, 1));
      REQUIRE_OK(client.remove("b", "while/deleted"));
    }
    for (LostDrive& drive : lost) {
      drive.bring_back();
    }
    REQUIRE(wait_until_whole(fixture, n));
    if (!writable) {  // it writes again by itself
      REQUIRE(wait_for([&] { return client.put("b", "after", 10, mask).has_value(); }));
    } else {
      auto opened = client.open("b", "while/overwritten");
      REQUIRE_OK(opened);
      CHECK(client.holds(*opened, written));
      CHECK_ERR(client.open("b", "while/deleted"), Errc::no_such_key);
    }
  }
  expected.check(client);
  CHECK(fixture.store().status().corruption_found == 0);
}

}  // namespace

TEST_CASE("drive loss: INV-4: 1+1 reads through every set of m lost drives") {
  lose_every_set(1, 1);
}
TEST_CASE("drive loss: 2+1 reads and writes through every set of m lost drives") {
  lose_every_set(2, 1);
}
TEST_CASE("drive loss: 2+2 reads and writes through every set of m lost drives") {
  lose_every_set(2, 2);
}
TEST_CASE("drive loss: 4+2 reads and writes through every set of m lost drives") {
  lose_every_set(4, 2);
}

TEST_CASE("drive loss: m+1 drives away is read_quorum and write_quorum, never absent") {
  for (const auto& shape : {std::pair{1U, 1U}, {2U, 1U}, {2U, 2U}}) {
    const unsigned k = shape.first;
    const unsigned m = shape.second;
    CAPTURE(k);
    CAPTURE(m);
    DiskFixture fixture(k, m);
    const Client client(fixture);
    REQUIRE_OK(client.create_bucket("b"));
    Expected expected{{0, 100, 60'000, 300'000, 2 * kMiB}};
    expected.fill(client);
    std::vector<LostDrive> lost;
    if (k > 1) {  // with every path empty a store is formatted, as at the very first start
      fixture.close();
      for (unsigned i = 0; i <= m; ++i) {
        lost.emplace_back(fixture.drive(i), Loss::renamed);
      }
      CHECK_ERR(fixture.try_open(), Errc::read_quorum);
      for (LostDrive& drive : lost) {
        drive.bring_back();
      }
      fixture.open();
    }
    expected.check(client);
    // The same while it runs.
    lost.clear();
    for (unsigned i = 0; i <= m; ++i) {
      lost.emplace_back(fixture.drive(i), Loss::renamed);
    }
    REQUIRE(wait_for([&] { return current_drives(fixture.store()) == k - 1; }));
    for (const std::uint64_t size : expected.sizes) {
      auto opened = client.open("b", Expected::key(size));
      if (size == 0 && k > 1) {  // one current drive is enough to know it
        CHECK_OK(opened);
      } else {
        CHECK_ERR(opened, Errc::read_quorum);
      }
    }
    if (k == 1) {  // nobody is left to say that something is not there
      CHECK_ERR(client.open("b", "absent"), Errc::read_quorum);
    }
    // With nobody there the key cannot be looked up in the first place.
    CHECK_ERR(client.put("b", "new", 10, 1), k > 1 ? Errc::write_quorum : Errc::read_quorum);
    CHECK_FALSE(fixture.store().status().readable);
    for (LostDrive& drive : lost) {
      drive.bring_back();
    }
    REQUIRE(wait_until_whole(fixture, k + m));
    expected.check(client);
    REQUIRE(wait_for([&] { return client.put("b", "new", 10, 1).has_value(); }));
  }
}

TEST_CASE("drive loss: a replaced drive is rebuilt to the same rows") {
  DiskFixture fixture(2, 1);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Expected expected{test_sizes(2, fixture.options())};
  expected.fill(client);
  LostDrive lost(fixture.drive(1), Loss::removed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 2; }));
  fs::create_directory(lost.path());
  Pending<void> replaced;
  fixture.store().replace_drive(lost.path(), replaced.completion());
  REQUIRE_OK(replaced.wait(fixture));
  REQUIRE(wait_until_whole(fixture, 3));
  // The new drive carries its share: another one may go.
  LostDrive other(fixture.drive(0), Loss::renamed);
  expected.check(client);
  other.bring_back();
}

TEST_CASE("drive loss: INV-8: 4+2, two lost at once, one of them replaced, both heal") {
  DiskFixture fixture(4, 2);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Expected expected{test_sizes(4, fixture.options())};
  expected.fill(client);
  LostDrive returns(fixture.drive(1), Loss::renamed);
  LostDrive replaced(fixture.drive(4), Loss::removed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 4; }));
  REQUIRE_OK(client.put("b", "while", 100'000, 1));
  returns.bring_back();
  fs::create_directory(replaced.path());
  Pending<void> done;
  fixture.store().replace_drive(replaced.path(), done.completion());
  REQUIRE_OK(done.wait(fixture));
  REQUIRE(wait_until_whole(fixture, 6));
  // Both carry their share again: two others may go.
  LostDrive first(fixture.drive(0), Loss::renamed);
  LostDrive second(fixture.drive(2), Loss::renamed);
  expected.check(client);
  auto opened = client.open("b", "while");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
  first.bring_back();
  second.bring_back();
}

TEST_CASE("drive loss: a blank drive takes the slot of its place, or one that is away for good") {
  DiskFixture fixture(2, 1);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  const auto replace = [&](const std::string& path) {
    Pending<void> replaced;
    fixture.store().replace_drive(path, replaced.completion());
    return replaced.wait(fixture);
  };
  const std::string spare = fixture.drive(0) + ".spare";
  fs::create_directory(spare);
  CHECK_ERR(replace(spare), Errc::invalid_argument);  // nobody is away
  LostDrive lost(fixture.drive(1), Loss::removed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 2; }));
  // A place whose drive is a member takes no other drive's slot.
  CHECK_ERR(replace(fixture.drive(2)), Errc::invalid_argument);
  REQUIRE_OK(replace(spare));
  REQUIRE(wait_until_whole(fixture, 3));
  CHECK(fixture.store().status().drives[1].path == spare);
  // The drive that is now slot 1 goes, and comes back by itself: meanwhile it is not given up.
  fs::rename(spare, spare + ".aside");
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 2; }));
  fs::rename(spare + ".aside", spare);
  const std::string other = fixture.drive(0) + ".other";
  fs::create_directory(other);
  CHECK_ERR(replace(other), Errc::invalid_argument);
  REQUIRE(wait_until_whole(fixture, 3));
}

/// 1+1 with one drive gone for good takes a blank one in its place, and nothing is lost: what was
/// acknowledged is on both.
void replace_half(bool while_it_runs) {
  CAPTURE(while_it_runs);
  DiskFixture fixture(1, 1);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  Expected expected{test_sizes(1, fixture.options())};
  expected.fill(client);
  if (!while_it_runs) {
    fixture.close();
  }
  LostDrive lost(fixture.drive(1), Loss::removed);
  if (!while_it_runs) {
    fixture.open();
  }
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 1; }));
  CHECK_ERR(client.put("b", "while", 10, 1), Errc::write_quorum);
  expected.check(client);
  fs::create_directory(lost.path());
  Pending<void> replaced;
  fixture.store().replace_drive(lost.path(), replaced.completion());
  REQUIRE_OK(replaced.wait(fixture));
  REQUIRE_OK(client.put("b", "while", 3000, 1));
  REQUIRE(wait_until_whole(fixture, 2));
  // The new drive has everything: the old one may go.
  LostDrive other(fixture.drive(0), Loss::renamed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 1; }));
  expected.check(client);
  auto opened = client.open("b", "while");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 1));
  other.bring_back();
}

TEST_CASE("drive loss: INV-1: 1+1 gets a blank drive for the one that is gone for good") {
  replace_half(true);
  replace_half(false);
}

TEST_CASE("drive loss: a blank drive is refused where what was acknowledged would be lost") {
  DiskFixture fixture(2, 1);
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "k", 60'000, 1));
  LostDrive first(fixture.drive(0), Loss::renamed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 2; }));
  REQUIRE_OK(client.put("b", "while", 60'000, 2));  // on drives 1 and 2, and both are needed
  LostDrive second(fixture.drive(1), Loss::renamed);
  REQUIRE(wait_for([&] { return current_drives(fixture.store()) == 1; }));
  fs::create_directory(second.path());
  Pending<void> replaced;
  fixture.store().replace_drive(second.path(), replaced.completion());
  CHECK_ERR(replaced.wait(fixture), Errc::read_quorum);
  CHECK(fs::is_empty(second.path()));  // nothing was written there
  fs::remove(second.path());
  second.bring_back();
  REQUIRE(wait_for([&] { return client.put("b", "after", 10, 3).has_value(); }));
  auto opened = client.open("b", "while");
  REQUIRE_OK(opened);
  CHECK(client.holds(*opened, 2));
  first.bring_back();
  REQUIRE(wait_until_whole(fixture, 3));
}
