#include "erasure/drive/shard_files.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "erasure/base/buffer.h"
#include "erasure/drive/shard_file_header.h"
#include "erasure/io/posix_vfs.h"
#include "tests/erasure/drive/temp_dir.h"
#include "tests/sim/fault_vfs.h"
#include "tests/sim/sim_fs.h"
#include "tests/support/check_result.h"
#include "tests/support/seed.h"

namespace mote::erasure {
namespace {

constexpr const char* kRoot = "/d/shards";
constexpr const char* kQuarantine = "/d/quarantine";

struct Fixture {
  Fixture() {
    fs.add_drive("/d");
    REQUIRE_OK(fs.make_directory(kRoot));
    REQUIRE_OK(fs.make_directory(kQuarantine));
    fs.sync_all("/d");
    open();
  }
  void open() {
    files.reset();
    auto opened = ShardFiles::open(fs, kRoot, kQuarantine, rng, nullptr);
    REQUIRE_OK(opened);
    files = std::move(*opened);
  }
  std::string path(const ShardFileId& id) const {
    return std::string(kRoot) + "/" + std::to_string(id.dirno) + "/" + shard_file_name(id.file);
  }

  sim::SimFs fs;
  SeededRng rng{mote::test::random_seed()};
  std::unique_ptr<ShardFiles> files;
};

ShardFileHeader header_of(Geometry geometry, std::uint64_t object_bytes) {
  ShardFileHeader header;
  header.bucket_id = 0x0102030405060708;
  header.key_hash = 0x1112131415161718;
  header.writer[3] = std::byte{9};
  header.part = 7;
  header.shard_index = static_cast<std::uint8_t>(geometry.shards() - 1);
  header.geometry = geometry;
  header.object_bytes = object_bytes;
  return header;
}

std::string random_text(Rng& rng, std::size_t count) {
  std::string text(count, '\0');
  rng.fill(std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

// The shards of one drive, by stripe.
std::vector<std::string> random_shards(Rng& rng, const ShardFileHeader& header) {
  std::vector<std::string> shards;
  const Geometry& geometry = header.geometry;
  for (std::uint64_t i = 0; i < geometry.stripe_count(header.object_bytes); ++i) {
    shards.push_back(
        random_text(rng, geometry.shard_bytes(geometry.stripe_length(header.object_bytes, i))));
  }
  return shards;
}

Result<ShardFileId> write(ShardFiles& files, const ShardFileHeader& header,
                          const std::vector<std::string>& shards) {
  auto writer = files.create(header);
  if (!writer) {
    return writer.error();
  }
  for (const std::string& shard : shards) {
    const Status appended = (*writer)->append(as_bytes(shard));
    if (!appended) {
      return appended.error();
    }
  }
  const Status finished = (*writer)->finish();
  if (!finished) {
    return finished.error();
  }
  return (*writer)->id();
}

// ok if every stripe is there and as written; the first error otherwise.
Status compare(const ShardFiles& files, const ShardFileId& id, const ShardFileHeader& header,
               const std::vector<std::string>& shards) {
  const auto reader = files.open_reader(id);
  if (!reader) {
    return reader.error();
  }
  CHECK((*reader)->header() == header);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    std::string got(shards[i].size(), 'x');
    const Status read =
        (*reader)->read_stripe(i, std::as_writable_bytes(std::span(got.data(), got.size())));
    if (!read) {
      return read;
    }
    CHECK(got == shards[i]);
  }
  return ok();
}

TEST_CASE("shard_files: what is written is read, sizes at +-1 of whole stripes") {
  Fixture fixture;
  for (const Geometry geometry :
       {Geometry{1, 0, 8192}, Geometry{2, 1, 8192}, Geometry{3, 2, 8192}}) {
    for (const std::uint64_t bytes : {1ULL, 8191ULL, 8192ULL, 8193ULL, 3 * 8192ULL - 1, 3 * 8192ULL,
                                      3 * 8192ULL + 1, 64 * 8192ULL, 64 * 8192ULL + 1}) {
      CAPTURE(geometry.k);
      CAPTURE(bytes);
      const ShardFileHeader header = header_of(geometry, bytes);
      const auto shards = random_shards(fixture.rng, header);
      const auto id = write(*fixture.files, header, shards);
      REQUIRE_OK(id);
      CHECK_OK(compare(*fixture.files, *id, header, shards));
      const auto info = fixture.fs.stat(fixture.path(*id));
      REQUIRE_OK(info);
      CHECK(info->bytes == geometry.shard_file_bytes(bytes));
    }
  }
}

TEST_CASE("shard_files: stripe sums, and the trailer of files with many stripes") {
  Fixture fixture;
  const ShardFileHeader header = header_of({2, 1, 4096}, 70 * 4096 + 5);
  const auto shards = random_shards(fixture.rng, header);
  auto writer = fixture.files->create(header);
  REQUIRE_OK(writer);
  std::vector<Sum128> expected;
  for (const std::string& shard : shards) {
    REQUIRE_OK((*writer)->append(as_bytes(shard)));
    expected.push_back(payload_sum(as_bytes(shard)));
  }
  REQUIRE_OK((*writer)->finish());
  CHECK((*writer)->stripe_sums() == expected);
  const ShardFileId id = (*writer)->id();
  const auto reader = fixture.files->open_reader(id);
  REQUIRE_OK(reader);
  const auto sums = (*reader)->read_sums();
  REQUIRE_OK(sums);
  CHECK(*sums == expected);
  REQUIRE_OK(fixture.fs.damage(fixture.path(id),
                               header.geometry.trailer_offset(header.object_bytes) + 40));
  CHECK_ERR((*reader)->read_sums(), Errc::corrupt);

  const ShardFileHeader small = header_of({2, 1, 4096}, 4096);
  const auto without = write(*fixture.files, small, random_shards(fixture.rng, small));
  REQUIRE_OK(without);
  const auto small_reader = fixture.files->open_reader(*without);
  REQUIRE_OK(small_reader);
  CHECK_ERR((*small_reader)->read_sums(), Errc::corrupt);
}

TEST_CASE("shard_files: wrong lengths and counts are refused, on both sides") {
  Fixture fixture;
  const ShardFileHeader header = header_of({2, 1, 8192}, 8192 + 10);
  auto writer = fixture.files->create(header);
  REQUIRE_OK(writer);
  const std::string full(4096, 'a');
  CHECK_ERR((*writer)->append(as_bytes(full).first(4095)), Errc::invalid_argument);
  CHECK_ERR((*writer)->finish(), Errc::invalid_argument);
  CHECK_OK((*writer)->append(as_bytes(full)));
  CHECK_ERR((*writer)->append(as_bytes(full)), Errc::invalid_argument);
  CHECK_ERR((*writer)->finish(), Errc::invalid_argument);
  CHECK_OK((*writer)->append(as_bytes("12345")));
  CHECK_ERR((*writer)->append(as_bytes("12345")), Errc::invalid_argument);
  CHECK_OK((*writer)->sync_early());
  CHECK_OK((*writer)->finish());
  const auto reader = fixture.files->open_reader((*writer)->id());
  REQUIRE_OK(reader);
  Buffer out(4096);
  CHECK_OK((*reader)->read_stripe(0, out.span()));
  CHECK_ERR((*reader)->read_stripe(1, out.span()), Errc::invalid_argument);
  CHECK_ERR((*reader)->read_stripe(2, out.span().first(5)), Errc::invalid_argument);
}

TEST_CASE("shard_files: unless finished and kept, a file leaves nothing behind") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 8192}, 10);
  const auto count = [&] {
    return fixture.files->files(fixture.files->arrival_directory())->size();
  };
  {
    auto writer = fixture.files->create(header);
    REQUIRE_OK(writer);
    CHECK(count() == 1);
  }
  CHECK(count() == 0);
  {
    auto writer = fixture.files->create(header);
    REQUIRE_OK(writer);
    CHECK_OK((*writer)->append(as_bytes("0123456789")));
    CHECK_OK((*writer)->finish());
    (*writer)->discard();
  }
  CHECK(count() == 0);
  const auto id = write(*fixture.files, header, {"0123456789"});
  REQUIRE_OK(id);
  CHECK(count() == 1);
}

TEST_CASE("shard_files: unlink, twice; an open reader goes on; absent is no_such_file") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 8192}, 10);
  const auto id = write(*fixture.files, header, {"0123456789"});
  REQUIRE_OK(id);
  const auto reader = fixture.files->open_reader(*id);
  REQUIRE_OK(reader);
  CHECK_OK(fixture.files->unlink(*id));
  CHECK_OK(fixture.files->unlink(*id));
  CHECK_ERR(fixture.files->open_reader(*id), Errc::no_such_file);
  Buffer out(10);
  CHECK_OK((*reader)->read_stripe(0, out.span()));
  CHECK(as_text(out.view()) == "0123456789");
}

TEST_CASE("shard_files: quarantine moves the file, its bytes stay") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 8192}, 10);
  const auto id = write(*fixture.files, header, {"0123456789"});
  REQUIRE_OK(id);
  CHECK_OK(fixture.files->quarantine(*id));
  CHECK_ERR(fixture.files->open_reader(*id), Errc::no_such_file);
  CHECK_ERR(fixture.files->quarantine(*id), Errc::no_such_file);
  fixture.fs.cut_power(1, sim::CutMode::drop_all);
  const auto kept = fixture.fs.stat(std::string(kQuarantine) + "/" + shard_file_name(id->file));
  REQUIRE_OK(kept);
  CHECK(kept->bytes == header.geometry.shard_file_bytes(10));
}

TEST_CASE("shard_files: every flipped bit of the header is corrupt; so is another file's") {
  Fixture fixture;
  const ShardFileHeader header = header_of({2, 1, 8192}, 100);
  const auto shards = random_shards(fixture.rng, header);
  const auto id = write(*fixture.files, header, shards);
  const auto other = write(*fixture.files, header, shards);
  REQUIRE_OK(id);
  REQUIRE_OK(other);
  std::string bytes = encode_shard_header(id->file, header);
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 1 + bit / 1024) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    REQUIRE_ERR(decode_shard_header(as_bytes(bytes), id->file), Errc::corrupt);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  }
  REQUIRE_OK(decode_shard_header(as_bytes(bytes), id->file));
  REQUIRE_OK(fixture.fs.damage(fixture.path(*id), 33));
  CHECK_ERR(fixture.files->open_reader(*id), Errc::corrupt);
  REQUIRE_OK(fixture.fs.rename(fixture.path(*other), fixture.path(*id)));
  CHECK_ERR(fixture.files->open_reader(*id), Errc::corrupt);
}

TEST_CASE("shard_files: cut, grown and emptied files are corrupt") {
  Fixture fixture;
  const ShardFileHeader header = header_of({2, 1, 8192}, 100);
  for (const std::uint64_t length : {0ULL, 4095ULL, 4096ULL, 4096 + 49ULL, 4096 + 51ULL}) {
    const auto id = write(*fixture.files, header, random_shards(fixture.rng, header));
    REQUIRE_OK(id);
    OpenOptions options;
    options.write = true;
    auto file = fixture.fs.open(fixture.path(*id), options);
    REQUIRE_OK(file);
    REQUIRE_OK((*file)->truncate(length));
    CHECK_ERR(fixture.files->open_reader(*id), Errc::corrupt);
  }
}

TEST_CASE("shard_files: a file cut while it is open reads as corrupt, not as short") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 8192}, 100);
  const auto id = write(*fixture.files, header, random_shards(fixture.rng, header));
  REQUIRE_OK(id);
  const auto reader = fixture.files->open_reader(*id);
  REQUIRE_OK(reader);
  OpenOptions options;
  options.write = true;
  auto file = fixture.fs.open(fixture.path(*id), options);
  REQUIRE_OK(file);
  REQUIRE_OK((*file)->truncate(4096 + 99));
  Buffer out(100);
  CHECK_ERR((*reader)->read_stripe(0, out.span()), Errc::corrupt);
}

TEST_CASE(
    "shard_files: a finished file survives a power cut at any later call, an unfinished one may "
    "not") {
  const ShardFileHeader header = header_of({2, 1, 8192}, 20'000);
  const std::uint64_t seed = mote::test::random_seed();
  INFO("MOTE_TEST_SEED=" << seed);
  bool all_done = false;
  for (std::uint64_t at = 1; !all_done; ++at) {
    REQUIRE(at < 200);
    CAPTURE(at);
    Fixture fixture;
    const auto shards = random_shards(fixture.rng, header);
    fixture.fs.faults().cut_at(at);
    std::vector<ShardFileId> finished;
    while (finished.size() < 3) {
      const auto id = write(*fixture.files, header, shards);
      if (!id) {
        break;
      }
      finished.push_back(*id);
    }
    all_done = finished.size() == 3;
    fixture.fs.restart(seed + at, sim::CutMode::random);
    fixture.open();
    for (const ShardFileId& id : finished) {
      CHECK_OK(compare(*fixture.files, id, header, shards));
    }
    // and the next arrivals are not mixed with what was left
    CHECK(fixture.files->files(fixture.files->arrival_directory())->empty());
  }
}

TEST_CASE("shard_files: after a failed sync nothing is finished again, and no sync is repeated") {
  const ShardFileHeader header = header_of({1, 0, 8192}, 10);
  for (const sim::VfsCall call : {sim::VfsCall::sync_data, sim::VfsCall::directory_sync}) {
    Fixture fixture;
    auto first = fixture.files->create(header);
    auto second = fixture.files->create(header);
    REQUIRE_OK(first);
    REQUIRE_OK(second);
    REQUIRE_OK((*first)->append(as_bytes("0123456789")));
    REQUIRE_OK((*second)->append(as_bytes("0123456789")));
    sim::Fault fault;
    fault.call = call;
    fixture.fs.faults().fail(fault);
    CHECK_ERR((*first)->finish(), Errc::io_error);
    fixture.fs.faults().reset_calls();
    CHECK_ERR((*first)->finish(), Errc::io_error);
    CHECK_ERR((*second)->finish(), Errc::io_error);
    CHECK_ERR((*second)->sync_early(), Errc::io_error);
    CHECK_ERR(fixture.files->create(header), Errc::io_error);
    CHECK(fixture.fs.faults().calls(sim::VfsCall::sync_data) == 0);
    CHECK(fixture.fs.faults().calls(sim::VfsCall::directory_sync) == 0);
  }
}

TEST_CASE("shard_files: no space while writing is said so and leaves nothing") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 65536}, 65536);
  fixture.fs.limit_space("/d", fixture.fs.used_bytes("/d") + 16'384);
  CHECK_ERR(write(*fixture.files, header, random_shards(fixture.rng, header)), Errc::no_space);
  CHECK(fixture.files->files(fixture.files->arrival_directory())->empty());
  const ShardFileHeader small = header_of({1, 0, 65536}, 10);
  CHECK_OK(write(*fixture.files, small, random_shards(fixture.rng, small)));
}

TEST_CASE("shard_files: directories are filled in order and made ahead of their use") {
  Fixture fixture;
  const ShardFileHeader header = header_of({1, 0, 8192}, 1);
  const std::uint64_t first = fixture.files->arrival_directory();
  const auto directories = [&] { return *fixture.files->directories(0); };
  auto oldest = fixture.files->create(header);
  REQUIRE_OK(oldest);
  CHECK(directories().size() == 1);
  for (std::uint64_t i = 1; i <= ShardFiles::kFilesPerDirectory / 2; ++i) {
    REQUIRE_OK(fixture.files->create(header));
  }
  CHECK(directories() == std::vector<std::uint64_t>{first, first + 1});
  for (std::uint64_t i = ShardFiles::kFilesPerDirectory / 2 + 1; i < ShardFiles::kFilesPerDirectory;
       ++i) {
    REQUIRE_OK(fixture.files->create(header));
  }
  fixture.fs.faults().reset_calls();
  auto next = fixture.files->create(header);
  REQUIRE_OK(next);
  CHECK((*next)->id().dirno == first + 1);
  CHECK(fixture.fs.faults().calls(sim::VfsCall::make_directory) == 0);
  CHECK(fixture.files->arrival_directory() == first);
  REQUIRE_OK((*oldest)->append(as_bytes("x")));
  REQUIRE_OK((*oldest)->finish());
  oldest->reset();
  CHECK(fixture.files->arrival_directory() == first + 1);
  CHECK(fixture.files->files(first)->size() == 1);
}

TEST_CASE("shard_files: opening uses a fresh directory, or the last one if it is empty") {
  Fixture fixture;
  const std::uint64_t first = fixture.files->arrival_directory();
  fixture.open();
  CHECK(fixture.files->arrival_directory() == first);
  const ShardFileHeader header = header_of({1, 0, 8192}, 1);
  const auto id = write(*fixture.files, header, {"x"});
  REQUIRE_OK(id);
  fixture.open();
  CHECK(fixture.files->arrival_directory() == first + 1);
  CHECK(*fixture.files->directories(first + 1) == std::vector<std::uint64_t>{first + 1});
  REQUIRE_OK(fixture.fs.make_directory(std::string(kRoot) + "/not-a-number"));
  CHECK(fixture.files->directories(0)->size() == 2);
  CHECK(*fixture.files->files(first) == std::vector<ShardFileId>{*id});
}

TEST_CASE("shard_files: names are parsed as they are made") {
  SeededRng rng(7);
  const Uuid file = rng.uuid();
  CHECK(parse_shard_file_name(shard_file_name(file)) == file);
  for (const char* name :
       {"", "0", "ABCDEF00112233445566778899aabbcc", "0011223344556677889900112233445g",
        "00112233445566778899aabbccddeeff0"}) {
    CHECK_FALSE(parse_shard_file_name(name));
  }
}

TEST_CASE("shard_files: writers that finish together share directory syncs") {
  PosixVfs posix;
  sim::FaultVfs vfs(posix);
  const test::TempDir directory;
  REQUIRE_OK(vfs.make_directory(directory.path() + "/shards"));
  REQUIRE_OK(vfs.make_directory(directory.path() + "/quarantine"));
  SystemRng rng;
  auto files = ShardFiles::open(vfs, directory.path() + "/shards", directory.path() + "/quarantine",
                                rng, nullptr);
  REQUIRE_OK(files);
  vfs.faults().watch_root(directory.path());
  vfs.faults().delay_syncs(std::chrono::milliseconds(20));
  constexpr int kThreads = 16;
  constexpr int kEach = 3;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const ShardFileHeader header = header_of({1, 0, 8192}, 4);
      for (int round = 0; round < kEach; ++round) {
        const auto id = write(**files, header, {"data"});
        if (id && compare(**files, *id, header, {"data"})) {
          ++good;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(good == kThreads * kEach);
  const sim::SyncCount syncs = vfs.faults().syncs(directory.path());
  CHECK(syncs.data == kThreads * kEach);
  CHECK(syncs.directory >= kEach);
  CHECK(syncs.directory <= kThreads * kEach / 2);
}

}  // namespace
}  // namespace mote::erasure
