// A miss asks k drives; one that is slow, fails or throws never sinks the GET.
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/contract/erasure_fixture.h"

using namespace mote;
using namespace mote::contract;

namespace {

enum class Mood : int { well, slow, failing, throwing };

/// What reads of shard files do, and how many there were, by drive.
struct Moods {
  std::array<std::atomic<Mood>, 8> mood{};
  std::array<std::atomic<int>, 8> reads{};
  [[nodiscard]] int drives_read() const {
    return static_cast<int>(
        std::count_if(reads.begin(), reads.end(), [](const auto& n) { return n.load() > 0; }));
  }
  void forget() {
    for (std::atomic<int>& n : reads) {
      n = 0;
    }
  }
};

class MoodyFile final : public erasure::File {
 public:
  MoodyFile(std::unique_ptr<File> file, Moods& moods, std::size_t drive)
      : file_(std::move(file)), moods_(moods), drive_(drive) {}
  Result<std::size_t> pread(std::uint64_t offset, ByteSpan out) override {
    ++moods_.reads[drive_];
    switch (moods_.mood[drive_].load()) {
      case Mood::well:
        break;
      case Mood::slow:
        std::this_thread::sleep_for(std::chrono::milliseconds(600));
        break;
      case Mood::failing:
        return Error{Errc::io_error, 5, "test.pread"};
      case Mood::throwing:
        throw std::bad_alloc();
    }
    return file_->pread(offset, out);
  }
  Status pwrite(std::uint64_t offset, ByteView data) override {
    return file_->pwrite(offset, data);
  }
  Status sync_data() override { return file_->sync_data(); }
  Status truncate(std::uint64_t bytes) override { return file_->truncate(bytes); }
  Status allocate(std::uint64_t bytes) override { return file_->allocate(bytes); }
  Result<std::uint64_t> size() override { return file_->size(); }

 private:
  std::unique_ptr<File> file_;
  Moods& moods_;
  const std::size_t drive_;
};

/// The real file system, but for the shard files of ".../d<digit>/shards/".
class MoodyVfs final : public erasure::Vfs {
 public:
  explicit MoodyVfs(Moods& moods) : moods_(moods) {}
  Result<std::unique_ptr<erasure::File>> open(const std::string& path,
                                              const erasure::OpenOptions& options) override {
    auto file = real_.open(path, options);
    const std::size_t at = path.find("/shards/");
    if (!file || at == std::string::npos || options.write) {
      return file;
    }
    const auto drive = static_cast<std::size_t>(path[at - 1] - '0');
    return std::unique_ptr<erasure::File>(
        std::make_unique<MoodyFile>(*std::move(file), moods_, drive));
  }
  Result<std::unique_ptr<erasure::Directory>> open_directory(const std::string& path) override {
    return real_.open_directory(path);
  }
  Result<erasure::FileInfo> stat(const std::string& path) override { return real_.stat(path); }
  Result<std::vector<std::string>> list(const std::string& path) override {
    return real_.list(path);
  }
  Status make_directory(const std::string& path) override { return real_.make_directory(path); }
  Status rename(const std::string& from, const std::string& to) override {
    return real_.rename(from, to);
  }
  Status link(const std::string& from, const std::string& to) override {
    return real_.link(from, to);
  }
  Status unlink(const std::string& path) override { return real_.unlink(path); }
  Status remove_directory(const std::string& path) override { return real_.remove_directory(path); }
  Result<erasure::SpaceInfo> space(const std::string& path) override { return real_.space(path); }
  Result<std::unique_ptr<erasure::FileLock>> lock(const std::string& path) override {
    return real_.lock(path);
  }
  Result<bool> is_mount_point(const std::string& path) override {
    return real_.is_mount_point(path);
  }

 private:
  erasure::PosixVfs real_;
  Moods& moods_;
};

constexpr std::uint64_t kBytes = 3 * kMiB + 5;  // in shard files

}  // namespace

TEST_CASE("gather: one drive that is slow, fails or throws does not sink a read") {
  Moods moods;
  DiskFixture fixture(
      4, 2, [](ErasureOptions& options) { options.hedge_after = std::chrono::milliseconds(20); },
      std::make_unique<MoodyVfs>(moods));
  const Client client(fixture);
  REQUIRE_OK(client.create_bucket("b"));
  REQUIRE_OK(client.put("b", "key", kBytes, 1));
  const auto reads_back = [&client] {
    auto opened = client.open("b", "key");
    REQUIRE_OK(opened);
    CHECK(client.holds(*opened, 1));
  };
  reads_back();
  CHECK(moods.drives_read() == 4);  // the data shards and no more
  for (const Mood mood : {Mood::slow, Mood::failing, Mood::throwing}) {
    for (std::size_t drive = 0; drive < 6; ++drive) {
      CAPTURE(static_cast<int>(mood));
      CAPTURE(drive);
      moods.mood[drive] = mood;
      reads_back();
      moods.mood[drive] = Mood::well;
    }
  }
  // m drives at once; with one more there is no answer, and it is said.
  moods.mood[0] = Mood::throwing;
  moods.mood[3] = Mood::failing;
  reads_back();
  moods.mood[5] = Mood::throwing;
  auto opened = client.open("b", "key");
  CHECK((!opened.has_value() || !client.holds(*opened, 1)));
}
