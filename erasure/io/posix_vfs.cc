#include "erasure/io/posix_vfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace mote::erasure {
namespace {

constexpr mode_t kFileMode = 0640;
constexpr mode_t kDirectoryMode = 0750;
/// Linux moves at most 0x7ffff000 bytes per call (read(2), NOTES); stay well below.
constexpr std::size_t kBytesPerCall = 1U << 30U;
/// Zeros written at once where the file system cannot reserve space.
constexpr std::size_t kZeroBytes = 256 * kKiB;

Error last_error(const char* where) noexcept {
  return error_from_errno(errno, where);
}

/// Repeats a call that a signal interrupted. Not for syncs.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) {
    result = call();
  }
  return result;
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);  // Linux frees the number even when close reports EINTR.
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

Descriptor open_retrying(const std::string& path, int flags) {
  return Descriptor(
      retry_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); }));
}

FileInfo info_from(const struct stat& status) {
  FileInfo info;
  info.kind = FileKind::other;
  if (S_ISREG(status.st_mode)) {
    info.kind = FileKind::file;
  } else if (S_ISDIR(status.st_mode)) {
    info.kind = FileKind::directory;
  }
  info.bytes = static_cast<std::uint64_t>(status.st_size);
  info.device = status.st_dev;
  info.inode = status.st_ino;
  info.modified_ms = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  return info;
}

class PosixFile final : public File {
 public:
  explicit PosixFile(Descriptor fd) : fd_(std::move(fd)) {}

  Result<std::size_t> pread(std::uint64_t offset, ByteSpan out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const std::size_t count = std::min(out.size() - done, kBytesPerCall);
      const ssize_t got = retry_interrupted([&] {
        return ::pread(fd_.get(), out.data() + done, count, static_cast<off_t>(offset + done));
      });
      if (got < 0) {
        return last_error("file.pread");
      }
      if (got == 0) {
        break;
      }
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Status pwrite(std::uint64_t offset, ByteView data) override {
    std::size_t done = 0;
    while (done < data.size()) {
      const std::size_t count = std::min(data.size() - done, kBytesPerCall);
      const ssize_t put = retry_interrupted([&] {
        return ::pwrite(fd_.get(), data.data() + done, count, static_cast<off_t>(offset + done));
      });
      if (put < 0 && errno == EINVAL && stop_direct()) {
        continue;
      }
      if (put < 0) {
        return last_error("file.pwrite");
      }
      if (put == 0) {
        return Error{Errc::io_error, EIO, "file.pwrite"};
      }
      done += static_cast<std::size_t>(put);
    }
    return ok();
  }

  Status sync_data() override {
    return ::fdatasync(fd_.get()) == 0 ? ok() : Status(last_error("file.sync_data"));
  }

  Status truncate(std::uint64_t bytes) override {
    const int result =
        retry_interrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(bytes)); });
    return result == 0 ? ok() : Status(last_error("file.truncate"));
  }

  Status allocate(std::uint64_t bytes) override {
    if (bytes == 0) {
      return ok();
    }
    const int result =
        retry_interrupted([&] { return ::fallocate(fd_.get(), 0, 0, static_cast<off_t>(bytes)); });
    if (result == 0) {
      return ok();
    }
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
      return write_zeros_up_to(bytes);
    }
    return last_error("file.allocate");
  }

  Result<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) {
      return last_error("file.size");
    }
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  /// A file system that takes O_DIRECT but not this alignment says so with EINVAL: from then on the
  /// file is written through the page cache. False if it was all along.
  bool stop_direct() noexcept {
    const int flags = ::fcntl(fd_.get(), F_GETFL);
    return flags >= 0 && (flags & O_DIRECT) != 0 &&
           ::fcntl(fd_.get(), F_SETFL, flags & ~O_DIRECT) == 0;
  }

  Status write_zeros_up_to(std::uint64_t bytes) {
    const Result<std::uint64_t> start = size();
    if (!start) {
      return start.error();
    }
    const std::vector<std::byte> zeros(kZeroBytes);
    for (std::uint64_t at = *start; at < bytes;) {
      const std::size_t count =
          static_cast<std::size_t>(std::min<std::uint64_t>(bytes - at, kZeroBytes));
      if (const Status written = pwrite(at, ByteView(zeros).first(count)); !written) {
        return written.error();
      }
      at += count;
    }
    return ok();
  }

  Descriptor fd_;
};

class PosixDirectory final : public Directory {
 public:
  explicit PosixDirectory(Descriptor fd) : fd_(std::move(fd)) {}
  Status sync() override {
    return ::fsync(fd_.get()) == 0 ? ok() : Status(last_error("directory.sync"));
  }
  Result<FileInfo> info() override {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) {
      return last_error("directory.info");
    }
    return info_from(status);
  }

 private:
  Descriptor fd_;
};

class PosixLock final : public FileLock {
 public:
  explicit PosixLock(Descriptor fd) : fd_(std::move(fd)) {}

 private:
  Descriptor fd_;  // closing the last descriptor of the open file releases the lock (flock(2))
};

int flags_from(const OpenOptions& options) {
  int flags = options.write ? (options.read ? O_RDWR : O_WRONLY) : O_RDONLY;
  flags |= options.create ? O_CREAT : 0;
  flags |= options.create && options.exclusive ? O_EXCL : 0;
  flags |= options.truncate ? O_TRUNC : 0;
  return flags;
}

}  // namespace

Error error_from_errno(int os_errno, const char* where) noexcept {
  switch (os_errno) {
    case ENOENT:
    case ENOTDIR:
      return {Errc::no_such_file, os_errno, where};
    case EEXIST:
      return {Errc::already_exists, os_errno, where};
    case ENOSPC:
    case EDQUOT:
      return {Errc::no_space, os_errno, where};
    default:
      return {Errc::io_error, os_errno, where};
  }
}

Result<std::unique_ptr<File>> PosixVfs::open(const std::string& path, const OpenOptions& options) {
  const int flags = flags_from(options);
  if (options.direct) {
    Descriptor direct = open_retrying(path, flags | O_DIRECT);
    if (direct.get() >= 0) {
      return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(direct)));
    }
    if (errno != EINVAL) {
      return last_error("vfs.open");
    }
    // A file system without O_DIRECT refuses it after having created the file (open(2), BUGS), so
    // the second attempt must not insist on creating it.
    Descriptor buffered = open_retrying(path, flags & ~O_EXCL);
    if (buffered.get() < 0) {
      return last_error("vfs.open");
    }
    return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(buffered)));
  }
  Descriptor fd = open_retrying(path, flags);
  if (fd.get() < 0) {
    return last_error("vfs.open");
  }
  return std::unique_ptr<File>(std::make_unique<PosixFile>(std::move(fd)));
}

Result<std::unique_ptr<Directory>> PosixVfs::open_directory(const std::string& path) {
  Descriptor fd = open_retrying(path, O_RDONLY | O_DIRECTORY);
  if (fd.get() < 0) {
    return last_error("vfs.open_directory");
  }
  return std::unique_ptr<Directory>(std::make_unique<PosixDirectory>(std::move(fd)));
}

Result<FileInfo> PosixVfs::stat(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return last_error("vfs.stat");
  }
  return info_from(status);
}

Result<std::vector<std::string>> PosixVfs::list(const std::string& path) {
  struct Close {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> directory(::opendir(path.c_str()));
  if (!directory) {
    return last_error("vfs.list");
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    // Each stream is used by one thread only, for which readdir(3) is safe in glibc.
    const dirent* entry = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe)
    if (entry == nullptr) {
      break;
    }
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  if (errno != 0) {
    return last_error("vfs.list");
  }
  return names;
}

Status PosixVfs::make_directory(const std::string& path) {
  return ::mkdir(path.c_str(), kDirectoryMode) == 0 ? ok()
                                                    : Status(last_error("vfs.make_directory"));
}

Status PosixVfs::rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? ok() : Status(last_error("vfs.rename"));
}

Status PosixVfs::link(const std::string& from, const std::string& to) {
  return ::link(from.c_str(), to.c_str()) == 0 ? ok() : Status(last_error("vfs.link"));
}

Status PosixVfs::unlink(const std::string& path) {
  return ::unlink(path.c_str()) == 0 ? ok() : Status(last_error("vfs.unlink"));
}

Status PosixVfs::remove_directory(const std::string& path) {
  return ::rmdir(path.c_str()) == 0 ? ok() : Status(last_error("vfs.remove_directory"));
}

Result<SpaceInfo> PosixVfs::space(const std::string& path) {
  struct statvfs status {};
  if (retry_interrupted([&] { return ::statvfs(path.c_str(), &status); }) != 0) {
    return last_error("vfs.space");
  }
  SpaceInfo info;
  info.total_bytes = std::uint64_t{status.f_blocks} * status.f_frsize;
  info.free_bytes = std::uint64_t{status.f_bavail} * status.f_frsize;
  return info;
}

Result<std::unique_ptr<FileLock>> PosixVfs::lock(const std::string& path) {
  Descriptor fd = open_retrying(path, O_RDWR | O_CREAT);
  if (fd.get() < 0) {
    return last_error("vfs.lock");
  }
  if (retry_interrupted([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0) {
    if (errno == EWOULDBLOCK) {
      return Error{Errc::drive_locked, EWOULDBLOCK, "vfs.lock"};
    }
    return last_error("vfs.lock");
  }
  return std::unique_ptr<FileLock>(std::make_unique<PosixLock>(std::move(fd)));
}

Result<bool> PosixVfs::is_mount_point(const std::string& path) {
  struct stat own {};
  struct stat parent {};
  if (::stat(path.c_str(), &own) != 0 || ::stat((path + "/..").c_str(), &parent) != 0) {
    return last_error("vfs.is_mount_point");
  }
  const bool is_top = own.st_ino == parent.st_ino && own.st_dev == parent.st_dev;
  return is_top || own.st_dev != parent.st_dev;
}

}  // namespace mote::erasure
