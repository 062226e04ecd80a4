#pragma once

#include "erasure/io/vfs.h"

namespace mote::erasure {

/// The Vfs of a running server: plain system calls on the process's own file systems. Stateless, so
/// thread-safe. Interrupted reads, writes, opens and reservations are repeated; a sync never is
/// (INV-5). Files are created with mode 0640 and directories with 0750, less the umask.
///
/// ENOENT and ENOTDIR become no_such_file, EEXIST already_exists, ENOSPC and EDQUOT no_space,
/// everything else io_error; os_errno is kept in each.
class PosixVfs final : public Vfs {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, const OpenOptions& options) override;
  Result<std::unique_ptr<Directory>> open_directory(const std::string& path) override;
  Result<FileInfo> stat(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status make_directory(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status link(const std::string& from, const std::string& to) override;
  Status unlink(const std::string& path) override;
  Status remove_directory(const std::string& path) override;
  Result<SpaceInfo> space(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;
  /// Compares the device of `path` with that of its parent, so a bind mount of the same file system
  /// is not seen as a mount point.
  Result<bool> is_mount_point(const std::string& path) override;
};

/// The Error for a failed system call; `where` is static text.
Error error_from_errno(int os_errno, const char* where) noexcept;

}  // namespace mote::erasure
