#include "tests/erasure/io/vfs_contract.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "erasure/io/posix_vfs.h"
#include "tests/sim/fault_vfs.h"
#include "tests/sim/sim_fs.h"

namespace mote::erasure::test {
namespace {

constexpr OpenOptions kNew{.read = true, .write = true, .create = true};

std::unique_ptr<File> must_open(Vfs& vfs, const std::string& path, const OpenOptions& options) {
  auto file = vfs.open(path, options);
  REQUIRE_MESSAGE(file.has_value(), path);
  return std::move(*file);
}

void put(Vfs& vfs, const std::string& path, std::string_view text) {
  OpenOptions options = kNew;
  options.truncate = true;
  REQUIRE(must_open(vfs, path, options)->pwrite(0, as_bytes(text)).has_value());
}

std::string get(Vfs& vfs, const std::string& path) {
  const auto text = read_file(vfs, path, kMiB);
  REQUIRE_MESSAGE(text.has_value(), path);
  return *text;
}

template <class R>
Errc code_of(const R& result) {
  REQUIRE(result.has_error());
  return result.error().code;
}

std::string read_at(File& file, std::uint64_t offset, std::size_t count) {
  std::string text(count, '?');
  const auto got = file.pread(offset, std::as_writable_bytes(std::span(text.data(), text.size())));
  REQUIRE(got.has_value());
  text.resize(*got);
  return text;
}

void check_reads_and_writes(Vfs& vfs, const std::string& root) {
  auto file = must_open(vfs, root + "/rw", kNew);
  CHECK(file->size().value() == 0);
  CHECK(read_at(*file, 0, 4).empty());
  REQUIRE(file->pwrite(2, as_bytes("abc")).has_value());
  CHECK(read_at(*file, 0, 100) == std::string("\0\0abc", 5));
  CHECK(read_at(*file, 5, 1).empty());
  CHECK(read_at(*file, 500, 1).empty());
  REQUIRE(file->pwrite(4095, as_bytes("XY")).has_value());
  CHECK(file->size().value() == 4097);
  CHECK(read_at(*file, 4094, 9) == std::string("\0XY", 3));
  REQUIRE(file->pwrite(3, as_bytes("")).has_value());
  REQUIRE(file->sync_data().has_value());
  auto again = must_open(vfs, root + "/rw", OpenOptions{});
  CHECK(read_at(*again, 2, 3) == "abc");
  CHECK(code_of(again->pwrite(0, as_bytes("no"))) == Errc::io_error);
}

void check_sizes(Vfs& vfs, const std::string& root) {
  auto file = must_open(vfs, root + "/sizes", kNew);
  REQUIRE(file->pwrite(0, as_bytes(std::string(10'000, 'x'))).has_value());
  REQUIRE(file->truncate(5'000).has_value());
  CHECK(file->size().value() == 5'000);
  REQUIRE(file->truncate(9'000).has_value());
  CHECK(read_at(*file, 4'998, 4) == std::string("xx\0\0", 4));
  CHECK(read_at(*file, 8'999, 9) == std::string(1, '\0'));
  REQUIRE(file->allocate(100'000).has_value());
  CHECK(file->size().value() == 100'000);
  CHECK(read_at(*file, 0, 2) == "xx");
  CHECK(read_at(*file, 99'998, 9) == std::string(2, '\0'));
  REQUIRE(file->allocate(10).has_value());  // never shrinks
  CHECK(file->size().value() == 100'000);
}

void check_open_options(Vfs& vfs, const std::string& root) {
  const std::string path = root + "/open";
  CHECK(code_of(vfs.open(path, OpenOptions{})) == Errc::no_such_file);
  CHECK(code_of(vfs.open(root + "/none/open", kNew)) == Errc::no_such_file);
  OpenOptions exclusive = kNew;
  exclusive.exclusive = true;
  REQUIRE(must_open(vfs, path, exclusive)->pwrite(0, as_bytes("old")).has_value());
  CHECK(code_of(vfs.open(path, exclusive)) == Errc::already_exists);
  CHECK(read_at(*must_open(vfs, path, kNew), 0, 9) == "old");
  OpenOptions truncate{.read = true, .write = true, .truncate = true};
  CHECK(must_open(vfs, path, truncate)->size().value() == 0);
  CHECK(code_of(vfs.open(path + "/below", OpenOptions{})) == Errc::no_such_file);
  CHECK(code_of(vfs.open(root, kNew)) == Errc::io_error);
}

void check_names(Vfs& vfs, const std::string& root) {
  const std::string top = root + "/names";
  REQUIRE(vfs.make_directory(top).has_value());
  CHECK(code_of(vfs.make_directory(top)) == Errc::already_exists);
  CHECK(code_of(vfs.make_directory(root + "/none/sub")) == Errc::no_such_file);
  put(vfs, top + "/a", "A");
  REQUIRE(vfs.make_directory(top + "/d").has_value());
  auto names = vfs.list(top).value();
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"a", "d"});
  CHECK(code_of(vfs.list(root + "/none")) == Errc::no_such_file);
  CHECK(vfs.stat(top + "/a").value().kind == FileKind::file);
  CHECK(vfs.stat(top + "/a").value().bytes == 1);
  CHECK(vfs.stat(top + "/d").value().kind == FileKind::directory);
  CHECK(code_of(vfs.stat(top + "/none")) == Errc::no_such_file);
  CHECK(code_of(vfs.unlink(top + "/none")) == Errc::no_such_file);
  CHECK(code_of(vfs.unlink(top + "/d")) == Errc::io_error);
  CHECK(code_of(vfs.remove_directory(top)) == Errc::io_error);  // not empty
  CHECK(code_of(vfs.remove_directory(top + "/none")) == Errc::no_such_file);
  REQUIRE(vfs.remove_directory(top + "/d").has_value());
  REQUIRE(vfs.unlink(top + "/a").has_value());
  REQUIRE(vfs.remove_directory(top).has_value());
  CHECK(code_of(vfs.stat(top)) == Errc::no_such_file);
}

void check_rename(Vfs& vfs, const std::string& root) {
  const std::string top = root + "/rename";
  REQUIRE(vfs.make_directory(top).has_value());
  REQUIRE(vfs.make_directory(top + "/other").has_value());
  put(vfs, top + "/a", "A");
  put(vfs, top + "/b", "B");
  const auto moved = vfs.stat(top + "/a").value();
  REQUIRE(vfs.rename(top + "/a", top + "/b").has_value());
  CHECK(get(vfs, top + "/b") == "A");
  CHECK(vfs.stat(top + "/b").value().inode == moved.inode);
  CHECK(code_of(vfs.stat(top + "/a")) == Errc::no_such_file);
  REQUIRE(vfs.rename(top + "/b", top + "/other/c").has_value());
  CHECK(get(vfs, top + "/other/c") == "A");
  CHECK(code_of(vfs.rename(top + "/a", top + "/x")) == Errc::no_such_file);
  put(vfs, top + "/file", "F");
  CHECK(code_of(vfs.rename(top + "/file", top + "/other")) == Errc::io_error);
  CHECK(code_of(vfs.rename(top + "/other", top + "/other/sub")) == Errc::io_error);
  REQUIRE(vfs.rename(top + "/other", top + "/moved").has_value());
  CHECK(get(vfs, top + "/moved/c") == "A");
}

void check_links(Vfs& vfs, const std::string& root) {
  put(vfs, root + "/one", "1");
  REQUIRE(vfs.link(root + "/one", root + "/two").has_value());
  CHECK(code_of(vfs.link(root + "/one", root + "/two")) == Errc::already_exists);
  CHECK(code_of(vfs.link(root + "/none", root + "/three")) == Errc::no_such_file);
  CHECK(vfs.stat(root + "/one").value().inode == vfs.stat(root + "/two").value().inode);
  REQUIRE(vfs.rename(root + "/one", root + "/two").has_value());  // the same file: nothing happens
  CHECK(get(vfs, root + "/one") == "1");
  REQUIRE(vfs.unlink(root + "/one").has_value());
  CHECK(get(vfs, root + "/two") == "1");
}

void check_open_after_unlink(Vfs& vfs, const std::string& root) {
  auto file = must_open(vfs, root + "/gone", kNew);
  REQUIRE(file->pwrite(0, as_bytes("still")).has_value());
  REQUIRE(vfs.unlink(root + "/gone").has_value());
  put(vfs, root + "/gone", "new");
  CHECK(read_at(*file, 0, 9) == "still");
  CHECK(get(vfs, root + "/gone") == "new");
}

void check_directories(Vfs& vfs, const std::string& root) {
  const std::string top = root + "/dir";
  REQUIRE(vfs.make_directory(top).has_value());
  auto directory = vfs.open_directory(top);
  REQUIRE(directory.has_value());
  CHECK((*directory)->sync().has_value());
  CHECK((*directory)->info().value().kind == FileKind::directory);
  CHECK((*directory)->info().value().inode == vfs.stat(top).value().inode);
  CHECK((*directory)->info().value().device == vfs.stat(top).value().device);
  REQUIRE(vfs.rename(top, root + "/dir2").has_value());
  REQUIRE(vfs.make_directory(top).has_value());
  CHECK((*directory)->info().value().inode != vfs.stat(top).value().inode);
  CHECK(code_of(vfs.open_directory(root + "/none")) == Errc::no_such_file);
  put(vfs, root + "/plain", "");
  CHECK(code_of(vfs.open_directory(root + "/plain")) == Errc::no_such_file);
  CHECK(vfs.sync_directory(root).has_value());
  CHECK(code_of(vfs.sync_directory(root + "/none")) == Errc::no_such_file);
}

void check_locks(Vfs& vfs, const std::string& root) {
  auto first = vfs.lock(root + "/lock");
  REQUIRE(first.has_value());
  CHECK(code_of(vfs.lock(root + "/lock")) == Errc::drive_locked);
  CHECK(vfs.lock(root + "/lock2").has_value());
  first->reset();
  CHECK(vfs.lock(root + "/lock").has_value());
  CHECK(code_of(vfs.lock(root + "/none/lock")) == Errc::no_such_file);
}

void check_whole_files(Vfs& vfs, const std::string& root) {
  const std::string path = root + "/whole";
  REQUIRE(write_file_atomically(vfs, path, as_bytes("one")).has_value());
  CHECK(get(vfs, path) == "one");
  REQUIRE(write_file_atomically(vfs, path, as_bytes("2")).has_value());
  CHECK(get(vfs, path) == "2");
  CHECK(code_of(vfs.stat(path + ".tmp")) == Errc::no_such_file);
  CHECK(code_of(read_file(vfs, path, 0)) == Errc::too_large);
  CHECK(code_of(read_file(vfs, root + "/none", 9)) == Errc::no_such_file);
  CHECK(code_of(write_file_atomically(vfs, root + "/none/x", as_bytes("x"))) == Errc::no_such_file);
}

void check_space(Vfs& vfs, const std::string& root) {
  const auto space = vfs.space(root);
  REQUIRE(space.has_value());
  CHECK(space->total_bytes > 0);
  CHECK(space->free_bytes <= space->total_bytes);
  CHECK(code_of(vfs.space(root + "/none")) == Errc::no_such_file);
  CHECK_FALSE(vfs.is_mount_point(root + "/names2").has_value());
  REQUIRE(vfs.make_directory(root + "/names2").has_value());
  CHECK_FALSE(vfs.is_mount_point(root + "/names2").value());
}

void check_direct(Vfs& vfs, const std::string& root) {
  OpenOptions options = kNew;
  options.direct = true;
  auto file = must_open(vfs, root + "/direct", options);
  struct alignas(4096) Block {
    std::array<std::byte, 4096> bytes;
  };
  auto block = std::make_unique<Block>();
  block->bytes.fill(std::byte{7});
  REQUIRE(file->pwrite(4096, block->bytes).has_value());
  REQUIRE(file->sync_data().has_value());
  block->bytes.fill(std::byte{0});
  CHECK(file->pread(4096, block->bytes).value() == 4096);
  CHECK(block->bytes[4095] == std::byte{7});
  CHECK(file->size().value() == 8192);
}

/// A directory of its own on the real disk, removed at the end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mote-io-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void check_vfs_contract(Vfs& vfs, const std::string& root) {
  check_reads_and_writes(vfs, root);
  check_sizes(vfs, root);
  check_open_options(vfs, root);
  check_names(vfs, root);
  check_rename(vfs, root);
  check_links(vfs, root);
  check_open_after_unlink(vfs, root);
  check_directories(vfs, root);
  check_locks(vfs, root);
  check_whole_files(vfs, root);
  check_space(vfs, root);
  check_direct(vfs, root);
}

TEST_CASE("vfs contract: PosixVfs") {
  const ScratchDirectory scratch;
  PosixVfs vfs;
  check_vfs_contract(vfs, scratch.path());
}

TEST_CASE("vfs contract: SimFs") {
  sim::SimFs vfs;
  vfs.add_drive("/drives/d1", false);
  check_vfs_contract(vfs, "/drives/d1");
}

TEST_CASE("vfs contract: SimFs below no drive") {
  sim::SimFs vfs;
  REQUIRE(vfs.make_directory("plain").has_value());
  check_vfs_contract(vfs, "plain");
}

TEST_CASE("vfs contract: FaultVfs over PosixVfs") {
  const ScratchDirectory scratch;
  PosixVfs posix;
  sim::FaultVfs vfs(posix);
  check_vfs_contract(vfs, scratch.path());
  CHECK(vfs.faults().calls() > 100);
}

TEST_CASE("posix vfs: the root directory is a mount point, a directory in it is not") {
  PosixVfs vfs;
  CHECK(vfs.is_mount_point("/").value());
  CHECK(vfs.is_mount_point("/proc").value());
  const ScratchDirectory scratch;
  CHECK_FALSE(vfs.is_mount_point(scratch.path()).value());
}

TEST_CASE("posix vfs: errno becomes the right answer") {
  CHECK(error_from_errno(ENOENT, "x").code == Errc::no_such_file);
  CHECK(error_from_errno(ENOTDIR, "x").code == Errc::no_such_file);
  CHECK(error_from_errno(EEXIST, "x").code == Errc::already_exists);
  CHECK(error_from_errno(ENOSPC, "x").code == Errc::no_space);
  CHECK(error_from_errno(EDQUOT, "x").code == Errc::no_space);
  CHECK(error_from_errno(EROFS, "x").code == Errc::io_error);
  CHECK(error_from_errno(EROFS, "x").os_errno == EROFS);
}

TEST_CASE("posix vfs: a direct file takes whole pages, and also bytes at any place") {
  PosixVfs vfs;
  const ScratchDirectory scratch;
  auto file = must_open(vfs, scratch.path() + "/direct",
                        {.read = true, .write = true, .create = true, .direct = true});
  alignas(4096) static std::array<char, 8192> pages;
  pages.fill('p');
  const std::string_view both(pages.data(), pages.size());
  REQUIRE(file->pwrite(0, as_bytes(both)).has_value());
  REQUIRE(file->pwrite(5, as_bytes("odd")).has_value());  // no direct write of three bytes exists
  REQUIRE(file->sync_data().has_value());
  std::string read(8192, '\0');
  CHECK(file->pread(0, std::as_writable_bytes(std::span(read))).value() == 8192);
  CHECK(read.substr(0, 9) == "pppppoddp");
  CHECK(read.substr(8, 8184) == std::string(8184, 'p'));
}

TEST_CASE("posix vfs: a full device is no_space, not io_error") {
  PosixVfs vfs;
  OpenOptions options{.read = false, .write = true};
  auto file = must_open(vfs, "/dev/full", options);
  CHECK(code_of(file->pwrite(0, as_bytes("x"))) == Errc::no_space);
}

}  // namespace mote::erasure::test
